#include "assembly/constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assembly/reaction_loads.hpp"
#include "forces/actuators.hpp"
#include "forces/channel_values.hpp"
#include "forces/regularised_forces.hpp"
#include "model/mechanism_size.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

// A prescribed motion whose target changes with more than the time.
bool follows_motion(const MotorData& motor) {
  const auto* e = std::get_if<ChannelExpression>(&motor.target);
  const auto is_motion = [](const Channel& c) { return c.kind != ChannelKind::kTime; };
  return is_prescribed(motor) && e && std::any_of(e->channels.begin(), e->channels.end(), is_motion);
}

// Gaps below this are closed: relative to the size of the mechanism for lengths, absolute for angles [rad].
constexpr double kClosed = 1e-11;
// Where loops hold each other redundantly and no correction brings them closer: the digits of the file.
constexpr double kOpenByRounding = 1e-6;
constexpr double kStalled = 0.9;  // at singular positions gaps still halve
// A coordinate that a prescribed speed moves has nothing that closes its gap later: rounding, so that thousands of them
// add up to nothing [m] or [rad].
constexpr double kLed = 1e-15;

// Where the gaps shrink by less than this per iteration, the linearisation is renewed.
constexpr double kContraction = 0.3;
constexpr int kProjectionIterations = 30;

// Corrections of positions that the next one is predicted from. More of them fit better but pass on, many times larger,
// what each was allowed to leave open: the velocities of a driven slider-crank then differ by 1e-6.
constexpr std::size_t kCorrectionsKept = 3;

// Pseudo velocities push a penetration out by this part per step, down to the slop (relative to the size).
constexpr double kPushOut = 0.2;
// Sequential impulses also take gaps of that size for closed: the corners of a face whose tiny gaps would be closed at
// rates that no rigid motion has keep shifting impulses between each other for tens of thousands of sweeps.
constexpr double kSlop = 1e-5;

// Whether the bilateral rows are eliminated before the solver sees the rest.
bool eliminates(SolverKind kind) { return kind != SolverKind::kImpulses; }

// Contacts, limits and motors with a limit know their impulses from the solve; all else that knows forces needs every
// row's.
bool needs_bilateral_impulses(const ModelData& model, const Channel& channel) {
  if (channel.kind == ChannelKind::kContactForce || channel.kind == ChannelKind::kPointTouch ||
      channel.kind == ChannelKind::kLimitForce)
    return false;
  if (channel.kind == ChannelKind::kMotorForce) return is_prescribed(model.motors[channel.index]);
  return need_of(channel) >= ChannelNeed::kDynamics;
}

}  // namespace

Constraints::Constraints(const ModelData& model)
    : layout_(model, bilateral_links(model)),
      whitener_(model, layout_),
      bilateral_(model, layout_),
      rotors_(model, layout_),
      laws_(model, layout_),
      solver_(make_solver(solver_kind_)),
      length_scale_(mechanism_size(model)) {
  for (int r = 0; r < bilateral_.row_count(); ++r)
    gap_weight_.push_back(bilateral_.is_length(r) ? 1 / length_scale_ : 1);
  targets_.value.assign(model.motors.size(), 0.0);
  targets_.rate.assign(model.motors.size(), 0.0);
  targets_.effort.assign(model.motors.size(), 1.0);
  end_rate_.assign(model.motors.size(), 0.0);
  g_.assign(bilateral_.row_count(), 0.0);
  gamma_.assign(bilateral_.row_count(), 0.0);
  z_.assign(layout_.z_count(), 0.0);
  z_pseudo_.assign(layout_.z_count(), 0.0);
  z_total_.assign(layout_.z_count(), 0.0);
  du_.assign(model.u_count, 0.0);
  moved_.assign(model.u_count, 0.0);
  V_free_.resize(model.links.size());
  dV_.resize(model.links.size());
  has_dependent_limits_ = std::any_of(model.limits.begin(), model.limits.end(),
                                      [](const LimitData& limit) { return !limit.dof.is_in_tree(); });
  has_prescribed_ = std::any_of(model.motors.begin(), model.motors.end(), is_prescribed);
  tree_friction_is_force_ = !std::all_of(model.joint_frictions.begin(), model.joint_frictions.end(), is_row);
  follows_poses_ = std::any_of(model.motors.begin(), model.motors.end(), follows_motion);
  lambda_.assign(bilateral_.row_count(), 0.0);
  rotor_impulse_.assign(rotors_.size(), 0.0);
  z_bilateral_.assign(layout_.z_count(), 0.0);
  z_laws_.assign(layout_.z_count(), 0.0);
  for (const OutputData& output : model.outputs)
    for (const Channel& channel : output.value.channels)
      model_wants_reactions_ =
          model_wants_reactions_ || (!output.on_request && needs_bilateral_impulses(model, channel));
  wants_reactions_ = model_wants_reactions_;
  for (int c = 0; c < layout_.cluster_count(); ++c)
    cluster_z_count_ = layout_.cluster(c).begin + layout_.cluster(c).count;
}

