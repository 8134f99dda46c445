#include "forces/channel_values.hpp"

#include <algorithm>
#include <cmath>

#include "forces/ball_turn.hpp"
#include "forces/carried_load.hpp"
#include "forces/elements.hpp"
#include "forces/link_acceleration.hpp"
#include "forces/point_values.hpp"
#include "forces/regularised_forces.hpp"
#include "forces/tyre.hpp"
#include "model/eigen_convert.hpp"
#include "model/model_compiler.hpp"
#include "spatial/quaternion.hpp"
#include "state/row_slots.hpp"
#include "tree/closure_rows.hpp"
#include "tree/coordinates.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

double stored_energy(const ModelData& model, const State& state, const Workspace& work) {
  return elastic_energy(model, state.q.data(), state.closure_q.data(), work.kinematics) + contact_energy(model, work) +
         tyre_energy(model, work.kinematics, state.memory.data());
}

double system_channel(const ModelData& model, const State& state, const Workspace& work, const Channel& c) {
  const KinematicsWork& k = work.kinematics;
  switch (c.kind) {
    case ChannelKind::kCenterOfMass:
      return center_of_mass(model, k)[c.component];
    case ChannelKind::kCenterOfMassVelocity:
      return center_of_mass_velocity(model, k)[c.component];
    case ChannelKind::kKineticEnergy:
      return kinetic_energy(model, k, state.u.data());
    case ChannelKind::kGravitationalEnergy:
      return gravitational_energy(model, k);
    case ChannelKind::kElasticEnergy:
      return stored_energy(model, state, work);
    case ChannelKind::kTotalEnergy:
      return kinetic_energy(model, k, state.u.data()) + gravitational_energy(model, k) +
             stored_energy(model, state, work);
    case ChannelKind::kLinearMomentum:
      return total_momentum(model, k).f[c.component];
    default:
      return total_momentum(model, k).n[c.component];
  }
}

double spring_channel(const ModelData& model, const Workspace& work, const Channel& c) {
  const SpringState s = spring_state(model.springs[c.index], work.kinematics);
  if (c.kind == ChannelKind::kSpringLength) return s.length;
  return c.kind == ChannelKind::kSpringRate ? s.rate : s.tension;
}

double tyre_channel(const ModelData& model, const State& state, const Workspace& work, const Channel& c) {
  const TyreState s = tyre_state(model, model.tyres[c.index], work.kinematics, state.memory.data());
  constexpr double kRestSpeed = 0.1;  // [m/s]; what turns and travels slower hardly slips
  const double speed = std::max({std::abs(s.forward), std::abs(s.roll), kRestSpeed});
  switch (c.component) {
    case kTyreLoad:
      return s.load;
    case kTyreSlip:
      return std::clamp(-s.slip[0] / speed, -1.0, 1.0);
    case kTyreSlipAngle:
      return std::atan2(-s.slip[1], std::max(std::abs(s.forward), kRestSpeed));
    case kTyreForward:
      return s.force[0];
    case kTyreLateral:
      return s.force[1];
    default:
      return std::max(s.depth, 0.0);
  }
}

double distance_channel(const ModelData& model, const Workspace& work, const Channel& c) {
  const DistanceData& distance = model.distances[c.index];
  const KinematicsWork& k = work.kinematics;
  const Vec3<double> p_a = k.X_WL[distance.a.link] * distance.a.p_L, p_b = k.X_WL[distance.b.link] * distance.b.p_L;
  const double length = norm(p_b - p_a);
  if (c.kind == ChannelKind::kDistanceLength) return length;
  if (length == 0) return 0;
  return dot(p_b - p_a, point_velocity(k, distance.b.link, p_b) - point_velocity(k, distance.a.link, p_a)) / length;
}

}  // namespace

// Force along one world axis on a body where another, or any, touches it; of the step that led to the state.
double contact_force(const ModelData& model, const State& state, const Channel& c) {
  double sum = 0;
  for (const ContactMemory& m : state.contacts) {
    const int a = model.contact_shapes[m.shape_a].body, b = model.contact_shapes[m.shape_b].body;
    const auto acts_on = [&](int body, int other) {
      return body == c.index && (c.other == Channel::kAnyBody || c.other == other);
    };
    const double impulse = m.normal * m.direction[c.component] + m.tangential[c.component];
    if (acts_on(b, a)) sum += impulse;
    if (acts_on(a, b)) sum -= impulse;
  }
  return state.impulse_step > 0 ? sum / state.impulse_step : 0.0;
}

