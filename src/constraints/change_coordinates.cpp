#include "constraints/change_coordinates.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "forces/channel_values.hpp"
#include "model/eigen_convert.hpp"
#include "model/model_compiler.hpp"
#include "tree/closure_rows.hpp"
#include "tree/coordinates.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

void put_quaternion(const Mat3<double>& R, double* q) {
  const Eigen::Quaterniond r = to_eigen(Transform<double>{R, Vec3<double>::zero()}).orientation;
  q[0] = r.w(), q[1] = r.x(), q[2] = r.y(), q[3] = r.z();
}

// A joint that is free now: where its body is, and how that moves.
void free_body(const ModelData& from, const KinematicsWork& kinematics, const ModelData& to, const JointData& joint,
               State& state) {
  const BodyData& body = from.bodies[joint.child];
  const Transform<double> X_WB = kinematics.X_WL[body.link] * body.X_LB;
  const Vec3<double> p = X_WB * from_eigen(to.parts->joints[&joint - to.joints.data()].frame_in_child.position);
  double* q = state.q.data() + joint.q_index;
  double* u = state.u.data() + joint.u_index;
  put(p, q);
  put_quaternion(X_WB.R, q + 3);
  put(point_velocity(kinematics, body.link, p), u);
  put(transpose_times(X_WB.R, kinematics.V_WL[body.link].w), u + 3);
}

// A joint that is part of the tree now and was rows: its coordinates are those the rows left free.
void join(const ModelData& from, const State& before, const KinematicsWork& kinematics, int closure,
          const JointData& joint, State& state) {
  const ClosureData& c = from.closures[closure];
  const double* free = before.closure_q.data() + c.coordinate_index;
  double* q = state.q.data() + joint.q_index;
  const ClosureFrames frames = closure_frames(c, kinematics.X_WL.data());
  const Mat3<double> R_FM = transpose(frames.X_WF.R) * frames.X_WM.R;
  if (joint.type == JointType::kBall) {
    put_quaternion(R_FM, q);
  } else if (joint.type == JointType::kFree) {
    put(transpose_times(frames.X_WF.R, frames.X_WM.p - frames.X_WF.p), q);
    put_quaternion(R_FM, q + 3);
  } else {
    std::copy(free, free + u_count(joint.type), q);
  }
  for (int k = 0; k < u_count(joint.type); ++k) state.u[joint.u_index + k] = closure_rate(from, kinematics, closure, k);
}

// The coordinates that a joint leaves free as rows, with their turns.
void cut(const ModelData& from, const State& before, const JointData& joint, const ClosureData& closure, State& state) {
  double* free = state.closure_q.data() + closure.coordinate_index;
  if (joint.closure >= 0) {
    const double* same = before.closure_q.data() + from.closures[joint.closure].coordinate_index;
    std::copy(same, same + u_count(joint.type), free);
  } else if (joint.type != JointType::kBall && joint.type != JointType::kFree) {
    std::copy_n(before.q.data() + joint.q_index, u_count(joint.type), free);
  }
}

}  // namespace

std::string applied_without_place(const ModelData& from, const State& before, const ModelData& to) {
  for (std::size_t j = 0; j < from.joints.size(); ++j) {
    const JointData& joint = from.joints[j];
    if (joint.link < 0 || (j < to.joints.size() && to.joints[j].link >= 0)) continue;
    const double* forces = before.applied.data() + joint.u_index;
    if (std::any_of(forces, forces + u_count(joint.type), [](double force) { return force != 0; })) return joint.name;
  }
  return {};
}

void keep_applied(const ModelData& from, const State& before, const ModelData& to, State& state) {
  std::unordered_map<std::string_view, const JointData*> known;
  for (const JointData& joint : from.joints)
    if (joint.link >= 0) known.emplace(joint.name, &joint);
  for (const JointData& joint : to.joints) {
    const auto same = known.find(joint.name);
    if (joint.link >= 0 && same != known.end() && same->second->type == joint.type)
      std::copy_n(before.applied.data() + same->second->u_index, u_count(joint.type),
                  state.applied.data() + joint.u_index);
  }
}

State change_coordinates(const ModelData& from, const State& before, const ModelData& to) {
  KinematicsWork kinematics(from);
  update_kinematics(from, before.q.data(), before.u.data(), kinematics);
  State state = before;
  state.q = to.initial_q;
  state.u = to.initial_u;
  state.applied.assign(to.u_count, 0.0);
  state.closure_q.assign(to.closure_coordinate_count, 0.0);
  state.row_impulses.clear();
  state.reactions.clear();
  state.carried_impulses.clear();
  state.projection.clear();
  state.passed_limits.clear();
  for (std::size_t j = 0; j < to.joints.size(); ++j) {
    const JointData& joint = to.joints[j];
    const bool known = j < from.joints.size();
    if (joint.closure >= 0) {
      cut(from, before, from.joints[j], to.closures[joint.closure], state);
    } else if (joint.link < 0) {
      continue;
    } else if (!known) {
      free_body(from, kinematics, to, joint, state);
    } else if (from.joints[j].closure >= 0) {
      join(from, before, kinematics, from.joints[j].closure, joint, state);
    } else {
      std::copy_n(before.q.data() + from.joints[j].q_index, q_count(joint.type), state.q.data() + joint.q_index);
      std::copy_n(before.u.data() + from.joints[j].u_index, u_count(joint.type), state.u.data() + joint.u_index);
      std::copy_n(before.applied.data() + from.joints[j].u_index, u_count(joint.type),
                  state.applied.data() + joint.u_index);
    }
  }
  KinematicsWork after(to);
  update_kinematics(to, state.q.data(), state.u.data(), after);
  update_dependent_coordinates(to, state.q.data(), after, state.closure_q.data());
  return state;
}

}  // namespace lipkin
