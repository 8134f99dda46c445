#include "constraints/carry_state.hpp"

#include <algorithm>
#include <cmath>

#include "constraints/bilateral_rows.hpp"
#include "forces/evaluate_forces.hpp"
#include "model/eigen_convert.hpp"
#include "model/frames.hpp"
#include "model/model_compiler.hpp"
#include "state/row_slots.hpp"
#include "tree/closure_rows.hpp"
#include "tree/coordinates.hpp"
#include "tree/kernels.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

template <class Items>
int index_of(const Items& items, const std::string& name) {
  const auto found = std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
  return found == items.end() ? -1 : static_cast<int>(found - items.begin());
}

bool same_pose(const Pose& a, const Pose& b) {
  return a.position == b.position && a.orientation.coeffs() == b.orientation.coeffs();
}

bool same_joint(const JointSpec& a, const JointSpec& b) {
  return a.name == b.name && a.type == b.type && a.parent == b.parent && a.child == b.child &&
         same_pose(a.frame_in_parent, b.frame_in_parent) && same_pose(a.frame_in_child, b.frame_in_child) &&
         a.axis == b.axis && a.pitch == b.pitch && a.closes_loop == b.closes_loop;
}

bool same_motor(const MotorData& a, const MotorData& b) {
  return a.name == b.name && a.kind == b.kind && a.servo == b.servo &&
         std::isfinite(a.max_force) == std::isfinite(b.max_force);
}

bool same_rows(const ModelData& a, const ModelData& b) {
  return has_same_joints(a, b) && row_slots(a) == row_slots(b) && a.gears.size() == b.gears.size() &&
         std::equal(a.motors.begin(), a.motors.end(), b.motors.begin(), b.motors.end(), same_motor) &&
         std::equal(a.distances.begin(), a.distances.end(), b.distances.begin(), b.distances.end(),
                    [&](const DistanceData& x, const DistanceData& y) { return is_rod(x) == is_rod(y); });
}

bool turns_about_z(JointType type) {
  return type == JointType::kRevolute || type == JointType::kScrew || type == JointType::kCylindrical;
}

class Carrier {
 public:
  Carrier(const ModelData& from, const State& before, const ModelData& to)
      : from_(from), to_(to), before_(before), kinematics_(from) {
    update_kinematics(from, before.q.data(), before.u.data(), kinematics_);
  }

  State carry() {
    State state = before_;
    state.q = to_.initial_q;
    state.u = to_.initial_u;
    state.applied.assign(to_.u_count, 0.0);
    state.closure_q.assign(to_.closure_coordinate_count, 0.0);
    for (std::size_t j = 0; j < to_.joints.size(); ++j) place(static_cast<int>(j), state);
    if (tree_changed_) project_velocities(state);
    update_closures(state);
    carry_loads(state);
    if (!same_rows(from_, to_)) forget_impulses(state);
    return state;
  }

 private:
  Transform<double> pose_before(int body_in_to) const {
    if (body_in_to < 0) return Transform<double>::identity();
    const int b = index_of(from_.bodies, to_.bodies[body_in_to].name);
    const BodyData& body = b < 0 ? to_.bodies[body_in_to] : from_.bodies[b];
    return b < 0 ? body.X_LB : kinematics_.X_WL[body.link] * body.X_LB;
  }

  ClosureFrames frames_before(int joint) const {
    const JointSpec& spec = to_.parts->joints[joint];
    const Transform<double> axes = axes_of(spec);
    return {pose_before(to_.joints[joint].parent) * from_eigen(spec.frame_in_parent) * axes,
            pose_before(to_.joints[joint].child) * from_eigen(spec.frame_in_child) * axes};
  }

  // Angle of a joint as it was, with its turns; zero where it had none.
  double angle_before(const JointData& joint) const {
    const int j = index_of(from_.joints, joint.name);
    if (j < 0 || !same_axis(joint, j)) return 0;
    const JointData& old = from_.joints[j];
    return old.closure >= 0 ? before_.closure_q[from_.closures[old.closure].coordinate_index] : before_.q[old.q_index];
  }

  // Whether a joint turns about the axis of its parent about which it turned.
  bool same_axis(const JointData& joint, int old) const {
    if (!turns_about_z(joint.type) || !turns_about_z(from_.joints[old].type)) return false;
    const auto axis = [](const JointSpec& spec) { return spec.frame_in_parent.orientation * spec.axis.normalized(); };
    return axis(to_.parts->joints[&joint - to_.joints.data()]).dot(axis(from_.parts->joints[old])) > 1 - 1e-9;
  }

  double rate_before(const JointData& joint, int k) const {
    const int j = index_of(from_.joints, joint.name);
    if (j < 0 || from_.joints[j].link < 0) return 0;
    const bool alike = from_.joints[j].type == joint.type || (k == 0 && same_axis(joint, j));
    return alike ? before_.u[from_.joints[j].u_index + k] : 0;
  }