// Coordinates that motors ask for a time `ahead` of the state, and their rates.
void Constraints::evaluate_targets(const ModelData& model, double ahead, const State& state, Workspace& work) {
  for (std::size_t i = 0; i < model.motors.size(); ++i) {
    const MotorData& motor = model.motors[i];
    evaluate_effort(model, ahead, i, state, work);
    if (motor.kind == MotorKind::kVelocity) {
      targets_.rate[i] = acting_target_value(model, motor, state, ahead, work);
    } else {
      const SignalMotion target = acting_target(model, motor, state, ahead, work);
      targets_.value[i] = target.value, targets_.rate[i] = target.rate;
    }
  }
}

void Constraints::evaluate_effort(const ModelData& model, double ahead, std::size_t motor, const State& state,
                                  Workspace& work) {
  const double effort = signal_value_ahead(model, state, ahead, work, model.motors[motor].effort);
  targets_.effort[motor] = std::clamp(effort, 0.0, 1.0);
}

void Constraints::linearize(const ModelData& model, const ConstraintOptions& options, State& state, Workspace& work) {
  update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
  linearize_rows(model, options, state, work);
}

void Constraints::linearize_projected(const ModelData& model, const ConstraintOptions& options, State& state,
                                      Workspace& work) {
  if (bilateral_.row_count() == 0) return linearize(model, options, state, work);
  kernels().velocities_at_poses(model.links.data(), static_cast<int>(model.links.size()), state.q.data(),
                                state.u.data(), work.kinematics.X_WL.data(), work.kinematics.V_WL.data(),
                                work.kinematics.S_W.data());
  linearize_rows(model, options, state, work);
}

void Constraints::linearize_rows(const ModelData& model, const ConstraintOptions& options, State& state,
                                 Workspace& work) {
  update_dependent_coordinates(model, state.q.data(), work.kinematics, state.closure_q.data());
  whitener_.factor(model, state.q.data(), work);
  bilateral_.update(model, work.kinematics, state.q.data(), state.closure_q.data());
  if (eliminates(options.solver) || options.stabilization == StabilizationKind::kProjection)
    factor_bilateral(model, work);
}

void Constraints::factor_bilateral(const ModelData& model, Workspace& work) {
  bilateral_.factor(model, whitener_, work);
  if (bilateral_.row_count() > 0) rotors_.update(model, work.kinematics, whitener_, bilateral_, work);
}

void Constraints::use(SolverKind kind) {
  if (kind == solver_kind_) return;
  solver_kind_ = kind;
  solver_ = make_solver(kind);
}

// What motors ask for in a step. Limited ones aim at the end of the step that follows the new velocities. So do
// prescribed motions where the positions follow; where these came first, the motion's own rate is asked for, and speeds
// are those of the state's own time, the end of the step. Where steps are extrapolated, limited ones ask for the rate
// of now, and what they are off over a time that does not depend on the step: the velocities have a limit then, which
// those of steps of different lengths approach in powers of the length.
void Constraints::aim_motors(const ModelData& model, const ConstraintOptions& options, ContactTiming timing, double h,
                             State& state, Workspace& work) {
  for (std::size_t i = 0; i < model.motors.size(); ++i) {
    const MotorData& motor = model.motors[i];
    evaluate_effort(model, h, i, state, work);
    double &value = targets_.value[i], &rate = targets_.rate[i];
    if (motor.kind == MotorKind::kVelocity) {
      rate = acting_target_value(model, motor, state, timing == ContactTiming::kClosed ? 0 : h, work);
      if (!is_prescribed(motor)) value = rate;
    } else if (!is_prescribed(motor)) {
      const bool settles = options.settling_time > 0 && !motor.servo;
      const SignalMotion target = acting_target(model, motor, state, settles ? 0 : h, work);
      value = target.value, rate = target.rate;
      if (!settles) continue;
      const double q = coordinate_of(motor.dof, model, state.q.data(), state.closure_q.data());
      value = q + h * (rate + (target.value - q) / options.settling_time);
    } else if (timing == ContactTiming::kClosed) {
      const SignalMotion target = acting_target(model, motor, state, 0, work);
      value = target.value, rate = target.rate;
    } else {
      const SignalMotion target = acting_target(model, motor, state, h, work);
      value = target.value, end_rate_[i] = target.rate;
      rate = (value - coordinate_of(motor.dof, model, state.q.data(), state.closure_q.data())) / h;
    }
  }
  aimed_at_ = timing == ContactTiming::kAhead ? state.t + h : std::numeric_limits<double>::quiet_NaN();
}

