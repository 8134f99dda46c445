#include "audit/law_audit.hpp"

#include <fmt/format.h>

#include "audit/audited_coordinate.hpp"
#include "model/eigen_convert.hpp"
#include "model/mechanism_size.hpp"
#include "model/tendon_path.hpp"

namespace lipkin {

namespace {

constexpr double kSlides = 1e-6;       // slower, and contacts may stick [m/s]
constexpr double kBeyondBound = 1e-9;  // of a bound: rounding
constexpr double kTouches = 2e-5;      // times the size of the mechanism: solvers may count such a gap as closed
constexpr double kGravity = 9.81;      // [m/s²]
constexpr double kLeastSpeed = 1e-9;   // impulses that give the whole mechanism less are rounding [m/s]
// What an impulse counts that has the wrong sign, or is there where the law has none: nothing to compare it with [m/s].
constexpr double kImpossible = 1;

// Speed of a point between two others' [m/s]; growing apart.
double rate_between(const DistanceData& d, const LawAudit::Solved& s, double& length) {
  const Vec3<double> r_A = s.X_WL[d.a.link].R * d.a.p_L, r_B = s.X_WL[d.b.link].R * d.b.p_L;
  const Vec3<double> way = s.X_WL[d.b.link].p + r_B - s.X_WL[d.a.link].p - r_A;
  const Vec3<double> v =
      s.V_WL[d.b.link].v + cross(s.V_WL[d.b.link].w, r_B) - s.V_WL[d.a.link].v - cross(s.V_WL[d.a.link].w, r_A);
  length = norm(way);
  return length > 0 ? dot(v, way) / length : 0;
}

double rate_of(const ModelData& model, const DofRef& dof, const LawAudit::Solved& s) {
  return rate_of(model, dof, AuditedMotion{s.X_WL, s.V_WL, s.u});
}

// An impulse in [lo, hi] against sliding at `rate`. full: the largest that the bounds may be, of which others are a
// part that time tells: what rounding of the time makes of it is no violation.
double interval_violation(double rate, double impulse, double lo, double hi, double full) {
  if (impulse == (rate > 0 ? lo : hi) && rate != 0) return 0;  // at its bound against the sliding
  const double width = hi - lo;
  if (!(width > kBeyondBound * full)) return std::abs(impulse) > kBeyondBound * full ? kImpossible : 0;  // no force
  const double beyond = std::max(lo - impulse, impulse - hi) / width;
  const double off = std::clamp((rate > 0 ? impulse - lo : hi - impulse) / width, 0.0, 1.0);
  return std::max(std::abs(rate) * off, beyond > kBeyondBound ? beyond : 0.0);
}

// A spring and damper with force = k (value - q) + d (rate - gamma) taken where the step leads, q + h gamma:
//   Lambda(gamma) = h (k (value - q) + d rate) - K gamma,  K = h (d + h k),
// cut off at its bounds. Off by the speed that would give the impulse that was found.
double servo_violation(const MotorData& motor, double offset, double rate_wanted, double rate, double impulse,
                       double lo, double hi, double h) {
  const double K = h * (motor.damping + h * motor.stiffness);
  if (!(K > 0)) return impulse == 0 ? 0 : kImpossible;
  const double pull = h * (motor.stiffness * offset + motor.damping * rate_wanted) - K * rate;
  return std::abs(impulse - std::clamp(pull, lo, hi)) / K;
}

// A gap that may close within the step (or must not close further), and presses where there is an impulse: it closes
// then, and is not held from afar.
double unilateral_violation(double gap, double rate, double impulse, double restitution, double touching,
                            const LawAudit::Solved& s) {
  if (impulse < 0) return kImpossible;
  if (!s.ahead && gap > 0 && !(impulse > 0)) return 0;
  const double least = gap > 0 ? -gap / s.h : 0.0;
  if (rate < least) return least - rate;
  if (!(impulse > 0) || restitution > 0) return 0;
  return gap > touching ? rate - least : std::max(rate, 0.0);
}

// Whether the rate of a row is that of links, not a velocity of the tree.
bool turns_with_links(const ModelData& model, const RowSlot& row) {
  switch (row.kind) {
    case RowKind::kLimitLower:
    case RowKind::kLimitUpper:
      return !model.limits[row.index].dof.is_in_tree();
    case RowKind::kFriction:
      return !model.joint_frictions[row.index].dof.is_in_tree();
    case RowKind::kMotor:
      return !model.motors[row.index].dof.is_in_tree();
    case RowKind::kBallLimit:
      return false;
    default:
      return true;
  }
}

}  // namespace

LawAudit::LawAudit(const ModelData& model, bool tree_friction_is_force) : touching_(kTouches * mechanism_size(model)) {
  for (const RigidInertia<double>& inertia : model.rigid_inertia) mass_ += inertia.m;
  weight_ = kGravity * mass_ * std::max(mechanism_size(model), 1.0);
  const std::vector<RowSlot> slots = row_slots(model, tree_friction_is_force);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const RowSlot& row = slots[i];
    if (row.kind == RowKind::kSpring) continue;  // its law is not checked
    const int item = item_count();
    items_.push_back({row.kind, row.index, static_cast<int>(i)});
    const bool is_limit = row.kind == RowKind::kLimitLower || row.kind == RowKind::kLimitUpper;
    const DofRef* dof = is_limit ? &model.limits[row.index].dof : nullptr;
    if (!dof || !dof->is_in_tree() || dof->q_index < 0) {
      others_.push_back(item);
    } else if (!tree_limits_.empty() && tree_limits_.back().limit == row.index) {
      (row.kind == RowKind::kLimitLower ? tree_limits_.back().lower : tree_limits_.back().upper) = item;
    } else {
      tree_limits_.push_back({row.index, dof->q_index, dof->u_index, item, item});
    }
    needs_link_velocities_ = needs_link_velocities_ || turns_with_links(model, row);
  }
}

