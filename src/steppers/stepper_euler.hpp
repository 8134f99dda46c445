// Semi-implicit Euler: u first, then q along the new u. First order; symplectic where M is constant.
//
// Joint springs and dampers are taken at the end of the step to first order (linear-implicit):
//   (M + h D + h² K) du = h (tau - D u - K (x + h u)),
// which the articulated-body pass solves at no cost, D and K being diagonal. Stiff joints do not limit the step.
#pragma once

#include "steppers/stepper.hpp"

namespace lipkin {

class StepperEuler : public Stepper {
 public:
  StepReport step(const ModelData& model, const StepOptions& options, State& state, Workspace& work) override;
};

}  // namespace lipkin