// Prescribed motions at the end of the step: where they follow the time alone, the step has asked for them already.
void Constraints::evaluate_targets_at_end(const ModelData& model, const State& state, Workspace& work) {
  if (follows_poses_ || state.t != aimed_at_) return evaluate_targets(model, 0, state, work);
  for (std::size_t i = 0; i < model.motors.size(); ++i)
    if (is_prescribed(model.motors[i]) && model.motors[i].kind == MotorKind::kPosition) targets_.rate[i] = end_rate_[i];
}

void Constraints::solve(const ModelData& model, const ConstraintOptions& options, ContactTiming timing, double h,
                        State& state, Workspace& work, double* u_free, double* pseudo, ConstraintReport& report) {
  use(options.solver);
  aim_motors(model, options, timing, h, state, work);
  kernels().link_velocities(model.links.data(), static_cast<int>(model.links.size()), work.kinematics.X_WL.data(),
                            work.kinematics.S_W.data(), u_free, V_free_.data());
  if (bilateral_.row_count() > 0) {
    bilateral_.rates(u_free, V_free_.data(), targets_, gamma_.data());
    measure_gaps(model, timing, h, options.stabilization, state, work);
  }
  const bool eliminate = eliminates(options.solver);
  if (eliminate && bilateral_.row_count() > 0) meet_bilateral(model, work, u_free);
  const RowContext context = {model,
                              state,
                              work,
                              whitener_,
                              u_free,
                              V_free_.data(),
                              targets_,
                              h,
                              timing,
                              (options.solver == SolverKind::kImpulses ? kSlop : kClosed) * length_scale_,
                              eliminate ? &bilateral_ : nullptr,
                              wants_reactions_ && eliminate ? &whole_rows_ : nullptr,
                              work.threads};
  solve_laws(context, options, u_free, report);
  solve_corrections(model, options, eliminate, h, work, pseudo, report);
  report.contacts = laws_.contact_count();
  report.penetration = laws_.worst_penetration();
  report.undetermined = laws_.undetermined_count(problem_);
  report.driven_in = laws_.driven_in();
  const double last_step = state.impulse_step;
  laws_.remember(problem_, h, state);
  if (options.stabilization != StabilizationKind::kProjection) {
    state.carried_impulses.clear();
  } else if (timing == ContactTiming::kAhead && last_step > 0) {  // impulses of another step, as forces
    for (double& carried : state.carried_impulses) carried *= h / last_step;
  }
  if (!eliminate) {
    const double* lambda = problem_.lambda.data();
    state.row_impulses.insert(state.row_impulses.end(), lambda, lambda + bilateral_.row_count());
    std::copy_n(lambda, lambda_.size(), lambda_.begin());
    if (wants_reactions_) remember_reactions(lambda, state);
  } else if (wants_reactions_ && bilateral_.row_count() > 0) {
    find_bilateral_impulses(state);
  }
}

// Baumgarte feeds the gaps back into the rates; split impulses need them for the pseudo velocities.
void Constraints::measure_gaps(const ModelData& model, ContactTiming timing, double h, StabilizationKind stabilization,
                               State& state, Workspace& work) {
  if (stabilization != StabilizationKind::kBaumgarte && stabilization != StabilizationKind::kSplit) return;
  // Prescribed speeds have no gap; prescribed positions none where the step that follows the velocities meets them.
  const auto has_gap = [&](const MotorData& motor) {
    return timing == ContactTiming::kClosed && motor.kind == MotorKind::kPosition;
  };
  for (std::size_t i = 0; i < model.motors.size(); ++i)
    if (is_prescribed(model.motors[i]) && !has_gap(model.motors[i]))
      targets_.value[i] = coordinate_of(model.motors[i].dof, model, state.q.data(), state.closure_q.data());
  bilateral_.gaps(model, work.kinematics.X_WL.data(), state.q.data(), targets_, state.closure_q.data(), g_.data());
  if (stabilization == StabilizationKind::kBaumgarte)
    for (int r = 0; r < bilateral_.row_count(); ++r) gamma_[r] += kBaumgarte * g_[r] / h;
}

