#include "model/tendon_path.hpp"

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

double tendon_length(const ModelData& model, const TendonData& tendon, const double* q, const double* closure_q,
                     const Transform<double>* X_WL) {
  double length = walk_tendon(tendon, X_WL, [](int, const Vec3<double>&, const Vec3<double>&) {});
  for (const TendonData::Term& term : tendon.terms)
    length += term.coefficient * coordinate_of(term.dof, model, q, closure_q);
  return length;
}

}  // namespace lipkin
