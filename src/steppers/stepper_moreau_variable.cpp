#include "steppers/stepper_moreau_variable.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "constraints/balance_ledger.hpp"
#include "forces/elements.hpp"
#include "state/row_slots.hpp"
#include "steppers/prescribed_step.hpp"
#include "tree/coordinates.hpp"
#include "tree/local_coordinates.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

// Of the step, from one to the next.
constexpr double kStepSafety = 0.9, kStepShrink = 0.2, kStepGrow = 4;

// The next step over this one, for an error of third order.
double growth(double error) {
  return std::isfinite(error) ? std::clamp(kStepSafety / std::cbrt(std::max(error, 1e-12)), kStepShrink, kStepGrow)
                              : kStepShrink;
}

// What grows with the step, as an error of third order.
double cubed(double excess) { return excess * excess * excess; }

// Unlike any number of a contact.
std::uint64_t name_of_row(std::size_t row) { return ~static_cast<std::uint64_t>(row); }

// Calls use(index into q) for every quaternion.
template <class Use>
void for_each_quaternion(const ModelData& model, Use&& use) {
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    const JointCoordinates c = coordinates_of(model.links[i].kind);
    if (c.rotation) use(model.links[i].q_index + c.scalars);
  }
}

// dexp: the body-axis angular velocity of q0 exp(theta), the inverse of rotation_vector_rate:
//   omega = r - (1 - cos a)/a² theta x r + (a - sin a)/a³ theta x (theta x r),  a = |theta|.
Vec3<double> angular_velocity(const Vec3<double>& theta, const Vec3<double>& rate) {
  const double a2 = squared_norm(theta), a = std::sqrt(a2);
  const bool small = a2 < kSmallAngleSquared;
  const double first = small ? 0.5 - a2 / 24 + a2 * a2 / 720 : (1 - std::cos(a)) / a2;
  const double second = small ? 1.0 / 6 - a2 / 120 + a2 * a2 / 5040 : (a - std::sin(a)) / (a2 * a);
  const Vec3<double> across = cross(theta, rate);
  return rate - first * across + second * cross(theta, across);
}

// The rotation vector of the same rotation, with as many turns as what the velocities lead to expect.
Vec3<double> unwound(const Vec3<double>& turn, const Vec3<double>& expected) {
  constexpr double kFullTurn = 2 * std::numbers::pi;
  const double angle = norm(turn), speed = norm(expected);
  if (!(speed > 0)) return turn;
  const Vec3<double> axis = angle > 0 ? (1 / angle) * turn : (1 / speed) * expected;
  const double turns = std::round((dot(axis, expected) - angle) / kFullTurn);
  return turns == 0 ? turn : (angle + kFullTurn * turns) * axis;
}

}  // namespace

StepperMoreauVariable::StepperMoreauVariable(const ModelData& model, ConstraintSystem& constraints)
    : constraints_(constraints),
      base_(model, constraints),
      bend_(model, constraints.layout()),
      way_(model.u_count),
      end_rate_(model.u_count),
      end_u_(model.u_count),
      theta_(model.u_count),
      theta_rate_(model.u_count),
      gaps_(model) {
  for (const RowSlot& slot : row_slots(model, constraints.tree_friction_is_force()))
    closes_.push_back(is_unilateral(slot.kind));
}

// Frictions, motors and springs have impulses all the time, and may pass through zero.
void StepperMoreauVariable::list_closed(const State& state, Closed& closed) const {
  closed.clear();
  for (std::size_t i = 0; i < std::min(closes_.size(), state.row_impulses.size()); ++i)
    if (closes_[i] && state.row_impulses[i] != 0) closed.push_back(name_of_row(i));
  for (const ContactMemory& m : state.contacts)
    closed.insert(closed.end(),
                  {static_cast<std::uint64_t>(m.shape_a), static_cast<std::uint64_t>(m.shape_b), m.feature});
}

