#include "model/tendon_path.hpp"

#include <fmt/format.h>

#include <cmath>

#include "model/model_compiler.hpp"

namespace lipkin {

bool has_coordinate(const DofRef& dof, const ModelData& model) {
  if (dof.is_in_tree()) return dof.q_index >= 0;
  return dof.tendon >= 0 || has_position(model.closures[dof.closure].type, dof.k);
}

std::optional<TendonTouch> tendon_touch(const TendonWrapData& wrap, const Transform<double>* X_WL,
                                        const Vec3<double>& p_a, const Vec3<double>& p_b) {
  const Transform<double> X_WG = X_WL[wrap.link] * wrap.X_LG, X_GW = inverse(X_WG);
  const Vec3<double> side = wrap.has_side ? X_GW * (X_WL[wrap.side.link] * wrap.side.p_L) : Vec3<double>::zero();
  const auto touch_shape = wrap.is_cylinder ? touch_cylinder : touch_sphere;
  auto touch = touch_shape(X_GW * p_a, X_GW * p_b, wrap.radius, wrap.has_side ? &side : nullptr);
  if (touch) touch->first = X_WG * touch->first, touch->last = X_WG * touch->last;
  return touch;
}

std::optional<EndInside> end_inside(const TendonData& tendon, const Transform<double>* X_WL) {
  if (tendon.wraps.empty()) return std::nullopt;
  int first = 0;
  for (const TendonBranchData& branch : tendon.branches) {
    for (std::size_t i = 1; i < branch.points.size(); ++i) {
      if (branch.points[i].wrap < 0) continue;
      const TendonWrapData& wrap = tendon.wraps[branch.points[i].wrap];
      const Transform<double> X_GW = inverse(X_WL[wrap.link] * wrap.X_LG);
      const auto distance_of = [&](const PointData& point) {
        const Vec3<double> p = X_GW * (X_WL[point.link] * point.p_L);
        return wrap.is_cylinder ? std::hypot(p[0], p[1]) : norm(p);
      };
      if (wrap.has_side && distance_of(wrap.side) < wrap.radius) continue;
      for (const std::size_t end : {i - 1, i})
        if (const double distance = distance_of(branch.points[end].point); lies_inside(distance, wrap.radius))
          return EndInside{first + static_cast<int>(end), wrap.radius - distance, wrap.is_cylinder};
    }
    first += static_cast<int>(branch.points.size());
  }
  return std::nullopt;
}

std::string text_of(const TendonData& tendon, const EndInside& end, std::string_view where) {
  return fmt::format(
      "tendon '{}': point {} of its path {} {:.3g} m inside of the {} that it should go around, and "
      "passes straight through it",
      tendon.name, end.point + 1, where, end.depth, end.of_cylinder ? "cylinder" : "sphere");
}

double tendon_length(const ModelData& model, const TendonData& tendon, const double* q, const double* closure_q,
                     const Transform<double>* X_WL) {
  double length = walk_tendon(tendon, X_WL, [](int, const Vec3<double>&, const Vec3<double>&) {});
  for (const TendonData::Term& term : tendon.terms)
    length += term.coefficient * coordinate_of(term.dof, model, q, closure_q);
  return length;
}

}  // namespace lipkin
