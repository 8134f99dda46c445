#include "constraints/law_rows.hpp"

#include <algorithm>
#include <cmath>

#include "base/fetch.hpp"
#include "base/infinity.hpp"
#include "constraints/reaction_loads.hpp"
#include "forces/ball_turn.hpp"
#include "forces/evaluate_forces.hpp"
#include "forces/regularised_forces.hpp"
#include "model/eigen_convert.hpp"

namespace lipkin {

namespace {

// Below this approach speed nothing bounces; from kBounceSpeed on the full restitution acts (SCENES.md, variant R).
constexpr double kRestSpeed = 1e-3, kBounceSpeed = 1e-2;  // [m/s] or [rad/s]

// A contact slips where its friction reached this part of the limit, and it moves: of several contacts that hold
// together, one may carry all that it can and stick with the others.
constexpr double kSlipping = 1 - 1e-9;

// Contacts closer than this part of the smallest shape act in any case: the impulses of other rows may close them.
constexpr double kNearContact = 1e-2;
// Depths of contacts up to this part of the smallest shape are left alone.
constexpr double kContactSlop = 5e-5;

// Limits within this distance act in any case: something else may push the joint there [rad] or [m].
constexpr double kNear = 1e-2;
// Further ones that an impact drives a joint through, by more than this [rad] or [m].
constexpr double kMissed = 1e-6;

// Of a ball about the shape's origin that holds it [m]; infinite for shapes without end.
double radius_of(const ShapeSphere& s) { return s.radius; }
double radius_of(const ShapeBox& s) { return 0.5 * s.size.norm(); }
double radius_of(const ShapeCylinder& s) { return std::hypot(s.radius, 0.5 * s.length); }
double radius_of(const ShapeCapsule& s) { return s.radius + 0.5 * s.length; }
double radius_of(const ShapeFrustum& s) { return std::hypot(std::max(s.bottom_radius, s.top_radius), s.height); }
double radius_of(const std::vector<Eigen::Vector3d>& points) {
  double radius = 0;
  for (const Eigen::Vector3d& p : points) radius = std::max(radius, p.norm());
  return radius;
}
double radius_of(const ShapeHull& s) { return radius_of(s.points); }
double radius_of(const ShapeMesh& s) { return radius_of(s.vertices); }
double radius_of(const ShapePlane&) { return kInfinity; }
double radius_of(const ShapeCup&) { return kInfinity; }
double radius_of(const ShapeHeightField&) { return kInfinity; }

// The coordinate that a row is of; none: it is between two links.
const DofRef* coordinate_of_row(const ModelData& model, const RowSlot& row) {
  switch (row.kind) {
    case RowKind::kLimitLower:
    case RowKind::kLimitUpper:
      return &model.limits[row.index].dof;
    case RowKind::kFriction:
      return &model.joint_frictions[row.index].dof;
    case RowKind::kMotor:
      return &model.motors[row.index].dof;
    case RowKind::kSpring:
      return &model.row_springs[row.index].dof;
    default:
      return nullptr;
  }
}

}  // namespace

// Where the positions come first, what pressed in the last step may have been drawn apart by what positions do beside
// the velocities: terms of second order of the motion, and the projection onto drives and loops. Left alone it would
// fall for a step and strike in the next, at any step size. It stays closed where it would close again by itself.
// near: a gap that counts as closed.
bool LawRows::stays_closed(const RowContext& context, double gap, double rate_free, double near) {
  return gap > near && gap - near + kLookAhead * context.h * rate_free < 0;
}

// The rate wanted of a unilateral row: it may close its gap within the step but not more; where it would, and comes in
// fast enough, it leaves with the restitution of its speed (Newton).
double LawRows::wanted_rate(const RowContext& context, double gap, double rate_free, double rate_before,
                            double restitution) {
  const bool has_way = context.timing == ContactTiming::kAhead && gap > context.touching;
  const double closing = has_way ? -gap / context.h : 0.0;
  if (restitution <= 0 || rate_free > closing || rate_before >= -kRestSpeed) return closing;
  const double blend = std::clamp((-rate_before - kRestSpeed) / (kBounceSpeed - kRestSpeed), 0.0, 1.0);
  return std::max(closing, -restitution * blend * rate_before);
}

LawRows::LawRows(const ModelData& model, const ZLayout& layout) : layout_(layout), gaps_(model) {
  for (const RowSlot& slot : row_slots(model)) {
    const DofRef* dof = coordinate_of_row(model, slot);
    items_.push_back({slot.kind, slot.index, dof ? static_cast<int>(dof_rows_.size()) : -1});
    if (dof) dof_rows_.emplace_back(model, layout_, *dof);
  }
  const auto turns = [&](const RowSpringData& s) { return s.dof.tendon >= 0 && rate_may_change(s.dof, model); };
  if (std::any_of(model.row_springs.begin(), model.row_springs.end(), turns))
    ahead_.emplace(Ahead{std::vector<double>(model.q_count), KinematicsWork(model)});
  if (model.contact_shapes.empty()) return;
  for (std::size_t i = 0; i < model.links.size(); ++i)
    flies_.push_back(i > 0 && model.links[i].kind == LinkKind::kFree &&
                     layout.cluster_of_link(static_cast<int>(i)) < 0);
  double smallest = kInfinity;
  for (const ContactShapeData& s : model.contact_shapes) {
    owner_.push_back({s.link, s.material});
    radius_.push_back(std::visit([](const auto& geometry) { return radius_of(geometry); }, s.geometry));
    smallest = std::min(smallest, radius_.back());
  }
  near_ = smallest < kInfinity ? kNearContact * smallest : 0;
}

void LawRows::collect(const RowContext& context, Problem& problem) {
  problem.is_familiar = context.state.impulse_step > 0;
  block_item_.assign(problem.blocks.size(), -2);
  block_gap_.assign(problem.blocks.size(), 0.0);
  worst_penetration_ = 0;
  contact_count_ = 0;
  contact_rows_.clear();
  undetermined_.clear();
  driven_in_ = {};
  BlockWriter writer = writer_for(context, problem);
  collect_items(context, writer, problem);
  if (gaps_.empty()) return;
  collect_contacts(context, writer, problem);
  if (context.eliminated) give_contacts_way(context, problem);
}

bool LawRows::find_missed_limits(const RowContext& context, const double* du, const Motion<double>* dV) {
  if (context.timing != ContactTiming::kAhead) return false;
  bool any = false;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    if ((item.kind != Kind::kLimitLower && item.kind != Kind::kLimitUpper) || missed_[i]) continue;
    const DofRow& row = dof_rows_[item.dof_row];
    const double sign = item.kind == Kind::kLimitUpper ? -1 : 1;
    const double rate = sign * row.rate(context.u_free, context.V_free);
    const double rate_before = sign * row.rate(context.state.u.data(), context.work.kinematics.V_WL.data());
    const Wanted wanted = wanted_of(context, static_cast<int>(i), rate, rate_before);
    if (wanted.active || wanted.gap + context.h * (rate + sign * row.rate(du, dV)) >= -kMissed) continue;
    missed_[i] = 1;
    any = true;
  }
  return any;
}