void Constraints::write_bilateral(const ModelData& model, double h, const State& state, Workspace& work) {
  BlockWriter writer(model, layout_, whitener_, nullptr, work, problem_);
  bilateral_.write(writer);
  std::copy(gamma_.begin(), gamma_.end(), problem_.b.begin());
  const std::size_t laws = laws_.item_count();
  if (state.impulse_step > 0 && state.row_impulses.size() == laws + gamma_.size())
    for (std::size_t r = 0; r < gamma_.size(); ++r)
      problem_.lambda[r] = state.row_impulses[laws + r] * h / state.impulse_step;
}

void Constraints::remember_reactions(const double* impulses, State& state) const {
  state.reactions.assign(impulses, impulses + bilateral_.row_count());
  state.reactions.resize(reaction_count(), 0.0);  // those of the rotors in the solve are among the laws'
  add_carried_to_reactions(state);
}

bool Constraints::has_carried(const State& state) const { return state.carried_impulses.size() == reaction_count(); }

void Constraints::add_carried_to_reactions(State& state) const {
  if (!has_carried(state) || state.reactions.size() != reaction_count()) return;
  for (std::size_t r = 0; r < state.reactions.size(); ++r) state.reactions[r] += state.carried_impulses[r];
}

// What a projection did goes with the solve that it belongs to.
void Constraints::carry_impulses(double factor, State& state) const {
  state.carried_impulses.resize(reaction_count(), 0.0);
  double* carried = state.carried_impulses.data();
  for (const double impulse : lambda_) *carried++ += factor * impulse;
  for (const double impulse : rotor_impulse_) *carried++ += factor * impulse;
}

// Impulses of least norm of the eliminated rows: what they put into z is what they did alone, and what they took out of
// the other rows, z = z_bilateral - (whole rows - rows left)ᵀ Lambda.
void Constraints::find_bilateral_impulses(State& state) {
  z_bilateral_.resize(std::max(problem_.z_count, layout_.z_count()), 0.0);  // contacts may have columns of their own
  for (const Block& block : problem_.blocks) {
    for (int r = 0; r < block.row_count; ++r) {
      const double lambda = problem_.lambda[block.row_begin + r];
      std::size_t at = block.y_begin + static_cast<std::size_t>(r) * static_cast<std::size_t>(block.width);
      for (int i = block.run_begin; i < block.run_begin + block.run_count; ++i)
        for (int k = 0; k < problem_.runs[i].length; ++k, ++at)
          z_bilateral_[problem_.runs[i].begin + k] -= (whole_rows_.y[at] - problem_.y[at]) * lambda;
    }
  }
  if (bilateral_.any_reduced()) add_reaction_to_laws();
  bilateral_.rates_of(z_bilateral_.data(), gamma_.data());
  bilateral_.solve_impulses(gamma_.data(), lambda_.data());
  remember_reactions(lambda_.data(), state);
}

void Constraints::react(const ModelData& model, const State& state, Workspace& work) {
  if (!work.has_external) std::fill(work.external.begin(), work.external.end(), Force<double>::zero());
  work.has_external = true;
  std::fill(work.motor_force.begin(), work.motor_force.end(), 0.0);
  std::fill(work.joint_force.begin(), work.joint_force.end(), Force<double>::zero());
  add_actuator_forces(model, work);
  if (state.impulse_step <= 0) return;
  laws_.react(model, state, work);
  if (state.reactions.size() != reaction_count()) return;
  for (int r = 0; r < bilateral_.row_count(); ++r) lambda_[r] = state.reactions[r] / state.impulse_step;
  bilateral_.react(model, state, lambda_.data(), work);
  for (std::size_t i = 0; i < rotor_impulse_.size(); ++i)
    rotor_impulse_[i] = state.reactions[lambda_.size() + i] / state.impulse_step;
  rotors_.react(model, rotor_impulse_.data(), work);
}

void Constraints::book(const ModelData& model, double h, const SolveVelocities& velocities, const State& state,
                       Workspace& work, StepWork& done) {
  laws_.add_work(model, problem_, h, velocities, work.kinematics, done);
  laws_.react(model, state, work);
  bilateral_.add_work(lambda_.data(), velocities, done);
  for (std::size_t r = 0; r < lambda_.size(); ++r) gamma_[r] = lambda_[r] / h;
  bilateral_.react(model, state, gamma_.data(), work);
}