double LawAudit::violation(const ModelData& model, const Solved& s, const Item& item, double impulse) const {
  switch (item.kind) {
    case RowKind::kLimitLower:
    case RowKind::kLimitUpper: {
      const LimitData& limit = model.limits[item.index];
      const bool upper = item.kind == RowKind::kLimitUpper;
      const double at = coordinate_of(limit.dof, model, s.state.q.data(), s.state.closure_q.data());
      const double rate = rate_of(model, limit.dof, s);
      return unilateral_violation(upper ? limit.upper - at : at - limit.lower, upper ? -rate : rate, impulse,
                                  limit.restitution, touching_, s);
    }
    case RowKind::kFriction: {
      const JointFrictionData& friction = model.joint_frictions[item.index];
      const double bound = s.h * friction.force;
      return interval_violation(rate_of(model, friction.dof, s), impulse, -bound, bound, bound);
    }
    case RowKind::kMotor: {
      const MotorData& motor = model.motors[item.index];
      const double hi = s.h * motor.max_force * s.motors.effort[item.index];
      const double lo = std::isnan(motor.min_force) ? -hi : s.h * motor.min_force * s.motors.effort[item.index];
      const double full = s.h * motor.max_force;
      const double target = s.motors.value[item.index], rate = rate_of(model, motor.dof, s);
      const bool is_position = motor.kind == MotorKind::kPosition;
      const double offset =
          is_position ? target - coordinate_of(motor.dof, model, s.state.q.data(), s.state.closure_q.data()) : 0;
      if (!motor.servo) return interval_violation(rate - (is_position ? offset / s.h : target), impulse, lo, hi, full);
      const double beyond = std::isfinite(hi) ? interval_violation(0, impulse, lo, hi, full) : 0;
      return worse(beyond, servo_violation(motor, offset, s.motors.rate[item.index], rate, impulse, lo, hi, s.h));
    }
    case RowKind::kBallLimit:
      return impulse < 0 ? kImpossible : 0;
    case RowKind::kRopeUpper:
    case RowKind::kRopeLower: {
      const DistanceData& d = model.distances[item.index];
      double length;
      const double rate = rate_between(d, s, length);
      const bool upper = item.kind == RowKind::kRopeUpper;
      return unilateral_violation(upper ? d.upper - length : length - d.lower, upper ? -rate : rate, impulse,
                                  d.restitution, touching_, s);
    }
    default:
      return 0;
  }
}

