#include "constraints/reaction_loads.hpp"

#include "forces/ball_turn.hpp"
#include "forces/evaluate_forces.hpp"

namespace lipkin {

namespace {

Force<double> sum_of(const double* f, const double* forces, int count) {
  Force<double> sum = Force<double>::zero();
  for (int r = 0; r < count; ++r)
    for (int k = 0; k < 3; ++k) {
      sum.n[k] += f[k * SpatialRows::kLanes + r] * forces[r];
      sum.f[k] += f[(3 + k) * SpatialRows::kLanes + r] * forces[r];
    }
  return sum;
}

}  // namespace

Force<double> load_rows(const SpatialRows& rows, const double* forces, Workspace& work) {
  const Force<double> on_a = sum_of(rows.f_a, forces, rows.count), on_b = sum_of(rows.f_b, forces, rows.count);
  load_link(work, rows.link_a, work.kinematics.X_WL[rows.link_a].p, on_a.f, on_a.n);
  load_link(work, rows.link_b, work.kinematics.X_WL[rows.link_b].p, on_b.f, on_b.n);
  return on_b;
}

void add_closure_force(const ModelData& model, int closure, const Force<double>& on_b, Workspace& work) {
  const ClosureData& c = model.closures[closure];
  const Vec3<double> to_origin = -(work.kinematics.X_WL[c.link_b].R * c.X_BM.p);  // from M to the link's origin
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (model.joints[j].closure == closure)
      work.joint_force[j] += Force<double>{on_b.n + cross(to_origin, on_b.f), on_b.f};
}

void load_coordinate(const ModelData& model, const DofRef& dof, double force, Workspace& work) {
  if (dof.is_in_tree()) {
    work.tau[dof.u_index] += force;
    return;
  }
  load_dependent_coordinate(model, dof, force, work);
  add_coordinate_force(model, dof, force, work);
}

void load_ball_limit(const ModelData& model, const BallLimitData& limit, double torque, Workspace& work) {
  const JointData& joint = model.joints[limit.joint];
  if (joint.closure < 0) {
    for (int k = 0; k < 3; ++k)
      work.tau[joint.u_index + k] -= along_ball_coordinate(model, limit, work.kinematics, k) * torque;
    return;
  }
  SpatialRows rows;
  rows.clear(limit.link_a, limit.link_b);
  rows.add_angular(-ball_turn(limit, work.kinematics.X_WL.data()).axis);
  add_closure_force(model, joint.closure, load_rows(rows, &torque, work), work);
}

void add_coordinate_force(const ModelData& model, const DofRef& dof, double force, Workspace& work) {
  if (dof.tendon >= 0)
    for (const TendonData::Term& term : model.tendons[dof.tendon].terms)
      add_coordinate_force(model, term.dof, term.coefficient * force, work);
  if (dof.closure < 0) return;
  const ClosureData& closure = model.closures[dof.closure];
  SpatialRows rows;
  closure_coordinate_row(closure, closure_frames(closure, work.kinematics.X_WL.data()), work.kinematics, dof.k, rows);
  add_closure_force(model, dof.closure, sum_of(rows.f_b, &force, rows.count), work);
}

void add_actuator_forces(const ModelData& model, Workspace& work) {
  for (std::size_t i = 0; i < model.actuators.size(); ++i)
    for (const DofPull& pull : model.actuators[i].pulls)
      add_coordinate_force(model, pull.dof, pull.gear * work.actuator_control[i], work);
}

}  // namespace lipkin