// The shortest impulses that meet the bilateral rows, before the others see the velocities: these cannot spoil it any
// more, having lost what the bilateral rows can do.
void Constraints::meet_bilateral(const ModelData& model, Workspace& work, double* u_free) {
  for (double& rate : gamma_) rate = -rate;
  std::fill(z_.begin(), z_.end(), 0.0);
  bilateral_.solve(gamma_.data(), z_.data());
  if (wants_reactions_) z_bilateral_ = z_;
  whitener_.velocities(model, work, z_.data(), du_.data());
  for (int j = 0; j < model.u_count; ++j) u_free[j] += du_[j];
  kernels().link_velocities(model.links.data(), static_cast<int>(model.links.size()), work.kinematics.X_WL.data(),
                            work.kinematics.S_W.data(), u_free, V_free_.data());
}

// Pseudo velocities that move the positions alone: penetrations out, and with `split` the gaps of bilateral rows.
void Constraints::solve_corrections(const ModelData& model, const ConstraintOptions& options, bool eliminate, double h,
                                    Workspace& work, double* pseudo, ConstraintReport& report) {
  corrections_.clear();
  corrections_.z_count = std::max(problem_.z_count, layout_.z_count());
  z_pseudo_.assign(corrections_.z_count, 0.0);
  const bool split = options.stabilization == StabilizationKind::kSplit && bilateral_.row_count() > 0;
  if (!eliminate && bilateral_.row_count() > 0) {  // what is pushed out must not open loops
    BlockWriter writer(model, layout_, whitener_, nullptr, work, corrections_);
    bilateral_.write(writer);
    for (int r = 0; r < bilateral_.row_count(); ++r) corrections_.b[r] = split ? g_[r] / h : 0.0;
  }
  const std::size_t bilateral_blocks = corrections_.blocks.size();
  laws_.collect_corrections(problem_, h, kPushOut, kSlop * length_scale_, corrections_);
  if (!split && corrections_.blocks.size() == bilateral_blocks) corrections_.clear();
  if (!corrections_.blocks.empty()) {
    const SolveReport solved = solver_->solve(corrections_, options.solver_options, z_pseudo_.data());
    report.iterations = std::max(report.iterations, solved.iterations);
    report.converged = report.converged && solved.converged;
    if (eliminate) bilateral_.expand(z_pseudo_.data());
  }
  if (split && eliminate) {
    for (int r = 0; r < bilateral_.row_count(); ++r) g_[r] *= -1 / h;
    bilateral_.solve(g_.data(), z_.data());
    for (int k = 0; k < cluster_z_count_; ++k) z_pseudo_[k] += z_[k];
  }
  if (corrections_.blocks.empty() && !split) {
    std::fill(pseudo, pseudo + model.u_count, 0.0);
  } else {
    whitener_.velocities(model, work, z_pseudo_.data(), pseudo);
  }
}

void Constraints::lead_speeds(const ModelData& model, double h, const State& state, const double* u,
                              const Workspace& work) {
  if (!bilateral_.has_speeds()) return;
  if (bilateral_.speeds_need_links())
    kernels().link_velocities(model.links.data(), static_cast<int>(model.links.size()), work.kinematics.X_WL.data(),
                              work.kinematics.S_W.data(), u, V_free_.data());
  bilateral_.lead_speeds(model, h, state, u, V_free_.data(), targets_);
}

double Constraints::worst_speed_gap() const {
  double worst = 0;
  for (int r = 0; r < bilateral_.row_count(); ++r)
    if (bilateral_.is_speed(r)) worst = std::max(worst, std::abs(g_[r]));
  return worst;
}

double Constraints::worst_gap(int* row) const {
  double worst = 0;
  for (int r = 0; r < bilateral_.row_count(); ++r) {
    const double size = std::abs(g_[r]) * gap_weight_[r];
    if (size <= worst) continue;
    worst = size;
    if (row) *row = r;
    if (std::isnan(size)) break;
  }
  return worst;
}

void Constraints::move(const ModelData& model, const double* z, State& state, Workspace& work) {
  whitener_.velocities(model, work, z, du_.data());
  for (int j = 0; j < model.u_count; ++j) moved_[j] += du_[j];
  kernels().retract(model.links.data(), static_cast<int>(model.links.size()), state.q.data(), 1.0, du_.data(),
                    state.q.data());
}