BlockWriter LawRows::writer_for(const RowContext& context, Problem& problem) const {
  BlockWriter writer(context.model, layout_, context.whitener, context.eliminated, context.work, problem);
  if (context.whole_rows) writer.keep_whole_rows(*context.whole_rows);
  return writer;
}

void LawRows::collect_items(const RowContext& context, BlockWriter& writer, Problem& problem) {
  for (DofRow& row : dof_rows_) row.update(context.model, context.work.kinematics);
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    if (item.dof_row < 0) {
      add_spatial_block(context, item, static_cast<int>(i), writer, problem);
      continue;
    }
    const DofRow& row = dof_rows_[item.dof_row];
    const double sign = item.kind == Kind::kLimitUpper ? -1 : 1;
    const double rate = sign * row.rate(context.u_free, context.V_free);
    const double rate_before = sign * row.rate(context.state.u.data(), context.work.kinematics.V_WL.data());
    const Wanted wanted = wanted_of(context, static_cast<int>(i), rate, rate_before);
    if (wanted.active || missed_[i]) add_joint_block(context, item, sign, wanted, static_cast<int>(i), writer, problem);
  }
}

LawRows::Wanted LawRows::limit_wanted(const RowContext& context, int slot, double gap, double rate, double rate_before,
                                      double restitution) {
  Wanted w;
  w.gap = gap;
  const std::vector<double>& last = context.state.row_impulses;
  if (context.timing == ContactTiming::kClosed && gap > 0 && slot < static_cast<int>(last.size()) && last[slot] > 0 &&
      stays_closed(context, gap, rate, 0)) {
    w.b = rate + gap / context.h;
    w.hi = kInfinity;
    return w;
  }
  w.active = gap <= 0 || (context.timing == ContactTiming::kAhead &&
                          gap < kLookAhead * context.h * (std::abs(rate) + std::abs(rate_before)) + kNear);
  w.b = rate - wanted_rate(context, gap, rate, rate_before, restitution);
  w.hi = kInfinity;
  return w;
}