// Impulse of a ball joint's limit along one of its coordinates.
static double ball_limit_impulse(const ModelData& model, const State& state, const Workspace& work, const Channel& c) {
  double sum = 0;
  for (std::size_t i = 0; i < model.ball_limits.size(); ++i) {
    const BallLimitData& limit = model.ball_limits[i];
    const std::size_t slot = ball_limit_slot(model, i);
    if (limit.joint != c.index || slot >= state.row_impulses.size()) continue;
    sum -= along_ball_coordinate(model, limit, work.kinematics, c.component) * state.row_impulses[slot];
  }
  return sum;
}

// Of the limits of one coordinate of a joint, along it; of the step that led to the state.
double limit_force(const ModelData& model, const State& state, const Workspace& work, const Channel& c) {
  const JointData& joint = model.joints[c.index];
  double sum = joint.type == JointType::kBall ? ball_limit_impulse(model, state, work, c) : 0;
  for (std::size_t i = 0; i < model.limits.size() && limit_slot(i, true) < state.row_impulses.size(); ++i) {
    const DofRef& dof = model.limits[i].dof;
    const bool is_it = joint.closure >= 0 ? dof.closure == joint.closure && dof.k == c.component
                                          : dof.closure < 0 && dof.u_index == joint.u_index + c.component;
    if (is_it) sum += state.row_impulses[limit_slot(i, false)] - state.row_impulses[limit_slot(i, true)];
  }
  return state.impulse_step > 0 ? sum / state.impulse_step : 0.0;
}

// What holds a body that is fixed to another is no joint of the tree, nor a row.
static Force<double> joint_reaction(const ModelData& model, const State& state, const Workspace& work, int index) {
  const JointData& joint = model.joints[index];
  if (joint.link > 0 || joint.closure >= 0) return work.joint_force[index];
  const BodyData& body = model.bodies[joint.child];
  const Vec3<double> p_BoMo_B = from_eigen(model.parts->joints[index].frame_in_child.position);
  return carried_load(model, state, work, joint.child, work.kinematics.X_WL[body.link] * (body.X_LB * p_BoMo_B));
}

