#include "forces/channel_rates.hpp"

#include <algorithm>
#include <cmath>

#include "forces/channel_values.hpp"
#include "spatial/quaternion.hpp"
#include "tree/local_coordinates.hpp"

namespace lipkin {

namespace {

// dq/dt = q (0, w) / 2 for w along the turned axes.
double quaternion_rate(const double* q, const Vec3<double>& w, int component) {
  const Quaternion<double> turn{0, w[0], w[1], w[2]};
  double rate[4];
  (Quaternion<double>::from(q) * turn).store(rate);
  return 0.5 * rate[component];
}

double coordinate_rate_at(const ModelData& model, const State& state, int q_index) {
  const auto behind = [&](const Link& link) { return link.q_index > q_index; };
  auto link = std::find_if(model.links.begin() + 1, model.links.end(), behind) - 1;
  const JointCoordinates c = coordinates_of(link->kind);
  const int k = q_index - link->q_index;
  if (k < c.scalars) return state.u[link->u_index + k];
  const double* w = state.u.data() + link->u_index + c.scalars;
  return quaternion_rate(state.q.data() + link->q_index + c.scalars, {{w[0], w[1], w[2]}}, k - c.scalars);
}

// Coordinates of joints that close loops, and of tendons.
double dependent_rate(const ModelData& model, const State& state, const Workspace& work, int index) {
  for (std::size_t i = 0; i < model.tendons.size(); ++i)
    if (model.tendons[i].coordinate_index == index)
      return channel_value(model, state, work, {ChannelKind::kTendonRate, static_cast<int>(i), 0});
  const auto before = [&](const ClosureData& c) { return c.coordinate_index <= index; };
  const auto closure = std::find_if(model.closures.rbegin(), model.closures.rend(), before);
  const int number = static_cast<int>(model.closures.rend() - closure) - 1;
  return channel_value(model, state, work, {ChannelKind::kClosureVelocity, number, index - closure->coordinate_index});
}

struct Reader {
  const ModelData& model;
  const State& state;
  const Workspace& work;
  Channel channel;

  double value(ChannelKind kind, int component) const {
    Channel c = channel;
    c.kind = kind;
    c.component = component;
    return channel_value(model, state, work, c);
  }
  double same(ChannelKind kind) const { return value(kind, channel.component); }
  Vec3<double> vector(ChannelKind kind, int first = 0) const {
    return {{value(kind, first), value(kind, first + 1), value(kind, first + 2)}};
  }
  double axis_rate(ChannelKind angular_velocity) const {
    const int first = channel.component - channel.component % 3;
    return cross(vector(angular_velocity), vector(channel.kind, first))[channel.component % 3];
  }
  // dq/dt = (0, w) q / 2 for w along the axes that do not turn.
  double quaternion_rate_of(const Vec3<double>& w) const {
    double q[4], rate[4];
    for (int k = 0; k < 4; ++k) q[k] = value(channel.kind, k);
    const Quaternion<double> turn{0, w[0], w[1], w[2]};
    (turn * Quaternion<double>::from(q)).store(rate);
    return 0.5 * rate[channel.component];
  }
};

Vec3<double> closure_turning(const ModelData& model, const KinematicsWork& k, int index) {
  const ClosureData& c = model.closures[index];
  const Mat3<double> R_WF = k.X_WL[c.link_a].R * c.X_AF.R;
  return transpose_times(R_WF, k.V_WL[c.link_b].w - k.V_WL[c.link_a].w);
}

SignalMotion table_ahead(const Table& table, double t) {
  const auto next = std::upper_bound(table.times.begin(), table.times.end(), t);
  if (next == table.times.begin() || next == table.times.end()) return {table_value(table, t), 0};
  const std::size_t k = next - table.times.begin();
  return {table_value(table, t), (table.values[k] - table.values[k - 1]) / (table.times[k] - table.times[k - 1])};
}

// Values and rates of what an expression reads.
void lead_slots(const ModelData& model, const State& state, double ahead, Workspace& work, const ChannelExpression& e) {
  for (std::size_t k = 0; k < e.channels.size(); ++k) {
    work.slot_rates[k] = channel_rate(model, state, work, e.channels[k]).value_or(0);
    work.slots[k] = channel_value(model, state, work, e.channels[k]) + ahead * work.slot_rates[k];
  }
}

}  // namespace

std::optional<double> channel_rate(const ModelData& model, const State& state, const Workspace& work,
                                   const Channel& c) {
  const Reader at{model, state, work, c};
  switch (c.kind) {
    case ChannelKind::kTime:
      return 1;
    case ChannelKind::kJointPosition:
      return coordinate_rate_at(model, state, c.index);
    case ChannelKind::kClosurePosition:
      return dependent_rate(model, state, work, c.index);
    case ChannelKind::kClosureQuaternion:
      return at.quaternion_rate_of(closure_turning(model, work.kinematics, c.index));
    case ChannelKind::kPointPosition:
      return at.same(ChannelKind::kPointVelocity);
    case ChannelKind::kPointQuaternion:
      return at.quaternion_rate_of(at.vector(ChannelKind::kPointAngularVelocity));
    case ChannelKind::kPointAxis:
      return at.axis_rate(ChannelKind::kPointAngularVelocity);
    case ChannelKind::kRelativePosition:
      return at.same(ChannelKind::kRelativeVelocity);
    case ChannelKind::kRelativeQuaternion:
      return at.quaternion_rate_of(at.vector(ChannelKind::kRelativeAngularVelocity));
    case ChannelKind::kRelativeAxis:
      return at.axis_rate(ChannelKind::kRelativeAngularVelocity);
    case ChannelKind::kSubtreeCenter:
      return at.same(ChannelKind::kSubtreeVelocity);
    case ChannelKind::kCenterOfMass:
      return at.same(ChannelKind::kCenterOfMassVelocity);
    case ChannelKind::kSpringLength:
      return at.same(ChannelKind::kSpringRate);
    case ChannelKind::kDistanceLength:
      return at.same(ChannelKind::kDistanceRate);
    case ChannelKind::kInput:
    case ChannelKind::kGravity:
    case ChannelKind::kSubtreeMass:
      return 0;
    default:
      return std::nullopt;
  }
}

SignalMotion signal_ahead(const ModelData& model, const State& state, double ahead, Workspace& work,
                          const SignalData& signal) {
  if (const double* constant_value = std::get_if<double>(&signal)) return {*constant_value, 0};
  if (const Table* table = std::get_if<Table>(&signal)) return table_ahead(*table, state.t + ahead);
  const auto& e = std::get<ChannelExpression>(signal);
  lead_slots(model, state, ahead, work, e);
  const std::size_t count = e.channels.size();
  const auto motion = e.expression.evaluate_with_rate({work.slots.data(), count}, {work.slot_rates.data(), count});
  work.saw_nan = work.saw_nan || std::isnan(motion.value);
  return {motion.value, motion.rate};
}

double signal_value_ahead(const ModelData& model, const State& state, double ahead, Workspace& work,
                          const SignalData& signal) {
  if (const double* constant_value = std::get_if<double>(&signal)) return *constant_value;
  if (const Table* table = std::get_if<Table>(&signal)) return table_value(*table, state.t + ahead);
  const auto& e = std::get<ChannelExpression>(signal);
  lead_slots(model, state, ahead, work, e);
  const double value = e.expression.evaluate({work.slots.data(), e.channels.size()});
  work.saw_nan = work.saw_nan || std::isnan(value);
  return value;
}

}  // namespace lipkin