LawRows::Wanted LawRows::wanted_of(const RowContext& context, int slot, double rate, double rate_before) const {
  const Item& item = items_[static_cast<std::size_t>(slot)];
  const ModelData& model = context.model;
  const double h = context.h;
  const double q =
      coordinate_of(dof_rows_[item.dof_row].dof(), model, context.state.q.data(), context.state.closure_q.data());
  Wanted w;
  w.b = rate;
  switch (item.kind) {
    case Kind::kLimitLower: {
      const LimitData& limit = model.limits[item.index];
      return limit_wanted(context, slot, q - limit.lower, rate, rate_before, limit.restitution);
    }
    case Kind::kLimitUpper: {
      const LimitData& limit = model.limits[item.index];
      return limit_wanted(context, slot, limit.upper - q, rate, rate_before, limit.restitution);
    }
    case Kind::kFriction:
      w.hi = h * model.joint_frictions[item.index].force;
      w.active = w.hi > 0;
      break;
    case Kind::kMotor: {
      const MotorData& motor = model.motors[item.index];
      const double target = context.targets.value[item.index];
      w.hi = h * motor.max_force * context.targets.effort[item.index];
      w.lo = std::isnan(motor.min_force) ? -w.hi : h * motor.min_force * context.targets.effort[item.index];
      w.active = w.hi > w.lo;
      if (motor.servo) {
        // Lambda = h k (target - q - h gamma) + h d (target rate - gamma); a servo of a speed has no k
        const double K = h * (motor.damping + h * motor.stiffness);
        const double spring = motor.kind == MotorKind::kPosition ? motor.stiffness * (target - q) : 0;
        const double push = h * (spring + motor.damping * context.targets.rate[item.index]);
        w.active = w.active && K > 0;
        w.compliance = w.active ? 1 / K : 0;
        w.b -= push * w.compliance;
      } else {
        w.b -= motor.kind == MotorKind::kPosition ? (target - q) / h : target;
      }
      return w;
    }
    case Kind::kSpring: {
      const RowSpringData& s = model.row_springs[item.index];
      // Lambda = a (rate before - h dJ/dt u - gamma) - h d gamma - h (elastic force + h k gamma)
      const RowElasticity elastic = row_elasticity(model, item.index, q, context.state.closure_q.data());
      const double K = s.armature + h * (s.damping + h * elastic.stiffness);
      w.active = K > 0;
      w.compliance = w.active ? 1 / K : 0;
      w.b -= (s.armature * (rate_before - h * rate_change(context, s)) - h * elastic.force) * w.compliance;
      w.hi = kInfinity;
      break;
    }
    default:
      break;
  }
  w.lo = -w.hi;
  return w;
}

// What the rate of a coordinate with a rotor gains at constant velocities. Joints of the tree have no such term; those
// that were cut into rows, between bodies that fly free, have, and tendons over joints that are rows or strings.
double LawRows::rate_change(const RowContext& context, const RowSpringData& s) const {
  if (s.armature == 0 || !rate_may_change(s.dof, context.model)) return 0;
  if (s.dof.closure >= 0)
    return closure_rate_change(context.model.closures[s.dof.closure], context.work.kinematics, s.dof.k);
  return coordinate_rate_change(s.dof, context.model, context.state.q.data(), context.state.u.data(), 0.5 * context.h,
                                ahead_->q.data(), ahead_->kinematics);
}

void LawRows::add_joint_block(const RowContext& context, const Item& item, double sign, const Wanted& wanted, int slot,
                              BlockWriter& writer, Problem& problem) {
  const DofRow& row = dof_rows_[item.dof_row];
  Block& block = writer.open(LawKind::kInterval, 1, row.links());
  block.lo = wanted.lo;
  block.hi = wanted.hi;
  problem.compliance[block.row_begin] = wanted.compliance;
  writer.add(row, sign);
  finish_single(context, wanted, slot, writer, problem);
}