double channel_value(const ModelData& model, const State& state, const Workspace& work, const Channel& c) {
  switch (c.kind) {
    case ChannelKind::kTime:
      return state.t;
    case ChannelKind::kJointPosition:
      return state.q[c.index];
    case ChannelKind::kJointVelocity:
      return state.u[c.index];
    case ChannelKind::kJointAcceleration:
      return work.du[c.index];
    case ChannelKind::kJointForce:
      return work.tau[c.index];
    case ChannelKind::kClosurePosition:
      return state.closure_q[c.index];
    case ChannelKind::kClosureQuaternion: {
      const ClosureFrames frames = closure_frames(model.closures[c.index], work.kinematics.X_WL.data());
      return quaternion_component(transpose(frames.X_WF.R) * frames.X_WM.R, c.component);
    }
    case ChannelKind::kClosureVelocity:
      return closure_rate(model, work.kinematics, c.index, c.component);
    case ChannelKind::kClosureAcceleration:
      return closure_acceleration(model, work, c.index, c.component);
    case ChannelKind::kClosureForce:
      return closure_force(model, work, c.index, c.component);
    case ChannelKind::kPointPosition:
    case ChannelKind::kPointVelocity:
    case ChannelKind::kPointAcceleration:
    case ChannelKind::kPointQuaternion:
    case ChannelKind::kPointAxis:
    case ChannelKind::kPointAngularVelocity:
    case ChannelKind::kPointAngularAcceleration:
    case ChannelKind::kPointVelocityLocal:
    case ChannelKind::kPointAccelerationLocal:
    case ChannelKind::kPointAngularVelocityLocal:
    case ChannelKind::kPointAngularAccelerationLocal:
    case ChannelKind::kPointSpecificForce:
    case ChannelKind::kPointLoad:
    case ChannelKind::kPointTouch:
    case ChannelKind::kPointRange:
      return point_value(model, state, work, c);
    case ChannelKind::kRelativePosition:
    case ChannelKind::kRelativeVelocity:
    case ChannelKind::kRelativeQuaternion:
    case ChannelKind::kRelativeAxis:
    case ChannelKind::kRelativeAngularVelocity:
      return relative_value(model, work.kinematics, c);
    case ChannelKind::kSubtreeMass:
    case ChannelKind::kSubtreeCenter:
    case ChannelKind::kSubtreeVelocity:
    case ChannelKind::kSubtreeAngularMomentum:
      return subtree_value(model, work.kinematics, c);
    case ChannelKind::kBodyLoad: {
      const Force<double> load = body_load(model, work, c.index);
      return c.component < 3 ? load.f[c.component] : load.n[c.component - 3];
    }
    case ChannelKind::kGravity:
      return model.gravity[c.component];
    case ChannelKind::kLimitForce:
      return limit_force(model, state, work, c);
    case ChannelKind::kSpringLength:
    case ChannelKind::kSpringRate:
    case ChannelKind::kSpringForce:
      return spring_channel(model, work, c);
    case ChannelKind::kDistanceLength:
    case ChannelKind::kDistanceRate:
      return distance_channel(model, work, c);
    case ChannelKind::kTendonRate:
      return coordinate_rate({-1, -1, -1, 0, c.index}, model, state.u.data(), work.kinematics);
    case ChannelKind::kTendonTension:
      return -work.tendon_force[c.index];
    case ChannelKind::kInput:
      return state.inputs[c.index];
    case ChannelKind::kController:
      return state.memory[c.index];
    case ChannelKind::kTyre:
      return tyre_channel(model, state, work, c);
    case ChannelKind::kMotorForce:
      return work.motor_force[c.index];
    case ChannelKind::kJointReaction: {
      const Force<double> force = joint_reaction(model, state, work, c.index);
      return c.component < 3 ? force.f[c.component] : force.n[c.component - 3];
    }
    case ChannelKind::kContactForce:
      return contact_force(model, state, c);
    case ChannelKind::kEnergyBalance:
      return work.energy_terms[c.component];
    case ChannelKind::kMomentumBalance:
      return work.momentum_terms[6 * c.index + c.component];
    case ChannelKind::kActuatorControl:
      return work.actuator_control[c.index];
    case ChannelKind::kActuatorForce:
      return model.actuators[c.index].size * work.actuator_control[c.index];
    default:
      return system_channel(model, state, work, c);
  }
}

double expression_value(const ModelData& model, const State& state, Workspace& work, const ChannelExpression& e) {
  for (std::size_t k = 0; k < e.channels.size(); ++k) work.slots[k] = channel_value(model, state, work, e.channels[k]);
  return e.expression.evaluate({work.slots.data(), e.channels.size()});
}

double table_value(const Table& table, double t) {
  const auto next = std::upper_bound(table.times.begin(), table.times.end(), t);
  if (next == table.times.begin()) return table.values.front();
  if (next == table.times.end()) return table.values.back();
  const std::size_t k = next - table.times.begin();
  const double s = (t - table.times[k - 1]) / (table.times[k] - table.times[k - 1]);
  return table.values[k - 1] + s * (table.values[k] - table.values[k - 1]);
}

double signal_value(const ModelData& model, const State& state, Workspace& work, const SignalData& signal) {
  if (const double* constant_value = std::get_if<double>(&signal)) return *constant_value;
  if (const Table* table = std::get_if<Table>(&signal)) return table_value(*table, state.t);
  const double value = expression_value(model, state, work, std::get<ChannelExpression>(signal));
  work.saw_nan = work.saw_nan || std::isnan(value);
  return value;
}

bool looks_at_kinematics(const SignalData& signal) {
  const auto* e = std::get_if<ChannelExpression>(&signal);
  return e && e->need() != ChannelNeed::kState;
}

}  // namespace lipkin