// Not reached in the step either.
bool LawAudit::are_far(const ModelData& model, const TreeLimits& limits, const Solved& s) {
  const LimitData& limit = model.limits[static_cast<std::size_t>(limits.limit)];
  const double at = s.state.q[static_cast<std::size_t>(limits.q_index)];
  const double way = s.ahead ? s.h * s.u[limits.u_index] : 0;
  const double below = at - limit.lower, above = limit.upper - at;
  return below > 0 && above > 0 && below + way >= 0 && above - way >= 0;
}

void LawAudit::measure_item(const ModelData& model, const Solved& solved, int item, double rounding,
                            AuditReport& report) const {
  const Item& it = items_[static_cast<std::size_t>(item)];
  double impulse = impulse_of(solved, item);
  if (it.kind == RowKind::kFriction && model.joint_frictions[it.index].dof.is_in_tree()) {
    const JointFrictionData& friction = model.joint_frictions[it.index];
    const double rate = solved.u[friction.dof.u_index], bound = solved.h * friction.force;
    if (rate != 0 && impulse == (rate > 0 ? -bound : bound)) return;               // slides with all of it
    if (std::abs(impulse) <= bound && std::abs(rate) <= report.law.value) return;  // not the worst
  }
  if (is_unilateral(it.kind) && std::abs(impulse) <= rounding) impulse = 0;
  report.law.take(violation(model, solved, it, impulse), item);
}

// What counts as rounding of the impulses of a solve.
double LawAudit::rounding_of(const Solved& solved) const {
  double largest = solved.h * weight_;
  for (const double impulse : solved.state.row_impulses) largest = std::max(largest, std::abs(impulse));
  return kBeyondBound * largest;
}

void LawAudit::measure(const ModelData& model, const Solved& solved, AuditReport& report) const {
  double rounding = -1;  // not asked for yet
  for (const TreeLimits& limits : tree_limits_) {
    if (impulse_of(solved, limits.lower) == 0 && impulse_of(solved, limits.upper) == 0 &&
        are_far(model, limits, solved))
      continue;
    if (rounding < 0) rounding = rounding_of(solved);
    measure_item(model, solved, limits.lower, rounding, report);
    measure_item(model, solved, limits.upper, rounding, report);
  }
  for (const int item : others_) {
    if (rounding < 0 && is_unilateral(items_[static_cast<std::size_t>(item)].kind)) rounding = rounding_of(solved);
    measure_item(model, solved, item, rounding, report);
  }
}

// What friction is off counts against all that presses two shapes on each other: a corner that a solver has left with
// next to nothing may carry several times its own bound, and nobody could tell.
void LawAudit::measure_contacts(const ModelData& model, const Solved& s, AuditReport& report) const {
  const std::vector<ContactMemory>& contacts = s.state.contacts;
  double pressed = 0;  // between the two shapes of the contact [N s]
  const double rounding = std::max(kBeyondBound * s.h * weight_, kLeastSpeed * mass_);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ContactMemory& m = contacts[i];
    const auto is_of_pair = [&](const ContactMemory& c) { return c.shape_a == m.shape_a && c.shape_b == m.shape_b; };
    if (i == 0 || !is_of_pair(contacts[i - 1])) {
      pressed = 0;
      for (std::size_t k = i; k < contacts.size() && is_of_pair(contacts[k]); ++k)
        pressed += std::max(contacts[k].normal, 0.0);
    }
    const int item = item_count() + static_cast<int>(i);
    const ContactShapeData &a = model.contact_shapes[m.shape_a], &b = model.contact_shapes[m.shape_b];
    const ContactLaw& law = model.contact_laws[a.material * model.materials.size() + b.material];
    const Vec3<double> n = from_eigen(m.direction), p = from_eigen(m.point), pull = from_eigen(m.tangential);
    const auto at = [&](int link) { return s.V_WL[link].v + cross(s.V_WL[link].w, p - s.X_WL[link].p); };
    const Vec3<double> v = at(b.link) - at(a.link), slip = v - dot(n, v) * n;
    if (std::abs(m.normal) <= rounding && norm(pull) <= rounding) continue;
    if (m.normal < 0) report.law.take(kImpossible, item);
    if (m.normal > 0 && law.restitution <= 0) report.law.take(dot(n, v), item);
    const double speed = norm(slip), most = law.static_friction * m.normal, amount = norm(pull);
    if (!(most > 0)) {
      // Rubs where nothing presses, or is smooth.
      if (amount > kBeyondBound * pressed) report.law.take(kImpossible, item);
      continue;
    }
    if (amount > most * (1 + kBeyondBound)) report.law.take((amount - most) / (law.static_friction * pressed), item);
    if (speed < kSlides) continue;
    const auto off = [&](double mu) { return norm(pull + (mu * m.normal / speed) * slip) / (2 * mu * pressed); };
    // A contact that begins to slide may still be at its static friction.
    const double least =
        law.friction > 0 ? std::min(off(law.friction), off(law.static_friction)) : off(law.static_friction);
    report.law.take(speed * std::min(least, 1.0), item);
  }
}