  void place(int j, State& state) {
    const JointData& joint = to_.joints[j];
    const int old = index_of(from_.joints, joint.name);
    const bool same = old >= 0 && same_joint(from_.parts->joints[old], to_.parts->joints[j]);
    if (joint.closure >= 0) {
      double* q = state.closure_q.data() + to_.closures[joint.closure].coordinate_index;
      if (same) {
        std::copy_n(before_.closure_q.data() + from_.closures[from_.joints[old].closure].coordinate_index,
                    u_count(joint.type), q);
      } else if (turns_about_z(joint.type)) {
        q[0] = angle_before(joint);
      }
    } else if (same && joint.link >= 0) {
      std::copy_n(before_.q.data() + from_.joints[old].q_index, q_count(joint.type), state.q.data() + joint.q_index);
      std::copy_n(before_.u.data() + from_.joints[old].u_index, u_count(joint.type), state.u.data() + joint.u_index);
      std::copy_n(before_.applied.data() + from_.joints[old].u_index, u_count(joint.type),
                  state.applied.data() + joint.u_index);
    } else if (!same) {
      tree_changed_ = true;
      if (joint.link >= 0) put_coordinates(j, state.q.data() + joint.q_index);
    }
  }

  // The coordinates that leave the child where it is, as far as the joint can.
  void put_coordinates(int j, double* q) const {
    const JointData& joint = to_.joints[j];
    const ClosureFrames frames = frames_before(j);
    const bool free = joint.type == JointType::kFree;
    if (!free && joint.type != JointType::kBall) {
      ClosureData closure;
      closure.type = joint.type;
      closure.pitch = to_.parts->joints[j].pitch;
      std::fill_n(q, q_count(joint.type), 0.0);
      if (turns_about_z(joint.type)) q[0] = angle_before(joint);
      closure_coordinates(closure, frames, q);
      return;
    }
    if (free) put(transpose_times(frames.X_WF.R, frames.X_WM.p - frames.X_WF.p), q);
    const Mat3<double> R_FM = transpose(frames.X_WF.R) * frames.X_WM.R;
    const Eigen::Quaterniond r = to_eigen(Transform<double>{R_FM, Vec3<double>::zero()}).orientation.normalized();
    double* quaternion = q + (free ? 3 : 0);
    quaternion[0] = r.w(), quaternion[1] = r.x(), quaternion[2] = r.y(), quaternion[3] = r.z();
  }

  // M u = Jᵀ p with the momenta p that the bodies had: u minimises |V - J u| in the norm of M. The articulated-body
  // pass gives it when momenta stand for forces, at rest and without gravity.
  void project_velocities(State& state) const {
    Workspace work(to_);
    const std::vector<double> rest(to_.u_count, 0.0);
    update_kinematics(to_, state.q.data(), rest.data(), work.kinematics);
    std::fill(work.external.begin(), work.external.end(), Force<double>::zero());
    for (std::size_t b = 0; b < to_.bodies.size(); ++b) load_momentum(static_cast<int>(b), work);
    std::fill(work.tau.begin(), work.tau.end(), 0.0);
    for (const JointData& joint : to_.joints)
      for (int k = 0; joint.link >= 0 && k < u_count(joint.type); ++k)
        work.tau[joint.u_index + k] = to_.armature[joint.u_index + k] * rate_before(joint, k);
    kernels().forward_dynamics(to_.links.data(), static_cast<int>(to_.links.size()), Vec3<double>::zero(),
                               state.q.data(), rest.data(), work.tau.data(), to_.armature.data(), work.external.data(),
                               work.tree(), state.u.data());
  }

  void load_momentum(int b, Workspace& work) const {
    const BodyData& body = to_.bodies[b];
    const int old = index_of(from_.bodies, body.name);
    if (body.link == 0 || old < 0) return;
    const BodyData& was = from_.bodies[old];
    const Transform<double> X_WB = kinematics_.X_WL[was.link] * was.X_LB;
    const Vec3<double> w = kinematics_.V_WL[was.link].w, c_W = X_WB.R * from_eigen(body.mass_properties.com);
    const Vec3<double> v = point_velocity(kinematics_, was.link, X_WB.p + c_W);
    const Eigen::Vector3d spin =
        to_eigen(X_WB.R) * (body.mass_properties.inertia * to_eigen(transpose_times(X_WB.R, w)));
    const Transform<double> X_WB_now = work.kinematics.X_WL[body.link] * body.X_LB;
    load_link(work, body.link, X_WB_now * from_eigen(body.mass_properties.com), body.mass_properties.mass * v,
              from_eigen(spin));
    if (!to_.parts->bodies[b].added_inertia) return;
    const Vec3<double> v_o = point_velocity(kinematics_, was.link, X_WB.p);
    const Force<double> p = from_eigen(*to_.parts->bodies[b].added_inertia) *
                            Motion<double>{transpose_times(X_WB.R, w), transpose_times(X_WB.R, v_o)};
    load_link(work, body.link, X_WB_now.p, X_WB.R * p.f, X_WB.R * p.n);
  }

  void update_closures(State& state) const {
    KinematicsWork after(to_);
    update_kinematics(to_, state.q.data(), state.u.data(), after);
    update_dependent_coordinates(to_, state.q.data(), after, state.closure_q.data());
  }