// Goes from the begin to t_end in `count` steps; false where the state stops being finite.
bool StepperMoreauVariable::divide(const ModelData& model, const StepOptions& options, double t_end, int count,
                                   BalanceLedger* ledger, State& state, Workspace& work, StepReport& report) {
  begin_.restore(state);
  base_.invalidate();
  const double h = (t_end - begin_.t) / count;
  for (int n = 0; n < count; ++n) {
    StepOptions part = options;
    part.limit = n + 1 == count ? t_end : begin_.t + (n + 1) * h;
    part.dt = part.limit - state.t;
    part.ledger = ledger;
    part.constraints.settling_time = options.dt_max;
    const StepReport done = base_.step(model, part, state, work);
    report.evaluations += done.evaluations;
    report.excess = done.excess;
    if (!done.is_good()) return false;
    report.constraints.iterations += done.constraints.iterations;
    report.constraints.residual = std::max(report.constraints.residual, done.constraints.residual);
    report.constraints.converged = report.constraints.converged && done.constraints.converged;
    report.constraints.penetration = std::max(report.constraints.penetration, done.constraints.penetration);
    report.constraints.contacts = done.constraints.contacts;
    report.constraints.undetermined = std::max(report.constraints.undetermined, done.constraints.undetermined);
    audit_.take(*done.audit);
    list_closed(state, closed_[count - 1][n]);
    if (count == 3) bend_.look(model, state, n + 1);
    if (count == 1) bend_.look(model, state, DrivenBend::kUndivided);
  }
  q_[count - 1] = state.q;
  u_[count - 1] = state.u;
  return true;
}

StepperMoreauVariable::Event StepperMoreauVariable::find_event() const {
  const Closed& first = closed_[1][0];
  if (had_step_ && first != closed_before_) return Event::kEarly;
  for (int count = 0; count < 3; ++count)
    for (int n = 0; n <= count; ++n)
      if (closed_[count][n] != first) return Event::kLate;
  return Event::kNone;
}

