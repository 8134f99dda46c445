#include "steppers/stepper_moreau.hpp"

#include <algorithm>

#include "tree/coordinates.hpp"
#include "tree/kernels.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

StepReport StepperMoreau::step(const ModelData& model, const StepOptions& options, State& state, Workspace& work) {
  const double h = std::min(options.dt, options.limit - state.t);
  const double t_end = h < options.dt ? options.limit : state.t + h;
  const Link* links = model.links.data();
  const int link_count = static_cast<int>(model.links.size());
  const bool project = options.constraints.stabilization == StabilizationKind::kProjection;
  StepReport report;
  report.evaluations = 1;
  report.audit = &audit_.report();
  if (!linearized_ && project) {
    set_implicit_diag(model, h, work);
    constraints_.linearize(model, options.constraints, state, work);
  } else if (!linearized_) {
    update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
  }
  audit_.begin_step(model, work.kinematics, state);
  if (project) constraints_.projection().lead_speeds(model, h, state, state.u.data(), work);
  constraints_.lead_angles(model, h, state, work);
  kernels().retract(links, link_count, state.q.data(), h, state.u.data(), state.q.data());
  state.t = std::min(t_end, options.before_jump);
  if (options.ledger) options.ledger->before_stabilization(model, 0, state, state.u);
  if (project)
    constraints_.projection().project_positions(model, h, options.constraints.settling_time > 0, state, work,
                                                report.constraints);
  set_implicit_diag(model, h, work);
  if (project) {
    constraints_.linearize_projected(model, options.constraints, state, work);
  } else {
    constraints_.linearize(model, options.constraints, state, work);
  }
  if (options.ledger) options.ledger->after_projection(model, state);
  velocities_without_impulses(model, h, state, work, u_new_);
  pseudo_.resize(model.u_count);
  audit_.aim(model, state, h, {false, options.constraints.settling_time}, work);
  constraints_.solve(model, options.constraints, ContactTiming::kClosed, h, state, work, u_new_.data(), pseudo_.data(),
                     report.constraints);
  report.finite = all_finite(state.q) && all_finite(u_new_) && all_finite(pseudo_);
  if (!report.finite) return report;
  audit_.check_solve(model, work.kinematics, state, u_new_.data(),
                     {options.check_contacts, true, feedback(options, h)});
  if (options.ledger) {
    options.ledger->solved(model, h, state, u_new_, work, &constraints_);
    options.ledger->before_stabilization(model, 0, state, u_new_);
  }
  state.u = u_new_;
  linearized_ = std::all_of(pseudo_.begin(), pseudo_.end(), [](double x) { return x == 0; });
  if (!linearized_) {
    kernels().retract(links, link_count, state.q.data(), h, pseudo_.data(), state.q.data());
    update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
    update_dependent_coordinates(model, state.q.data(), work.kinematics, state.closure_q.data());
  }
  constraints_.evaluate_prescribed(model, state, work);
  audit_.check_end(model, !linearized_, state, work);
  state.t = t_end;
  judge(options, true, report);
  if (options.ledger && report.is_good()) options.ledger->after_stabilization(model, state, nullptr);
  return report;
}

}  // namespace lipkin