// The polynomial in time through the last corrections, continued by a step; only what the rows can do.
void Constraints::predict_correction(const State& state, double* z) {
  const std::size_t n = cluster_z_count_, count = state.projection.size() / n;
  const double* p = state.projection.data();
  double weight = 1;  // of Newton's backward differences: (-1)^i binomial(count, i + 1)
  std::fill(z, z + n, 0.0);
  for (std::size_t i = 0; i < count; ++i, p += n) {
    weight *= -static_cast<double>(count - i) / static_cast<double>(i + 1);
    for (std::size_t k = 0; k < n; ++k) z[k] -= weight * p[k];
  }
  for (int c = 0; c < layout_.cluster_count(); ++c) {
    const ZRange& range = layout_.cluster(c);
    double* part = z + range.begin;
    std::copy(part, part + range.count, z_.begin());
    bilateral_.project_out(c, z_.data());
    for (int k = 0; k < range.count; ++k) part[k] -= z_[k];
  }
}

void Constraints::remember_correction(const double* z, State& state) const {
  const std::size_t n = cluster_z_count_;
  std::vector<double>& p = state.projection;
  if (p.size() < kCorrectionsKept * n) p.resize(p.size() + n);
  std::copy_backward(p.begin(), p.end() - static_cast<std::ptrdiff_t>(n), p.end());
  std::copy(z, z + n, p.begin());
}

// Newton steps with the factors at hand, renewed where they no longer fit. Ends with the poses at state.q.
// polish: one step more than it takes, where what is left would be divided by a short step.
bool Constraints::correct_positions(const ModelData& model, int iterations, State& state, Workspace& work,
                                    double* z_total, bool polish) {
  double last = std::numeric_limits<double>::infinity();
  bool is_renewed = false, is_polished = !polish && !bilateral_.has_speeds();
  for (int i = 0;; ++i) {
    kernels().poses(model.links.data(), static_cast<int>(model.links.size()), state.q.data(),
                    work.kinematics.X_WL.data());
    if (follows_poses_) follow_poses(model, state, work);
    bilateral_.gaps(model, work.kinematics.X_WL.data(), state.q.data(), targets_, state.closure_q.data(), g_.data());
    const double worst = worst_gap();
    if (worst <= kClosed && (is_polished || (!polish && worst_speed_gap() <= kLed))) return true;
    if (i == iterations || std::isnan(worst)) return worst <= kClosed;
    if (is_renewed && worst > kStalled * last && worst <= kOpenByRounding) return true;
    is_polished = is_polished || worst <= kClosed;
    is_renewed = worst > kClosed && worst > kContraction * last;
    if (is_renewed) {
      update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
      whitener_.factor(model, state.q.data(), work);
      bilateral_.update(model, work.kinematics, state.q.data(), state.closure_q.data());
      factor_bilateral(model, work);
    }
    last = worst;
    for (double& gap : g_) gap = -gap;
    bilateral_.solve(g_.data(), z_.data());
    rotors_.weigh(z_.data());
    for (int k = 0; k < cluster_z_count_; ++k) z_total[k] += z_[k];
    std::fill(z_.begin() + cluster_z_count_, z_.end(), 0.0);
    move(model, z_.data(), state, work);
  }
}

// What prescribed positions follow moves while gaps are closed, lengths of tendons and coordinates of loops too.
void Constraints::follow_poses(const ModelData& model, State& state, Workspace& work) {
  update_dependent_coordinates(model, state.q.data(), work.kinematics, state.closure_q.data());
  for (std::size_t i = 0; i < model.motors.size(); ++i)
    if (follows_motion(model.motors[i]) && model.motors[i].kind == MotorKind::kPosition)
      targets_.value[i] = acting_target(model, model.motors[i], state, 0, work).value;
}

void Constraints::project_positions(const ModelData& model, const ConstraintOptions& options, double h, State& state,
                                    Workspace& work, ConstraintReport& report) {
  if (bilateral_.row_count() == 0) return;
  if (follows_poses_)
    kernels().poses(model.links.data(), static_cast<int>(model.links.size()), state.q.data(),
                    work.kinematics.X_WL.data());
  if (has_prescribed_) evaluate_targets_at_end(model, state, work);
  std::fill(z_total_.begin(), z_total_.end(), 0.0);
  std::fill(moved_.begin(), moved_.end(), 0.0);
  if (state.impulse_step == h && !state.projection.empty()) {
    predict_correction(state, z_total_.data());
    rotors_.weigh(z_total_.data());
    move(model, z_total_.data(), state, work);
  }
  const bool closed =
      correct_positions(model, kProjectionIterations, state, work, z_total_.data(), options.settling_time > 0);
  report.converged = report.converged && closed;
  for (int j = 0; j < model.u_count; ++j) state.u[j] += moved_[j] / h;
  if (wants_reactions_) {
    z_ = z_total_;
    rotors_.add_push(z_.data(), rotor_impulse_.data());
    bilateral_.rates_of(z_.data(), gamma_.data());
    bilateral_.solve_impulses(gamma_.data(), lambda_.data());
    state.carried_impulses.clear();
    carry_impulses(1 / h, state);
  }
  remember_correction(z_total_.data(), state);
}

