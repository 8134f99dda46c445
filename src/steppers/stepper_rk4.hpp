// The classical Runge-Kutta method of fourth order, fixed step, in local coordinates.
#pragma once

#include <vector>

#include "steppers/local_system.hpp"

namespace lipkin {

class StepperRk4 : public Stepper {
 public:
  explicit StepperRk4(const ModelData& model);
  StepReport step(const ModelData& model, const StepOptions& options, State& state, Workspace& work) override;

 private:
  LocalSystem system_;
  std::vector<double> y0_, y_, rate_, sum_;
};

}  // namespace lipkin
