#include "audit/tendon_jumps.hpp"

#include <algorithm>

#include "model/mechanism_size.hpp"
#include "model/tendon_path.hpp"

namespace lipkin {

namespace {

// Of the mechanism's size: what is more is no correction of a gap, but a throw.
constexpr double kCorrected = 0.01;

// Whether rows act on the length of a tendon; nothing else is thrown about by a jump.
bool is_held(const ModelData& model, int tendon) {
  const auto holds = [&](const auto& of) { return of.dof.tendon == tendon; };
  const auto any = [&](const auto& list) { return std::any_of(list.begin(), list.end(), holds); };
  const auto gears = [&](const GearData& gear) { return gear.dof.tendon == tendon || gear.of.tendon == tendon; };
  return any(model.limits) || any(model.motors) || any(model.row_springs) || any(model.joint_frictions) ||
         std::any_of(model.gears.begin(), model.gears.end(), gears);
}

double speed_against(const Transform<double>* X_WL, const Motion<double>* V_WL, int link, const Vec3<double>& p,
                     int body) {
  const auto carried = [&](int by) { return V_WL[by].v + cross(V_WL[by].w, p - X_WL[by].p); };
  return norm(carried(link) - carried(body));
}

}  // namespace

TendonJumps::TendonJumps(const ModelData& model) : corrected_(kCorrected * mechanism_size(model)) {
  for (std::size_t t = 0; t < model.tendons.size(); ++t) {
    if (!is_held(model, static_cast<int>(t))) continue;
    for (std::size_t b = 0; b < model.tendons[t].branches.size(); ++b) {
      const TendonBranchData& branch = model.tendons[t].branches[b];
      for (std::size_t i = 1; i < branch.points.size(); ++i)
        if (branch.points[i].wrap >= 0)
          strings_.push_back(
              {static_cast<int>(t), static_cast<int>(b), static_cast<int>(i), std::abs(branch.weight), 0, 0, {}, {}});
    }
  }
}

TendonJumps::String TendonJumps::looked_at(const ModelData& model, const String& s, const Transform<double>* X_WL,
                                           const Motion<double>* V_WL) {
  const TendonData& tendon = model.tendons[s.tendon];
  const TendonPointData* to = &tendon.branches[s.branch].points[s.point];
  const PointData &a = to[-1].point, &b = to->point;
  const TendonWrapData& wrap = tendon.wraps[to->wrap];
  const Vec3<double> p_a = X_WL[a.link] * a.p_L, p_b = X_WL[b.link] * b.p_L;
  String now = s;
  now.speed = speed_against(X_WL, V_WL, a.link, p_a, wrap.link) + speed_against(X_WL, V_WL, b.link, p_b, wrap.link);
  const Transform<double> X_LW = inverse(X_WL[wrap.link]);
  now.p_a = X_LW * p_a, now.p_b = X_LW * p_b;
  const auto touch = tendon_touch(wrap, X_WL, p_a, p_b);
  now.detour = touch ? norm(touch->first - p_a) + touch->length + norm(p_b - touch->last) - norm(p_b - p_a) : 0;
  return now;
}

void TendonJumps::begin_step(const ModelData& model, const Transform<double>* X_WL, const Motion<double>* V_WL) {
  for (String& string : strings_) string = looked_at(model, string, X_WL, V_WL);
}

void TendonJumps::end_step(const ModelData& model, const Transform<double>* X_WL, const Motion<double>* V_WL, double h,
                           AuditReport& report) const {
  for (const String& before : strings_) {
    const String after = looked_at(model, before, X_WL, V_WL);
    const double moved = norm(after.p_a - before.p_a) + norm(after.p_b - before.p_b);
    const double explained = 2 * std::max(h * (before.speed + after.speed), std::min(moved, corrected_));
    const double jump = before.weight * (std::abs(after.detour - before.detour) - explained);
    report.jump.take(jump, before.tendon);
  }
}

}  // namespace lipkin