// The right-hand side and warm start of a block of one row.
void LawRows::finish_single(const RowContext& context, const Wanted& wanted, int slot, BlockWriter& writer,
                            Problem& problem) {
  writer.close();
  const Block& block = problem.blocks.back();
  problem.b[block.row_begin] = wanted.b;
  const State& state = context.state;
  if (state.impulse_step > 0 && slot < static_cast<int>(state.row_impulses.size())) {
    problem.lambda[block.row_begin] =
        std::clamp(state.row_impulses[slot] * context.h / state.impulse_step, block.lo, block.hi);
  } else {
    problem.is_familiar = false;
  }
  if (follows_from_motion(writer, wanted, problem)) undetermined_.push_back(slot);
  block_item_.push_back(slot);
  block_gap_.push_back(wanted.gap);
}

LawRows::SpatialLimit LawRows::rope_limit(const DistanceData& d, Kind kind, const KinematicsWork& k) {
  const Vec3<double> p_a = k.X_WL[d.a.link] * d.a.p_L, p_b = k.X_WL[d.b.link] * d.b.p_L;
  const double length = norm(p_b - p_a);
  const bool upper = kind == Kind::kRopeUpper;
  const double sign = upper ? -1 : 1;  // an upper bound opens when the points come together
  const Vec3<double> direction = length > 0 ? (sign / length) * (p_b - p_a) : sign * Vec3<double>::unit(0);
  SpatialLimit limit;
  limit.rows.clear(d.a.link, d.b.link);
  limit.rows.add_linear(k, direction, p_a, p_b);
  limit.gap = upper ? d.upper - length : length - d.lower;
  limit.restitution = d.restitution;
  return limit;
}

// The angle of a rotation grows with the part of the angular velocity along its axis.
LawRows::SpatialLimit LawRows::ball_limit(const BallLimitData& ball, const KinematicsWork& k) {
  const BallTurn turn = ball_turn(ball, k.X_WL.data());
  SpatialLimit limit;
  limit.rows.clear(ball.link_a, ball.link_b);
  limit.rows.add_angular(-turn.axis);
  limit.gap = ball.angle - turn.angle;
  limit.restitution = ball.restitution;
  return limit;
}

LawRows::SpatialLimit LawRows::spatial_limit(const ModelData& model, const Item& item, const KinematicsWork& k) {
  return item.kind == Kind::kBallLimit ? ball_limit(model.ball_limits[item.index], k)
                                       : rope_limit(model.distances[item.index], item.kind, k);
}

void LawRows::add_spatial_block(const RowContext& context, const Item& item, int slot, BlockWriter& writer,
                                Problem& problem) {
  const KinematicsWork& k = context.work.kinematics;
  const SpatialLimit limit = spatial_limit(context.model, item, k);
  const int a = limit.rows.link_a, b = limit.rows.link_b;
  double rate, rate_before;
  limit.rows.rates(context.V_free[a], context.V_free[b], &rate);
  limit.rows.rates(k.V_WL[a], k.V_WL[b], &rate_before);
  const Wanted wanted = limit_wanted(context, slot, limit.gap, rate, rate_before, limit.restitution);
  if (!wanted.active) return;
  Block& block = writer.open(LawKind::kInterval, 1, {a, b});
  block.lo = 0;
  block.hi = kInfinity;
  writer.add(limit.rows);
  finish_single(context, wanted, slot, writer, problem);
}

void LawRows::remember(const Problem& problem, double h, State& state) {
  state.impulse_step = h;
  state.row_impulses.assign(items_.size(), 0.0);
  for (std::size_t i = 0; i < block_item_.size(); ++i)
    if (block_item_[i] >= 0) state.row_impulses[block_item_[i]] = problem.lambda[problem.blocks[i].row_begin];
  replaced_.swap(state.contacts);
  has_replaced_ = true;
  state.contacts.clear();
  for (const ContactRow& contact : contact_rows_) {
    const Block& block = problem.blocks[contact.block];
    const double* lambda = problem.lambda.data() + block.row_begin;
    const ContactPoint& p = points_[contact.point];
    fetch_behind<1>(state.contacts, kFetchAhead);
    ContactMemory m;
    m.shape_a = p.shape_a, m.shape_b = p.shape_b, m.feature = p.feature;
    m.normal = lambda[0];
    m.direction = Eigen::Vector3d(p.normal[0], p.normal[1], p.normal[2]);
    m.point = 0.5 * Eigen::Vector3d(p.p_A[0] + p.p_B[0], p.p_A[1] + p.p_B[1], p.p_A[2] + p.p_B[2]);
    const ContactFrame frame(p.normal);
    const auto in_plane = [&](double x, double y) {
      const Vec3<double> v = x * frame.t1 + y * frame.t2;
      return Eigen::Vector3d(v[0], v[1], v[2]);
    };
    if (block.row_count >= 3) {
      m.tangential = in_plane(lambda[1], lambda[2]);
      const double most = kSlipping * block.mu * lambda[0];
      m.slips = lambda[1] * lambda[1] + lambda[2] * lambda[2] >= most * most;
    }
    if (block.row_count >= 4) m.spin = lambda[3];
    if (block.row_count >= 6) m.rolling = in_plane(lambda[4], lambda[5]);
    state.contacts.push_back(m);
  }
}