// T32 - T22 = 3 T31 - 4 T21 + T11, as a root mean square over the tolerances.
double StepperMoreauVariable::scaled_error(const ModelData& model, const StepOptions& options) const {
  double sum = 0;
  const auto add = [&](double one, double two, double three, double size) {
    const double scale = options.absolute_tolerance + options.relative_tolerance * size;
    const double error = (3 * three - 4 * two + one) / scale;
    sum += error * error;
  };
  for (std::size_t k = 0; k < q_[0].size(); ++k) add(q_[0][k], q_[1][k], q_[2][k], std::abs(q_[2][k]));
  for (std::size_t k = 0; k < u_[0].size(); ++k) add(u_[0][k], u_[1][k], u_[2][k], std::abs(u_[2][k]));
  const std::size_t count = model.q_count + model.u_count;
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

// T33 = (9 T31 - 8 T21 + T11) / 2. The three differ by O(h²), so that the sum of unit quaternions is unit but for
// O(h⁴), and normalizing it changes nothing that matters.
void StepperMoreauVariable::extrapolate(const ModelData& model, State& state) const {
  const auto third_order = [](double one, double two, double three) {
    return three + 3.5 * (three - two) - 0.5 * (two - one);
  };
  for (std::size_t k = 0; k < state.q.size(); ++k) state.q[k] = third_order(q_[0][k], q_[1][k], q_[2][k]);
  for (std::size_t k = 0; k < state.u.size(); ++k) state.u[k] = third_order(u_[0][k], u_[1][k], u_[2][k]);
  for_each_quaternion(
      model, [&](int q) { normalized(Quaternion<double>::from(state.q.data() + q)).store(state.q.data() + q); });
}

// Onto the rows of loops and drives, where projection is asked for; and what is left of the gaps. Nothing of it is a
// force of the motion.
void StepperMoreauVariable::close(const ModelData& model, const StepOptions& options, State& state, Workspace& work,
                                  StepReport& report) {
  const bool project = options.constraints.stabilization == StabilizationKind::kProjection;
  if (project) {
    constraints_.close_state(model, options.constraints, state, work, report.constraints);
  } else {
    update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
    update_dependent_coordinates(model, state.q.data(), work.kinematics, state.closure_q.data());
  }
  const AuditReport found = base_.audit().of_state(model, true, state, work);
  report.audit = &found;
  judge(options, !project, report);
  report.audit = &audit_;
  audit_.take(found);
}

// Whether shapes overlap at the state, or coordinates lie beyond their limits, that were apart, or within them,
// throughout: the steps of first order that found nothing went another way.
bool StepperMoreauVariable::touches_anew(const ModelData& model, const State& state, Workspace& work) {
  const Closed& known = closed_[1][0];
  for (std::size_t i = 0; i < model.limits.size(); ++i) {
    const LimitData& limit = model.limits[i];
    if (!limit.dof.is_in_tree()) continue;
    const double q = state.q[limit.dof.q_index];
    const std::uint64_t row = name_of_row(limit_slot(i, q > limit.upper));
    if ((q < limit.lower || q > limit.upper) && std::find(known.begin(), known.end(), row) == known.end()) return true;
  }
  if (gaps_.empty()) return false;
  update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
  for (const ContactPoint& p : gaps_.touching(model, work.kinematics.X_WL.data())) {
    // By the pair alone: which points stand for two faces may depend on how far one looks.
    const std::uint64_t pair[] = {static_cast<std::uint64_t>(p.shape_a), static_cast<std::uint64_t>(p.shape_b)};
    if (std::search(known.begin(), known.end(), std::begin(pair), std::end(pair)) == known.end()) return true;
  }
  return false;
}

// The step to t_end three times over, extrapolated into the state where nothing happens on the way.
StepperMoreauVariable::Trial StepperMoreauVariable::try_to(const ModelData& model, const StepOptions& options,
                                                           double t_end, State& state, Workspace& work,
                                                           StepReport& report) {
  report.constraints = {};
  audit_ = {};
  report.audit = &audit_;
  report.finite = true;
  for (int count = 1; count <= 3 && report.finite; ++count)
    report.finite = divide(model, options, t_end, count, nullptr, state, work, report);
  Trial trial;
  if (!report.finite) return {Event::kEarly, 0};
  trial.event = find_event();
  if (trial.event != Event::kNone) return trial;
  trial.error = std::max(scaled_error(model, options), cubed(bend_.excess(model, t_end - begin_.t)));
  if (!(trial.error <= 1)) return trial;
  extrapolate(model, state);
  close(model, options, state, work, report);
  if (!report.is_good()) {
    trial.error = std::numeric_limits<double>::infinity();
    return trial;
  }
  if (!touches_anew(model, state, work)) return trial;
  state.q = q_[2], state.u = u_[2];
  return {Event::kLate, 0};
}

// Where somebody asks for the balance, the accepted step again, as three, with its books; what extrapolation moves
// counts as stabilization.
void StepperMoreauVariable::book(const ModelData& model, const StepOptions& options, double t_end, State& state,
                                 Workspace& work) {
  booked_.keep(state);
  StepReport unused;
  divide(model, options, t_end, 3, options.ledger, state, work, unused);
  options.ledger->before_stabilization(model, 0, state, state.u);
  booked_.restore(state);
  options.ledger->after_stabilization(model, state, nullptr);
}

// The way from the begin to the end of the step in local coordinates, which at the begin move with u.
void StepperMoreauVariable::remember_step(const ModelData& model, const State& state) {
  end_t_ = state.t;
  end_u_ = state.u;
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    const Link& link = model.links[i];
    const JointCoordinates c = coordinates_of(link.kind);
    const double *from = begin_.q.data() + link.q_index, *to = state.q.data() + link.q_index;
    double* way = way_.data() + link.u_index;
    for (int k = 0; k < c.scalars; ++k) way[k] = to[k] - from[k];
    if (!c.rotation) continue;
    const double *w_from = begin_.u.data() + link.u_index + c.scalars,
                 *w_to = state.u.data() + link.u_index + c.scalars;
    Vec3<double> expected;
    for (int k = 0; k < 3; ++k) expected[k] = 0.5 * (end_t_ - begin_.t) * (w_from[k] + w_to[k]);
    const Vec3<double> turn =
        unwound(rotation_vector(conjugate(normalized(Quaternion<double>::from(from + c.scalars))) *
                                normalized(Quaternion<double>::from(to + c.scalars))),
                expected);
    for (int k = 0; k < 3; ++k) way[c.scalars + k] = turn[k];
  }
  local_rate<double>(model.links.data(), static_cast<int>(model.links.size()), way_.data(), state.u.data(),
                     end_rate_.data());
}

