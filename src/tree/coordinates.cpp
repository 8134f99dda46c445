#include "tree/coordinates.hpp"

#include <algorithm>
#include <cmath>

#include "tree/closure_rows.hpp"
#include "tree/kernels.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

double tendon_rate(const ModelData& model, const TendonData& tendon, const double* u,
                   const KinematicsWork& kinematics) {
  double rate = 0;
  walk_tendon(tendon, kinematics.X_WL.data(), [&](int link, const Vec3<double>& p, const Vec3<double>& d) {
    rate += dot(d, point_velocity(kinematics, link, p));
  });
  for (const TendonData::Term& term : tendon.terms)
    rate += term.coefficient * coordinate_rate(term.dof, model, u, kinematics);
  return rate;
}

}  // namespace

double coordinate_rate(const DofRef& dof, const ModelData& model, const double* u, const KinematicsWork& kinematics) {
  if (dof.is_in_tree()) return u[dof.u_index];
  if (dof.tendon >= 0) return tendon_rate(model, model.tendons[dof.tendon], u, kinematics);
  return closure_rate(model, kinematics, dof.closure, dof.k);
}

bool rate_may_change(const DofRef& dof, const ModelData& model) {
  if (dof.is_in_tree()) return false;
  if (dof.tendon < 0) return true;
  const TendonData& tendon = model.tendons[dof.tendon];
  return !tendon.branches.empty() || std::any_of(tendon.terms.begin(), tendon.terms.end(),
                                                 [&](const auto& term) { return rate_may_change(term.dof, model); });
}

double coordinate_rate_change(const DofRef& dof, const ModelData& model, const double* q, const double* u, double dt,
                              double* q_there, KinematicsWork& there) {
  const auto rate_after = [&](double t) {
    kernels().retract(model.links.data(), static_cast<int>(model.links.size()), q, t, u, q_there);
    update_kinematics(model, q_there, u, there);
    return coordinate_rate(dof, model, u, there);
  };
  return (rate_after(dt) - rate_after(-dt)) / (2 * dt);
}

static void update_tendons(const ModelData& model, const double* q, const KinematicsWork& kinematics,
                           double* closure_q) {
  for (const TendonData& tendon : model.tendons)
    closure_q[tendon.coordinate_index] = tendon_length(model, tendon, q, closure_q, kinematics.X_WL.data());
}

void update_dependent_coordinates(const ModelData& model, const double* q, const KinematicsWork& kinematics,
                                  double* closure_q) {
  for (const ClosureData& c : model.closures)
    closure_coordinates(c, closure_frames(c, kinematics.X_WL.data()), closure_q + c.coordinate_index);
  update_tendons(model, q, kinematics, closure_q);
}

void update_dependent_coordinates(const ModelData& model, const double* q, const ClosureFrames* frames,
                                  const KinematicsWork& kinematics, double* closure_q) {
  for (const ClosureData& c : model.closures) closure_coordinates(c, *frames++, closure_q + c.coordinate_index);
  update_tendons(model, q, kinematics, closure_q);
}

constexpr double kFar = 1.5;  // [rad]: less than a half turn, so that shorter ways need no lead

bool may_lead_angles(double h, const std::vector<double>& u) {
  double fastest = 0;
  for (const double x : u) fastest += std::abs(x);
  return !(2 * std::abs(h) * fastest <= kFar);
}

void lead_angles(const ModelData& model, const KinematicsWork& kinematics, const Motion<double>* V_WL, double h,
                 double* closure_q) {
  for (const ClosureData& c : model.closures) {
    const Motion<double>&V_a = V_WL[c.link_a], &V_b = V_WL[c.link_b];
    if (!(std::abs(h) * (norm(V_a.w) + norm(V_b.w)) > kFar)) continue;
    const ClosureFrames frames = closure_frames(c, kinematics.X_WL.data());
    for (int k = 0; k < u_count(c.type); ++k) {
      if (!keeps_turns(c.type, k)) continue;
      SpatialRows row;
      closure_coordinate_row(c, frames, kinematics, k, row);
      double rate;
      row.rates(V_a, V_b, &rate);
      if (std::abs(h * rate) > kFar) closure_q[c.coordinate_index + k] += h * rate;
    }
  }
}

void find_screw_turns(const ModelData& model, const KinematicsWork& kinematics, double* closure_q) {
  for (const ClosureData& c : model.closures) {
    if (c.type != JointType::kScrew || c.pitch == 0) continue;
    const ClosureFrames frames = closure_frames(c, kinematics.X_WL.data());
    closure_q[c.coordinate_index] = closure_advance(frames) / c.pitch;
    closure_coordinates(c, frames, closure_q + c.coordinate_index);
  }
}

}  // namespace lipkin
