#include "steppers/stepper_euler.hpp"

#include <algorithm>

#include "steppers/free_spin.hpp"
#include "tree/kernels.hpp"

namespace lipkin {

StepReport StepperEuler::step(const ModelData& model, const StepOptions& options, State& state, Workspace& work) {
  const double wanted =
      step_kind_ == StepKind::kVariable ? motion_step_.choose(model, options, state, work) : options.dt;
  // What rounding leaves of the way to the limit is no step of its own: its impulse over its length would be noise.
  constexpr double kRounding = 1e-9;
  const bool last = (options.limit - state.t) < wanted * (step_kind_ == StepKind::kVariable ? 1 + kRounding : 1);
  const double h = last ? options.limit - state.t : wanted;
  const double t_end = last ? options.limit : state.t + h;
  const StepReport report = constraints_.empty() ? free_step(model, options, h, state, work)
                                                 : constrained_step(model, options, h, state, work);
  if (report.is_good()) state.t = t_end;
  return report;
}

StepReport StepperEuler::free_step(const ModelData& model, const StepOptions& options, double h, State& state,
                                   Workspace& work) {
  set_implicit_diag(model, h, work);
  evaluate_accelerations(model, state, h, work);
  StepReport report;
  report.evaluations = 1;
  double check = 0;  // one NaN or infinity spoils 0 * x
  for (int j = 0; j < model.u_count; ++j) {
    u_new_[j] = state.u[j] + h * work.du[j];
    check += 0 * u_new_[j];
  }
  report.finite = check == 0;
  if (!report.finite) return report;
  turn_free_bodies(model, h, state, u_new_.data());
  if (options.ledger) options.ledger->solved(model, h, state, u_new_, work, nullptr);
  std::copy(u_new_.begin(), u_new_.end(), state.u.begin());
  kernels().retract(model.links.data(), static_cast<int>(model.links.size()), state.q.data(), h, state.u.data(),
                    state.q.data());
  report.finite = all_finite(state.q);
  return report;
}

StepReport StepperEuler::constrained_step(const ModelData& model, const StepOptions& options, double h, State& state,
                                          Workspace& work) {
  const int link_count = static_cast<int>(model.links.size());
  const Link* links = model.links.data();
  if (linearized_for_ != h) {
    set_implicit_diag(model, h, work);
    constraints_.linearize(model, options.constraints, state, work);
  }
  audit_.begin_step(model, work.kinematics, state);
  StepReport report;
  report.evaluations = 1;
  report.audit = &audit_.report();
  velocities_without_impulses(model, h, state, work, u_new_);
  pseudo_.resize(model.u_count);
  audit_.aim(model, state, h, {true}, work);
  constraints_.solve(model, options.constraints, ContactTiming::kAhead, h, state, work, u_new_.data(), pseudo_.data(),
                     report.constraints);
  report.finite = all_finite(u_new_) && all_finite(pseudo_);
  if (!report.finite) return report;
  const bool project = options.constraints.stabilization == StabilizationKind::kProjection;
  const bool is_first = !constraints_.reactions().has_carried(state);
  audit_.check_solve(model, work.kinematics, state, u_new_.data(),
                     {options.check_contacts, !project, feedback(options, h)});
  if (options.ledger) {
    options.ledger->solved(model, h, state, u_new_, work, &constraints_);
    options.ledger->before_stabilization(model, h, state, u_new_);
  }
  // Where loops are projected, what pushes bodies out comes afterwards: the corrections that it needs are no motion.
  const bool pushes_later = project && constraints_.bilateral().row_count() > 0 &&
                            std::any_of(pseudo_.begin(), pseudo_.end(), [](double x) { return x != 0; });
  for (int j = 0; j < model.u_count; ++j) {
    state.u[j] = u_new_[j];
    if (!pushes_later) u_new_[j] += pseudo_[j];
  }
  if (project) constraints_.projection().lead_speeds(model, h, state, state.u.data(), work);
  constraints_.lead_angles(model, h, state, work);
  kernels().retract(links, link_count, state.q.data(), h, u_new_.data(), state.q.data());
  state.t += h;
  if (project) {
    constraints_.projection().project_positions(model, h, options.constraints.settling_time > 0, state, work,
                                                report.constraints);
    if (pushes_later) {
      kernels().retract(links, link_count, state.q.data(), h, pseudo_.data(), state.q.data());
      constraints_.projection().close_positions(model, state, work, report.constraints);
    }
    constraints_.linearize_projected(model, options.constraints, state, work);
    constraints_.projection().project_velocities(model, state, work);
    if (is_first) constraints_.reactions().add_carried(state);
  } else {
    constraints_.linearize(model, options.constraints, state, work);
    constraints_.evaluate_prescribed(model, state, work);
  }
  linearized_for_ = h;
  report.finite = all_finite(state.q) && all_finite(state.u);
  if (report.finite) {
    audit_.check_end(model, true, state, work);
    judge(options, !project, report);
  }
  if (options.ledger && report.is_good())
    options.ledger->after_stabilization(model, state, project ? &constraints_ : nullptr);
  return report;
}

}  // namespace lipkin
