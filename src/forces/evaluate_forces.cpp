#include "forces/evaluate_forces.hpp"

#include <algorithm>
#include <cmath>

#include "forces/actuators.hpp"
#include "forces/channel_values.hpp"
#include "forces/elements.hpp"
#include "forces/regularised_forces.hpp"
#include "forces/tyre.hpp"
#include "model/eigen_convert.hpp"
#include "tree/closure_rows.hpp"
#include "tree/coordinates.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

bool signal_needs_kinematics(const SignalData& signal) {
  const auto* e = std::get_if<ChannelExpression>(&signal);
  return e && e->need() != ChannelNeed::kState;
}

void load_springs(const ModelData& model, Workspace& work) {
  for (const SpringDamperData& spring : model.springs) {
    const SpringState s = spring_state(spring, work.kinematics);
    const Vec3<double> pull = s.tension * s.direction;
    load_link(work, spring.a.link, s.p_a, pull, Vec3<double>::zero());
    load_link(work, spring.b.link, s.p_b, -pull, Vec3<double>::zero());
  }
}

void load_bushings(const ModelData& model, Workspace& work) {
  for (const BushingData& bushing : model.bushings) {
    const BushingState s = bushing_state(bushing, work.kinematics);
    const Vec3<double> force = s.R_WP * s.force, torque = s.R_WP * s.torque;
    load_link(work, bushing.link_b, s.p_Q, force, torque);
    load_link(work, bushing.link_a, s.p_Q, -force, -torque);
  }
}

void load_body_forces(const ModelData& model, const State& state, Workspace& work) {
  for (const BodyForceData& f : model.body_forces) {
    Vec3<double> force, torque;
    for (int k = 0; k < 3; ++k) {
      force[k] = signal_value(model, state, work, f.force[k]);
      torque[k] = signal_value(model, state, work, f.torque[k]);
    }
    const Transform<double>& X = work.kinematics.X_WL[f.at.link];
    if (f.frame == ForceFrame::kBody) {
      force = X.R * (f.R_LB * force);
      torque = X.R * (f.R_LB * torque);
    }
    load_link(work, f.at.link, X * f.at.p_L, force, torque);
  }
}

void load_pushes(const ModelData& model, const State& state, Workspace& work) {
  for (const ActivePush& push : state.pushes) {
    const BodyData& body = model.bodies[push.body];
    const Transform<double> X_WB = work.kinematics.X_WL[body.link] * body.X_LB;
    Vec3<double> force = push.share * from_eigen(push.force), torque = push.share * from_eigen(push.torque);
    if (push.along_body) force = X_WB.R * force, torque = X_WB.R * torque;
    load_link(work, body.link, X_WB * from_eigen(push.point), force, torque);
  }
}

void load_drags(const ModelData& model, const State& state, Workspace& work) {
  for (const ActiveDrag& drag : state.drags) {
    const BodyData& body = model.bodies[drag.body];
    const Vec3<double> p = work.kinematics.X_WL[body.link] * (body.X_LB * from_eigen(drag.point));
    const Eigen::Vector3d v = to_eigen(point_velocity(work.kinematics, body.link, p));
    const Eigen::Vector3d force = drag.stiffness * (drag.target - to_eigen(p)) - drag.damping * v;
    load_link(work, body.link, p, from_eigen(force), Vec3<double>::zero());
  }
}

// What is left of an actuator's force where it drives its joint near its greatest speed: a step at that speed would
// chatter, so it fades over the last tenth.
double left_at_speed(const ModelData& model, const ActuatorData& a, double control, const State& state,
                     const Workspace& work) {
  if (!std::isfinite(a.max_speed)) return 1;
  const double rate = coordinate_rate(a.pulls.front().dof, model, state.u.data(), work.kinematics);
  if (a.size * control * rate <= 0) return 1;
  return std::clamp((a.max_speed - std::abs(rate)) / (0.1 * a.max_speed), 0.0, 1.0);
}

void drive(const ModelData& model, const State& state, Workspace& work) {
  for (std::size_t i = 0; i < model.actuators.size(); ++i) {
    const ActuatorData& a = model.actuators[i];
    const double control = acting_control(model, a, state, work);
    work.actuator_control[i] = control * left_at_speed(model, a, control, state, work);
    for (const DofPull& pull : a.pulls)
      if (pull.dof.is_in_tree()) work.tau[pull.dof.u_index] += pull.gear * work.actuator_control[i];
  }
}

