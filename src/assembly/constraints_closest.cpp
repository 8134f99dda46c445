// How near the frames of what cannot be closed come, to be told.
#include <algorithm>
#include <cmath>
#include <limits>

#include "assembly/constraints.hpp"
#include "tree/kernels.hpp"

namespace lipkin {

// Sum of the squares of the weighted gaps at state.q.
double Constraints::measure_squares(const ModelData& model, const State& state, Workspace& work) {
  std::vector<double> closure_q = state.closure_q;
  kernels().poses(model.links.data(), static_cast<int>(model.links.size()), state.q.data(),
                  work.kinematics.X_WL.data());
  bilateral_.gaps(model, work.kinematics.X_WL.data(), state.q.data(), targets_, closure_q.data(), g_.data());
  double sum = 0;
  for (int r = 0; r < bilateral_.row_count(); ++r) sum += g_[r] * g_[r] * gap_weight_[r] * gap_weight_[r];
  return sum;
}

// Moves by the longest part of z, halved again and again, that shrinks the gaps; moves nothing where none does.
bool Constraints::shrink_gaps(const ModelData& model, const std::vector<double>& z, double longest, double shortest,
                              State& state, Workspace& work) {
  const std::vector<double> here = state.q;
  const double now = measure_squares(model, state, work);
  for (double part = longest; part >= shortest; part /= 2) {
    for (std::size_t k = 0; k < z.size(); ++k) z_[k] = part * z[k];
    move(model, z_.data(), state, work);
    if (measure_squares(model, state, work) < now) return true;
    state.q = here;
  }
  measure_squares(model, state, work);
  return false;
}

// Newton's steps as long as they shrink the gaps. Near the closest approach, where the rows lose rank, they overshoot:
// there the gradient of the squares, over the length at which their linear model is least (Cauchy's point; Nocedal and
// Wright 2006, section 4.1), leads on. The distance of the worst pair of frames, all their rows of that unit together.
double Constraints::closest_gap(const ModelData& model, State& state, Workspace& work, int* row) {
  constexpr int kSteps = 2000;
  constexpr double kNewtonPart = 0.25, kGradientPart = 1e-6, kProgress = 1e-9;
  std::vector<double> z(z_.size()), rates(g_.size());
  double last = std::numeric_limits<double>::infinity(), least = measure_squares(model, state, work);
  for (int i = 0; i < kSteps && least < (1 - kProgress) * last; ++i) {
    last = least;
    linearize(model, {}, state, work);
    for (double& gap : g_) gap = -gap;
    std::fill(z.begin(), z.end(), 0.0);
    bilateral_.solve(g_.data(), z.data());
    rotors_.weigh(z.data());
    if (!shrink_gaps(model, z, 1, kNewtonPart, state, work)) {
      for (std::size_t r = 0; r < g_.size(); ++r) g_[r] *= -gap_weight_[r] * gap_weight_[r];
      std::fill(z.begin(), z.end(), 0.0);
      bilateral_.push(g_.data(), z.data());
      rotors_.weigh(z.data());
      bilateral_.rates_of(z.data(), rates.data());
      double slope = 0, curvature = 0;
      for (std::size_t r = 0; r < g_.size(); ++r) {
        slope += g_[r] * rates[r];
        curvature += rates[r] * rates[r] * gap_weight_[r] * gap_weight_[r];
      }
      if (!(curvature > 0) || !shrink_gaps(model, z, slope / curvature, kGradientPart * slope / curvature, state, work))
        break;
    }
    least = measure_squares(model, state, work);
  }
  worst_gap(row);
  const std::string owner = bilateral_.owner_of(model, *row);
  double square = 0;
  for (int r = 0; r < bilateral_.row_count(); ++r)
    if (bilateral_.is_length(r) == bilateral_.is_length(*row) && bilateral_.owner_of(model, r) == owner)
      square += g_[r] * g_[r];
  return std::sqrt(square);
}

}  // namespace lipkin
