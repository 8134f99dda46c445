// Dormand and Prince's Runge-Kutta pair of orders 5 and 4 with adaptive step and dense output of order 4, in local
// coordinates. Dormand, Prince (1980); Hairer, Norsett, Wanner, Solving ODEs I, II.5 and II.6 (DOPRI5): coefficients,
// PI step-size control (IV.2) and continuous extension.
#pragma once

#include <array>
#include <vector>

#include "steppers/local_system.hpp"
#include "steppers/state_stamp.hpp"

namespace lipkin {

class StepperDopri5 : public Stepper {
 public:
  explicit StepperDopri5(const ModelData& model);

  // state.step_size is what the next step will try, state.step_error the controller's memory.
  StepReport step(const ModelData& model, const StepOptions& options, State& state, Workspace& work) override;

  void invalidate() override { end_.forget(); }

  bool has_dense_output() const override { return true; }
  void interpolate(const ModelData& model, double t, State& state) const override;

 private:
  double first_step(const StepOptions& options) const;
  void start(const ModelData& model, State& state, Workspace& work, StepReport& report);
  void run_stages(const ModelData& model, double t, double t_end, State& state, Workspace& work);
  double scaled_error(const StepOptions& options, double h) const;
  void prepare_dense_output(double t, double h);

  LocalSystem system_;
  std::array<std::vector<double>, 7> k_;
  std::vector<double> y0_, y1_, y_, size_;
  std::array<std::vector<double>, 5> dense_;
  mutable std::vector<double> dense_y_;
  double dense_t_ = 0, dense_h_ = 0;

  // The last stage of a step is the first of the next, as long as nothing else has changed: what it was computed from.
  StateStamp end_;
};

}  // namespace lipkin