bool loads_links(const ModelData& model, const State& state) {
  return !model.springs.empty() || !model.bushings.empty() || !model.tyres.empty() || !model.body_forces.empty() ||
         !model.added_inertia.empty() || !state.pushes.empty() || !state.drags.empty() || model.actuators_load_links;
}

}  // namespace

void load_link(Workspace& work, int link, const Vec3<double>& p, const Vec3<double>& force,
               const Vec3<double>& torque) {
  if (link == 0) return;
  const Transform<double>& X = work.kinematics.X_WL[link];
  const Vec3<double> n = torque + cross(p - X.p, force);
  work.external[link] += Force<double>{transpose_times(X.R, n), transpose_times(X.R, force)};
}

void load_elements(const ModelData& model, Workspace& work) {
  load_springs(model, work);
  load_bushings(model, work);
}

void load_applied_forces(const ModelData& model, const State& state, Workspace& work) {
  load_body_forces(model, state, work);
  load_pushes(model, state, work);
  load_drags(model, state, work);
}

void load_dependent_coordinate(const ModelData& model, const DofRef& dof, double force, Workspace& work) {
  if (dof.tendon >= 0) return load_tendon(model, dof.tendon, force, work);
  const ClosureData& closure = model.closures[dof.closure];
  SpatialRows rows;
  closure_coordinate_row(closure, closure_frames(closure, work.kinematics.X_WL.data()), work.kinematics, dof.k, rows);
  const auto load = [&](int link, const double* f) {
    const auto part = [&](int k) {
      return Vec3<double>{{force * f[k * SpatialRows::kLanes], force * f[(k + 1) * SpatialRows::kLanes],
                           force * f[(k + 2) * SpatialRows::kLanes]}};
    };
    load_link(work, link, work.kinematics.X_WL[link].p, part(3), part(0));
  };
  load(closure.link_a, rows.f_a);
  load(closure.link_b, rows.f_b);
}

void load_tendon(const ModelData& model, int tendon, double force, Workspace& work) {
  const TendonData& t = model.tendons[tendon];
  work.tendon_force[tendon] += force;
  walk_tendon(t, work.kinematics.X_WL.data(), [&](int link, const Vec3<double>& p, const Vec3<double>& d) {
    load_link(work, link, p, force * d, Vec3<double>::zero());
  });
  for (const TendonData::Term& term : t.terms) {
    if (term.dof.is_in_tree())
      work.tau[term.dof.u_index] += term.coefficient * force;
    else
      load_dependent_coordinate(model, term.dof, term.coefficient * force, work);
  }
}

void unload_added_inertia(const ModelData& model, Workspace& work) {
  for (std::size_t i = 1; i < model.added_inertia.size(); ++i) {
    if (model.links[i].rigid) continue;
    const Vec3<double> g = transpose_times(work.kinematics.X_WL[i].R, model.gravity);
    work.external[i] -= model.added_inertia[i] * Motion<double>{Vec3<double>::zero(), g};
  }
}

static bool has_contact_forces(const Workspace& work) { return work.regularised && work.regularised->has_contacts(); }

bool forces_need_kinematics(const ModelData& model, const State& state) {
  return loads_links(model, state) ||
         std::any_of(model.actuators.begin(), model.actuators.end(),
                     [](const ActuatorData& a) { return signal_needs_kinematics(a.control); });
}

void evaluate_forces(const ModelData& model, const State& state, double ahead, Workspace& work) {
  if (has_contact_forces(work) || forces_need_kinematics(model, state))
    update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
  evaluate_forces_there(model, state, ahead, work);
}

void evaluate_forces_there(const ModelData& model, const State& state, double ahead, Workspace& work) {
  std::copy(state.applied.begin(), state.applied.end(), work.tau.begin());
  std::fill(work.tendon_force.begin(), work.tendon_force.end(), 0.0);
  add_joint_forces(model, state.q.data(), state.u.data(), ahead, work.tau.data());
  drive(model, state, work);
  work.has_external = has_contact_forces(work) || loads_links(model, state);
  if (work.has_external) std::fill(work.external.begin(), work.external.end(), Force<double>::zero());
  if (work.regularised) work.regularised->load(model, state, work);
  if (!work.has_external) return;
  load_elements(model, work);
  load_tyres(model, state, work);
  load_applied_forces(model, state, work);
  load_actuators(model, work);
  unload_added_inertia(model, work);
}

}  // namespace lipkin