void Constraints::close_positions(const ModelData& model, State& state, Workspace& work, ConstraintReport& report) {
  std::fill(z_total_.begin(), z_total_.end(), 0.0);
  const bool closed = correct_positions(model, kProjectionIterations, state, work, z_total_.data());
  report.converged = report.converged && closed;
}

void Constraints::close_state(const ModelData& model, const ConstraintOptions& options, State& state, Workspace& work,
                              ConstraintReport& report) {
  linearize(model, options, state, work);
  if (bilateral_.row_count() == 0) return;
  evaluate_targets(model, 0, state, work);
  aimed_at_ = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < model.motors.size(); ++i)  // prescribed speeds have led where they have
    if (model.motors[i].kind == MotorKind::kVelocity) targets_.value[i] = std::numeric_limits<double>::quiet_NaN();
  close_positions(model, state, work, report);
  linearize(model, options, state, work);
  carried_ = state.carried_impulses;
  project_velocities(model, state, work);
  std::swap(state.carried_impulses, carried_);
}

void Constraints::project_velocities(const ModelData& model, State& state, Workspace& work) {
  if (bilateral_.row_count() == 0) return;
  meet_rates(model, state, work);
  if (follows_poses_) meet_rates(model, state, work);  // what is followed has its velocity now
}

void Constraints::meet_rates(const ModelData& model, State& state, Workspace& work) {
  if (follows_poses_) evaluate_targets(model, 0, state, work);
  bilateral_.rates(state.u.data(), work.kinematics.V_WL.data(), targets_, gamma_.data());
  change_rates();
  whitener_.velocities(model, work, z_.data(), du_.data());
  for (int j = 0; j < model.u_count; ++j) state.u[j] += du_[j];
  kernels().link_velocities(model.links.data(), static_cast<int>(model.links.size()), work.kinematics.X_WL.data(),
                            work.kinematics.S_W.data(), state.u.data(), work.kinematics.V_WL.data());
  if (!wants_reactions_) return;
  find_push();
  carry_impulses(1, state);
}

// z_ of what takes gamma_ from the rates, armature of rotors included; gamma_ is then what it adds.
void Constraints::change_rates() {
  for (double& rate : gamma_) rate = -rate;
  std::fill(z_.begin(), z_.end(), 0.0);
  bilateral_.solve(gamma_.data(), z_.data());
  rotors_.weigh(z_.data());
}

// The impulses of that: lambda_ and rotor_impulse_.
void Constraints::find_push() {
  rotors_.add_push(z_.data(), rotor_impulse_.data());
  if (rotors_.any()) bilateral_.rates_of(z_.data(), gamma_.data());  // also what the rows do to carry the rotors along
  bilateral_.solve_impulses(gamma_.data(), lambda_.data());
}

std::vector<std::string> Constraints::undetermined_laws(const ModelData& model) const {
  return laws_.undetermined_names(model, problem_);
}

// Corrections in the norm of M also move joints that no loop holds, light ones most: back into their limits, then close
// again, as long as that brings anything.
bool Constraints::close_within_limits(const ModelData& model, State& state, Workspace& work) {
  constexpr int kRounds = 30;
  for (int round = 0; correct_positions(model, 200, state, work, z_total_.data()); ++round) {
    bool has_moved = false;
    for (const LimitData& limit : model.limits) {
      if (!limit.dof.is_in_tree()) continue;
      double& q = state.q[limit.dof.q_index];
      const double inside = std::clamp(q, limit.lower, limit.upper);
      has_moved = has_moved || std::abs(inside - q) > kClosed;
      if (round < kRounds) q = inside;
    }
    if (!has_moved || round == kRounds) return true;
  }
  return false;
}

bool Constraints::is_upright(const ModelData& model, const Workspace& work) const {
  return std::all_of(model.closures.begin(), model.closures.end(), [&](const ClosureData& c) {
    return closure_upright(c, closure_frames(c, work.kinematics.X_WL.data()));
  });
}