  void carry_loads(State& state) const {
    state.control.assign(to_.controls.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t c = 0; c < to_.controls.size(); ++c)
      if (const int old = index_of(from_.controls, to_.controls[c].name); old >= 0)
        state.control[c] = before_.control[old];
    carry_memory(state);
    const auto move = [&](auto& load) { load.body = index_of(to_.bodies, from_.bodies[load.body].name); };
    std::for_each(state.pushes.begin(), state.pushes.end(), move);
    std::for_each(state.drags.begin(), state.drags.end(), move);
    std::erase_if(state.pushes, [](const ActivePush& push) { return push.body < 0; });
    std::erase_if(state.drags, [](const ActiveDrag& drag) { return drag.body < 0; });
    if (from_.contact_shapes.size() != to_.contact_shapes.size()) state.contacts.clear();
  }

  void carry_memory(State& state) const {
    state.inputs.clear();
    for (const InputData& input : to_.inputs) {
      const int old = index_of(from_.inputs, input.name);
      state.inputs.push_back(old < 0 ? input.value : std::clamp(before_.inputs[old], input.min, input.max));
    }
    state.memory.assign(to_.memory_count, 0.0);
    for (const TyreData& tyre : to_.tyres)
      if (const int old = index_of(from_.tyres, tyre.name); old >= 0)
        std::copy_n(&before_.memory[from_.tyres[old].memory], +TyreData::kMemory, &state.memory[tyre.memory]);
    for (std::size_t c = 0; c < to_.controllers.size(); ++c) carry_controller(c, state);
    carry_activations(from_.actuators, to_.actuators, state);
    carry_activations(from_.motors, to_.motors, state);
  }

  // A PID that gives way to a law keeps its integral for when it comes back to the same measured value; errors and
  // rates of before are nothing to go on from.
  void carry_controller(std::size_t c, State& state) const {
    const int old = index_of(from_.controllers, to_.controllers[c].name);
    if (old < 0) return;
    const double* before = &before_.memory[from_.controllers[old].memory];
    double* now = &state.memory[to_.controllers[c].memory];
    const bool was_pid = from_.controllers[old].is_pid, is_pid = to_.controllers[c].is_pid;
    if (was_pid == is_pid) std::copy_n(before, +kControllerMemoryCount, now);
    const bool same_value = from_.parts->controllers[old].measured == to_.parts->controllers[c].measured;
    if (!(was_pid && is_pid)) now[kControllerIntegral] = same_value ? before[kControllerIntegral] : 0.0;
  }

  template <class Items>
  void carry_activations(const Items& from, const Items& to, State& state) const {
    for (const auto& item : to) {
      if (item.activation.kind == ActivationKind::kNone) continue;
      const int old = index_of(from, item.name);
      double* memory = &state.memory[item.activation.memory];
      memory[kActivationValue] = item.activation.start;
      memory[kActivationTime] = state.t;
      if (old >= 0 && from[old].activation.kind == item.activation.kind)
        std::copy_n(&before_.memory[from[old].activation.memory], +kActivationMemoryCount, memory);
    }
  }

  static void forget_impulses(State& state) {
    state.row_impulses.clear();
    state.reactions.clear();
    state.carried_impulses.clear();
    state.projection.clear();
    state.passed_limits.clear();
  }

  const ModelData &from_, &to_;
  const State& before_;
  KinematicsWork kinematics_;
  bool tree_changed_ = false;
};

}  // namespace

bool has_same_joints(const ModelData& a, const ModelData& b) {
  return std::equal(a.parts->joints.begin(), a.parts->joints.end(), b.parts->joints.begin(), b.parts->joints.end(),
                    same_joint);
}

bool asks_for_nothing_new(const ModelData& from, const ModelData& to) {
  const auto all_known = [](const auto& items, const auto& known, const auto& same) {
    return std::all_of(items.begin(), items.end(), [&](const auto& item) {
      return std::any_of(known.begin(), known.end(), [&](const auto& other) { return same(item, other); });
    });
  };
  const auto same_motion = [](const MotorData& x, const MotorData& y) {
    return !is_prescribed(x) || (is_prescribed(y) && x.name == y.name);
  };
  const auto same_gear = [](const GearData& x, const GearData& y) {
    return x.name == y.name && x.ratio == y.ratio && x.offset == y.offset && x.curve == y.curve;
  };
  const auto same_distance = [](const DistanceData& x, const DistanceData& y) {
    return x.name == y.name && x.lower == y.lower && x.upper == y.upper;
  };
  return has_same_joints(from, to) && all_known(to.motors, from.motors, same_motion) &&
         all_known(to.gears, from.gears, same_gear) && all_known(to.distances, from.distances, same_distance);
}

bool holds_alike(const ModelData& a, const ModelData& b) {
  return asks_for_nothing_new(a, b) && asks_for_nothing_new(b, a);
}

State carry_state(const ModelData& from, const State& before, const ModelData& to) {
  return Carrier(from, before, to).carry();
}

}  // namespace lipkin