void LawRows::react(const ModelData& model, const State& state, Workspace& work) const {
  const double per_step = 1 / state.impulse_step;
  for (std::size_t i = 0; i < items_.size() && i < state.row_impulses.size(); ++i) {
    const Item& item = items_[i];
    const double force = state.row_impulses[i] * per_step;
    if (force == 0) continue;
    if (item.kind == Kind::kMotor) work.motor_force[item.index] = force;
    if (item.dof_row >= 0) {
      const double sign = item.kind == Kind::kLimitUpper ? -1 : 1;
      load_coordinate(model, dof_rows_[item.dof_row].dof(), sign * force, work);
      continue;
    }
    if (item.kind == Kind::kBallLimit) {
      load_ball_limit(model, model.ball_limits[item.index], force, work);
    } else {
      load_rows(spatial_limit(model, item, work.kinematics).rows, &force, work);
    }
  }
  if (gaps_.empty()) return;  // contacts that are forces are among the loads already
  for (const ContactMemory& m : state.contacts) {
    const Vec3<double> force = per_step * from_eigen(Eigen::Vector3d(m.normal * m.direction + m.tangential));
    const Vec3<double> torque = per_step * from_eigen(Eigen::Vector3d(m.spin * m.direction + m.rolling));
    load_link(work, model.contact_shapes[m.shape_b].link, from_eigen(m.point), force, torque);
    load_link(work, model.contact_shapes[m.shape_a].link, from_eigen(m.point), -force, -torque);
  }
}

void LawRows::collect_corrections(const Problem& problem, double h, double factor, double slop,
                                  Problem& corrections) const {
  const auto is_unilateral_item = [&](std::size_t i) {
    return block_item_[i] >= 0 && problem.blocks[i].law == LawKind::kInterval && problem.blocks[i].lo == 0;
  };
  const std::size_t before = corrections.blocks.size();
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    if (block_item_[i] != -1 && !is_unilateral_item(i)) continue;
    const double left_alone = block_item_[i] == -1 ? kContactSlop / kNearContact * near_ : slop;
    if (block_gap_[i] >= -left_alone) continue;
    // Half of it: then it is left alone.
    add_correction(problem, problem.blocks[i], factor * (block_gap_[i] + 0.5 * left_alone) / h, corrections);
  }
  if (corrections.blocks.size() == before) return;
  for (std::size_t i = 0; i < problem.blocks.size(); ++i)  // nothing is pushed through a limit on the way
    if (is_unilateral_item(i) && block_gap_[i] >= -slop)
      add_correction(problem, problem.blocks[i], std::max(block_gap_[i], 0.0) / h, corrections);
}

void LawRows::add_correction(const Problem& problem, const Block& from, double rate, Problem& corrections) {
  Block block = from;
  block.law = LawKind::kInterval;
  block.lo = 0;
  block.hi = kInfinity;
  block.row_begin = static_cast<int>(corrections.b.size());
  block.row_count = 1;
  block.run_begin = static_cast<int>(corrections.runs.size());
  block.y_begin = corrections.y.size();
  corrections.runs.insert(corrections.runs.end(), problem.runs.begin() + from.run_begin,
                          problem.runs.begin() + from.run_begin + from.run_count);
  const auto y = problem.y.begin() + static_cast<std::ptrdiff_t>(from.y_begin);
  corrections.y.insert(corrections.y.end(), y, y + from.width);
  corrections.b.push_back(rate);
  corrections.compliance.push_back(0);
  corrections.lambda.push_back(0);
  corrections.blocks.push_back(block);
}

}  // namespace lipkin