void StepperMoreauVariable::interpolate(const ModelData& model, double t, State& state) const {
  const double h = end_t_ - begin_.t, s = (t - begin_.t) / h;
  for (std::size_t j = 0; j < theta_.size(); ++j) {
    const double a = h * begin_.u[j], b = h * end_rate_[j], way = way_[j];
    theta_[j] = s * (a + s * (3 * way - 2 * a - b + s * (a + b - 2 * way)));
    theta_rate_[j] = (a + s * (2 * (3 * way - 2 * a - b) + 3 * s * (a + b - 2 * way))) / h;
  }
  const int link_count = static_cast<int>(model.links.size());
  retract<double>(model.links.data(), link_count, begin_.q.data(), 1.0, theta_.data(), state.q.data());
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    const JointCoordinates c = coordinates_of(model.links[i].kind);
    const int first = model.links[i].u_index;
    std::copy_n(theta_rate_.begin() + first, c.scalars, state.u.begin() + first);
    if (!c.rotation) continue;
    const double *turn = theta_.data() + first + c.scalars, *rate = theta_rate_.data() + first + c.scalars;
    const Vec3<double> w = angular_velocity({{turn[0], turn[1], turn[2]}}, {{rate[0], rate[1], rate[2]}});
    for (int k = 0; k < 3; ++k) state.u[first + c.scalars + k] = w[k];
  }
  state.t = t;
}

StepReport StepperMoreauVariable::step(const ModelData& model, const StepOptions& options, State& state,
                                       Workspace& work) {
  StepReport report;
  begin_.keep(state);
  bend_.look(model, state, 0);
  had_step_ = state.impulse_step > 0;
  if (had_step_) list_closed(state, closed_before_);
  double wanted = std::clamp(state.step_size > 0 ? state.step_size : options.dt, options.dt_min, options.dt_max);
  wanted = step_for_prescribed_motions(model, state, wanted, options.dt_min, work);
  for (;;) {
    const bool last = begin_.t + 1.01 * wanted >= options.limit;
    const double t_end = last ? options.limit : begin_.t + wanted, h = t_end - begin_.t;
    const bool smallest = h <= 1.01 * options.dt_min;
    const Trial trial = try_to(model, options, t_end, state, work, report);
    if (report.finite && (trial.smooth() || smallest)) {
      if (options.ledger) book(model, options, t_end, state, work);
      remember_step(model, state);
      const double factor = trial.smooth() ? growth(trial.error) : 1;
      const double next = report.rejected > 0 ? std::min(h, h * factor) : h * factor;
      state.step_size = std::clamp(last ? std::max(next, wanted) : next, options.dt_min, options.dt_max);
      return report;
    }
    if (smallest) {  // not finite
      begin_.restore(state);
      return report;
    }
    ++report.rejected;
    const double factor = trial.event == Event::kEarly ? 0.25 : trial.event == Event::kLate ? 0.5 : growth(trial.error);
    wanted = std::max(factor * h, options.dt_min);
  }
}

}  // namespace lipkin
