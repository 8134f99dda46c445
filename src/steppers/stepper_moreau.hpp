// Half-explicit time stepping after Moreau, as the third paper uses it (sections 2 and 6.4; J. J. Moreau, Unilateral
// contact and dry friction in finite freedom dynamics, 1988): positions first, along the old velocities; contacts that
// are closed there; then velocities and impulses together, impacts included:
//   q⁺ = q ⊞ h u,   M (u⁺ - u) = h f(q⁺, u) + Wᵀ Lambda,   gamma⁺ = -eps gamma⁻ where a closed contact comes in.
// Everything is linearised at q⁺, so that the bilateral rows hold on both levels at the end of the step.
#pragma once

#include "steppers/constrained_step.hpp"

namespace lipkin {

class StepperMoreau : public Stepper {
 public:
  StepperMoreau(const ModelData& model, ConstraintSystem& constraints)
      : constraints_(constraints), audit_(model, constraints.tree_friction_is_force()) {}

  StepReport step(const ModelData& model, const StepOptions& options, State& state, Workspace& work) override;
  void invalidate() override { linearized_ = false; }

  StepAudit& audit() { return audit_; }

 private:
  ConstraintSystem& constraints_;
  StepAudit audit_;
  bool linearized_ = false;  // the constraints' linearisation is that of the state
  std::vector<double> u_new_, pseudo_;
};

}  // namespace lipkin
