// Semi-implicit Euler: u first, then q along the new u. First order; symplectic where M is constant.
//
// Joint springs and dampers are taken at the end of the step to first order (linear-implicit):
//   (M + h D + h² K) du = h (tau - D u - K (x + h u)),
// which the articulated-body pass solves at no cost, D and K being diagonal. Stiff joints do not limit the step.
//
// With constraints (the second paper, section 4): velocities without impulses, impulses on velocity level with the rows
// at the begin of the step, positions along the new velocities. With `projection` the positions are then moved onto the
// bilateral rows and the velocities made to fit them there; the linearisation for that is the next step's first.
//
// Variable steps: see steppers/motion_step.hpp.
#pragma once

#include "steppers/constrained_step.hpp"
#include "steppers/motion_step.hpp"

namespace lipkin {

class StepperEuler : public Stepper {
 public:
  StepperEuler(const ModelData& model, ConstraintSystem& constraints, StepKind step)
      : constraints_(constraints),
        step_kind_(step),
        motion_step_(model),
        u_new_(model.u_count),
        audit_(model, constraints.tree_friction_is_force(), constraints.bilateral().row_count() > 0) {}

  StepReport step(const ModelData& model, const StepOptions& options, State& state, Workspace& work) override;
  void invalidate() override { linearized_for_ = -1; }
  bool chooses_steps() const override { return step_kind_ == StepKind::kVariable; }

 private:
  StepReport free_step(const ModelData& model, const StepOptions& options, double h, State& state, Workspace& work);
  StepReport constrained_step(const ModelData& model, const StepOptions& options, double h, State& state,
                              Workspace& work);

  ConstraintSystem& constraints_;
  StepKind step_kind_;
  MotionStep motion_step_;
  double linearized_for_ = -1;  // the step that work.diag and the linearisation at the state belong to [s]; -1: none
  std::vector<double> u_new_, pseudo_;
  StepAudit audit_;
};

}  // namespace lipkin