void LawAudit::measure_held(const ModelData& model, const Solved& end, bool contacts, AuditReport& report) const {
  constexpr double kHolds = 1 - 1e-6;  // of a bound
  const std::vector<double>& impulses = end.state.row_impulses;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    const auto slot = static_cast<std::size_t>(item.slot);
    if (slot >= impulses.size()) continue;
    if (item.kind == RowKind::kFriction) {
      const JointFrictionData& friction = model.joint_frictions[item.index];
      if (std::abs(impulses[slot]) >= kHolds * end.h * friction.force) continue;
      report.held.take(std::abs(rate_of(model, friction.dof, end)), static_cast<int>(i));
    } else if (item.kind == RowKind::kMotor) {
      const MotorData& motor = model.motors[item.index];
      if (motor.servo || motor.kind != MotorKind::kVelocity) continue;
      const double hi = kHolds * end.h * motor.max_force * end.motors.effort[item.index];
      const double lo =
          std::isnan(motor.min_force) ? -hi : kHolds * end.h * motor.min_force * end.motors.effort[item.index];
      if (impulses[slot] >= hi || impulses[slot] <= lo) continue;
      report.held.take(std::abs(rate_of(model, motor.dof, end) - end.motors.value[item.index]), static_cast<int>(i));
    }
  }
  for (std::size_t i = 0; contacts && i < end.state.contacts.size(); ++i) {
    const ContactMemory& m = end.state.contacts[i];
    const ContactShapeData &a = model.contact_shapes[m.shape_a], &b = model.contact_shapes[m.shape_b];
    const ContactLaw& law = model.contact_laws[a.material * model.materials.size() + b.material];
    if (!(m.normal > kLeastSpeed * mass_) || m.tangential.norm() >= kHolds * law.friction * m.normal) continue;
    const Vec3<double> n = from_eigen(m.direction), p = from_eigen(m.point);
    const auto at = [&](int link) { return end.V_WL[link].v + cross(end.V_WL[link].w, p - end.X_WL[link].p); };
    const Vec3<double> v = at(b.link) - at(a.link);
    report.held_contact.take(norm(v - dot(n, v) * n), static_cast<int>(i));
  }
}

std::string LawAudit::name_of(const ModelData& model, const State& state, int item) const {
  const auto body_of = [&](int shape) {
    const int body = model.contact_shapes[shape].body;
    return body < 0 ? std::string("the world") : fmt::format("'{}'", model.bodies[body].name);
  };
  if (item >= item_count()) {
    const auto place = static_cast<std::size_t>(item - item_count());
    if (place >= state.contacts.size()) return "a contact";
    return fmt::format("the contact of {} and {}", body_of(state.contacts[place].shape_a),
                       body_of(state.contacts[place].shape_b));
  }
  const Item& it = items_[item];
  const auto owner = [&](const auto& of) { return owner_of(model, of.joint, of.dof); };
  switch (it.kind) {
    case RowKind::kLimitLower:
    case RowKind::kLimitUpper:
      return "a limit of " + owner(model.limits[it.index]);
    case RowKind::kFriction:
      return "the friction of " + owner(model.joint_frictions[it.index]);
    case RowKind::kMotor:
      return fmt::format("motor '{}'", model.motors[it.index].name);
    case RowKind::kBallLimit:
      return fmt::format("the limit of joint '{}'", model.joints[model.ball_limits[it.index].joint].name);
    default:
      return fmt::format("distance '{}'", model.distances[it.index].name);
  }
}

}  // namespace lipkin
