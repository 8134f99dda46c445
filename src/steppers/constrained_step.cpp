#include "steppers/constrained_step.hpp"

#include "forces/evaluate_forces.hpp"
#include "steppers/free_spin.hpp"
#include "tree/kernels.hpp"

namespace lipkin {

// Pseudo velocities close what a step opens in the next one: gaps of the order of the step's square stay.
constexpr double kSplitTolerates = 100;

void judge(const StepOptions& options, bool at_solve, StepReport& report) {
  if (options.tolerate) return;
  TolerableViolation tolerable = options.tolerable;
  const StabilizationKind kind = options.constraints.stabilization;
  tolerable.gaps = kind == StabilizationKind::kProjection || kind == StabilizationKind::kSplit;
  tolerable.solved = at_solve;
  if (kind == StabilizationKind::kSplit) tolerable.length *= kSplitTolerates, tolerable.angle *= kSplitTolerates;
  report.excess = worst_excess(*report.audit, tolerable);
  const DrivenIn& driven = report.constraints.driven_in;
  const double times = driven.depth / tolerable.length;
  if (driven.speed > tolerable.rate && times > 1 && times > report.excess.times)
    report.excess = {times, driven.depth, tolerable.length, driven.point, "m", "is entered by", Excess::Of::kContact};
}

double feedback(const StepOptions& options, double h) {
  return options.constraints.stabilization == StabilizationKind::kBaumgarte ? ConstraintSystem::kBaumgarte / h : 0;
}

void set_implicit_diag(const ModelData& model, double h, Workspace& work) {
  for (int j = 0; j < model.u_count; ++j)
    work.diag[j] = model.armature[j] + h * (model.damping[j] + h * model.stiffness[j]);
}

void velocities_without_impulses(const ModelData& model, double h, const State& state, Workspace& work,
                                 std::vector<double>& u) {
  evaluate_forces_there(model, state, h, work);
  kernels().acceleration(model.links.data(), static_cast<int>(model.links.size()), model.gravity, state.q.data(),
                         state.u.data(), work.tau.data(), work.has_external ? work.external.data() : nullptr,
                         work.tree(), work.du.data());
  u.resize(model.u_count);
  for (int j = 0; j < model.u_count; ++j) u[j] = state.u[j] + h * work.du[j];
  turn_free_bodies(model, h, state, u.data());
}

}  // namespace lipkin
