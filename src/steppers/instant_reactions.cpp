#include "steppers/instant_reactions.hpp"

#include <algorithm>

#include "forces/evaluate_forces.hpp"
#include "forces/regularised_forces.hpp"
#include "steppers/constrained_step.hpp"
#include "tree/kernels.hpp"

namespace lipkin {

// The step takes joint springs and dampers at its end, which the accelerations of an instant do not: the rows make up
// for the difference, so that gears and loops hold in them too.
bool InstantReactions::find(const ModelData& model, const ConstraintOptions& options, double h, bool turned,
                            TurningSeen seen, ConstraintSystem& constraints, State& state, Workspace& work) {
  constraints.want_reactions(true);
  constraints.at_an_instant().measure_turning(model, state, work);
  const bool is_solved = seen == TurningSeen::kNotYet && constraints.has_laws()
                             ? solve_ahead(model, options, h, constraints, state, work)
                             : solve(model, options, ContactTiming::kAhead, h, constraints, state, work);
  if (!is_solved) return false;
  if (constraints.bilateral().row_count() == 0) return true;
  accelerate_now(model, options, constraints, state, work);
  const bool feeds_back = options.stabilization == StabilizationKind::kBaumgarte;
  constraints.at_an_instant().complete(model, h, turned, feeds_back ? ConstraintSystem::kBaumgarte : 0, work.du.data(),
                                       state, work);
  return all_finite(state.reactions);
}

void InstantReactions::adapt(const ModelData& model, const ConstraintOptions& options,
                             const std::vector<double>& u_before, ConstraintSystem& constraints, State& state,
                             Workspace& work) {
  accelerate_now(model, options, constraints, state, work);
  constraints.at_an_instant().keep_pace_with_step(model, state.impulse_step, u_before.data(), work.du.data(), state,
                                                  work);
}

// Without what a step adds to the inertia; leaves the bilateral rows factored in that norm.
void InstantReactions::accelerate_now(const ModelData& model, ConstraintOptions options, ConstraintSystem& constraints,
                                      State& state, Workspace& work) {
  work.diag = model.armature;
  options.solver = SolverKind::kHybrid;
  constraints.linearize(model, options, state, work);
  accelerate_with_reactions(model, state, constraints, work);
}

// As `moreau` does: where the velocities lead in the step they no longer fit the rows, by h dW/dt u. What motors aim at
// a step behind that would be twice the acceleration of their targets.
bool InstantReactions::solve_ahead(const ModelData& model, ConstraintOptions options, double h,
                                   ConstraintSystem& constraints, State& state, Workspace& work) {
  const double t = state.t;
  q_ = state.q;
  closure_q_ = state.closure_q;
  options.stabilization = StabilizationKind::kNone;
  constraints.measure_offsets(model, state, work, offsets_);
  options.off_target = &offsets_;
  kernels().retract(model.links.data(), static_cast<int>(model.links.size()), q_.data(), h, state.u.data(),
                    state.q.data());
  state.t = t + h;
  const bool is_solved = solve(model, options, ContactTiming::kClosed, h, constraints, state, work);
  state.t = t;
  state.q = q_;
  state.closure_q = closure_q_;
  return is_solved;
}

bool InstantReactions::solve(const ModelData& model, const ConstraintOptions& options, ContactTiming timing, double h,
                             ConstraintSystem& constraints, State& state, Workspace& work) {
  set_implicit_diag(model, h, work);
  constraints.linearize(model, options, state, work);
  velocities_without_impulses(model, h, state, work, u_new_);
  pseudo_.resize(static_cast<std::size_t>(model.u_count));
  state.carried_impulses.clear();
  ConstraintReport report;
  constraints.solve(model, options, timing, h, state, work, u_new_.data(), pseudo_.data(), report);
  return all_finite(u_new_);
}

void accelerate_with_reactions(const ModelData& model, State& state, ConstraintSystem& constraints, Workspace& work) {
  evaluate_forces_there(model, state, 0, work);
  if (work.regularised) work.regularised->remember(state);
  if (!constraints.empty()) constraints.react(model, state, work);
  accelerate(model, state, work);
}

}  // namespace lipkin