// The rows of directions vanish at a quarter turn: from there on, Newton's steps lead anywhere. Loops that are turned
// so far are closed in stages, each of which leaves a smaller part of the turn. False, with the state as it was, where
// none is, or where that leads to nothing.
bool Constraints::close_by_stages(const ModelData& model, State& state, Workspace& work) {
  constexpr double kFar = 1.4, kStage = 0.35;  // [rad]
  std::vector<ClosureFrames> frames;
  double farthest = 0;
  for (const ClosureData& c : model.closures) {
    frames.push_back(closure_frames(c, work.kinematics.X_WL.data()));
    farthest = std::max(farthest, norm(closure_turn(c, frames.back())));
  }
  if (farthest < kFar) return false;
  const std::vector<double> q = state.q, closure_q = state.closure_q;
  const int count = static_cast<int>(std::ceil(farthest / kStage));
  ModelData staged = model;
  for (int k = 1; k < count; ++k) {
    for (std::size_t i = 0; i < model.closures.size(); ++i)
      staged.closures[i] = partly_turned(model.closures[i], frames[i], 1 - static_cast<double>(k) / count);
    linearize(staged, {}, state, work);
    correct_positions(staged, 200, state, work, z_total_.data());
  }
  linearize(model, {}, state, work);
  if (close_within_limits(model, state, work) && is_upright(model, work)) return true;
  state.q = q, state.closure_q = closure_q;
  std::fill(z_total_.begin(), z_total_.end(), 0.0);
  linearize(model, {}, state, work);
  return false;
}

namespace {

[[noreturn]] void refuse_open(const BilateralRows& rows, const ModelData& model, int row, double gap, double rounding) {
  const std::string what = rows.owner_of(model, row);
  if (gap <= rounding)
    throw InputError(rows.where_of(model, row),
                     fmt::format("{} can be closed only where joints are beyond their limits", what),
                     "check the limits of the joints in it, or begin nearer to the closed position");
  throw InputError(rows.where_of(model, row),
                   fmt::format("{} cannot be closed: {:.3g} {} are left after the best try; expected frames that "
                               "can meet from the initial coordinates",
                               what, gap, rows.is_length(row) ? "m" : "rad"),
                   "check the lengths and the places of the joints, or begin nearer to the closed position");
}

}  // namespace

Constraints::Assembled Constraints::assemble(const ModelData& model, State& state, Workspace& work) {
  Assembled result;
  if (bilateral_.row_count() == 0) return result;
  update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);  // targets may look at it
  update_dependent_coordinates(model, state.q.data(), work.kinematics, state.closure_q.data());
  evaluate_targets(model, 0, state, work);
  for (std::size_t i = 0; i < model.motors.size(); ++i)
    if (model.motors[i].kind == MotorKind::kVelocity) targets_.value[i] = std::numeric_limits<double>::quiet_NaN();
  linearize(model, {}, state, work);
  bilateral_.gaps(model, work.kinematics.X_WL.data(), state.q.data(), targets_, state.closure_q.data(), g_.data());
  int row = 0;
  worst_gap(&row);
  result.was_open = bilateral_.opening(g_.data(), row);
  result.worst = bilateral_.owner_of(model, row);
  const std::vector<double> before = state.q;
  std::fill(z_total_.begin(), z_total_.end(), 0.0);
  if (!close_by_stages(model, state, work) && !close_within_limits(model, state, work)) {
    state.q = before;
    const double gap = closest_gap(model, state, work, &row);  // by other steps, which may have closed it
    std::fill(z_total_.begin(), z_total_.end(), 0.0);
    linearize(model, {}, state, work);
    if (!close_within_limits(model, state, work))
      refuse_open(bilateral_, model, row, gap, kClosed * std::max(1.0, length_scale_));
  }
  for (std::size_t i = 0; i < model.closures.size(); ++i) {
    const ClosureData& c = model.closures[i];
    if (!closure_upright(c, closure_frames(c, work.kinematics.X_WL.data())))
      throw InputError(where_of_closure(model, static_cast<int>(i)),
                       fmt::format("loop '{}' closes only with its frames turned over; expected initial coordinates "
                                   "nearer to the closed position",
                                   c.name));
  }
  for (std::size_t k = 0; k < before.size(); ++k)
    result.moved = std::max(result.moved, std::abs(state.q[k] - before[k]));
  linearize(model, {}, state, work);
  project_velocities(model, state, work);
  state.carried_impulses.clear();
  return result;
}

}  // namespace lipkin
