#include "steppers/stepper_rk4.hpp"

#include <algorithm>

namespace lipkin {

StepperRk4::StepperRk4(const ModelData& model)
    : system_(model), y0_(system_.size()), y_(system_.size()), rate_(system_.size()), sum_(system_.size()) {}

StepReport StepperRk4::step(const ModelData& model, const StepOptions& options, State& state, Workspace& work) {
  constexpr double kStageTimes[] = {0, 0.5, 0.5, 1};
  constexpr double kWeights[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  const double t = state.t, h = std::min(options.dt, options.limit - t);
  system_.begin(model, state, work, y0_.data());
  sum_ = y0_;
  for (int s = 0; s < 4; ++s) {
    for (std::size_t k = 0; k < y_.size(); ++k) y_[k] = y0_[k] + (s > 0 ? h * kStageTimes[s] * rate_[k] : 0);
    system_.evaluate(model, t + kStageTimes[s] * h, y_.data(), state, work, rate_.data());
    for (std::size_t k = 0; k < sum_.size(); ++k) sum_[k] += h * kWeights[s] * rate_[k];
  }
  StepReport report;
  report.evaluations = 4;
  report.finite = all_finite(sum_);
  if (report.finite) {
    system_.place(model, h < options.dt ? options.limit : t + h, sum_.data(), state);
  } else {
    system_.restore(t, state);
  }
  return report;
}

}  // namespace lipkin
