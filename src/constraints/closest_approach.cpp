// How near the frames of what cannot be closed come, to be told.
#include <algorithm>
#include <cmath>
#include <limits>

#include "constraints/loop_assembly.hpp"
#include "tree/kernels.hpp"

namespace lipkin {

// Sum of the squares of the weighted gaps at state.q.
double LoopAssembly::measure_squares(const ModelData& model, const State& state, Workspace& work) {
  std::vector<double> closure_q = state.closure_q;
  kernels().poses(model.links.data(), static_cast<int>(model.links.size()), state.q.data(),
                  work.kinematics.X_WL.data());
  bilateral_.measure_gaps(model, state.q.data(), targets_.values(), work, closure_q.data());
  const std::vector<double>& gaps = bilateral_.gaps();
  double sum = 0;
  for (int r = 0; r < bilateral_.row_count(); ++r)
    sum += gaps[r] * gaps[r] * bilateral_.gap_weight(r) * bilateral_.gap_weight(r);
  return sum;
}

// Moves by the longest part of z, halved again and again, that shrinks the gaps; moves nothing where none does.
bool LoopAssembly::shrink_gaps(const ModelData& model, const std::vector<double>& z, double longest, double shortest,
                               State& state, Workspace& work) {
  const std::vector<double> here = state.q;
  const double now = measure_squares(model, state, work);
  std::vector<double> part_of_z(z.size());
  for (double part = longest; part >= shortest; part /= 2) {
    for (std::size_t k = 0; k < z.size(); ++k) part_of_z[k] = part * z[k];
    projection_.move(model, part_of_z.data(), state, work);
    if (measure_squares(model, state, work) < now) return true;
    state.q = here;
  }
  measure_squares(model, state, work);
  return false;
}

// Newton's steps as long as they shrink the gaps. Near the closest approach, where the rows lose rank, they overshoot:
// there the gradient of the squares, over the length at which their linear model is least (Cauchy's point; Nocedal and
// Wright 2006, section 4.1), leads on. The distance of the worst pair of frames, all their rows of that unit together.
double LoopAssembly::closest_gap(const ModelData& model, State& state, Workspace& work, int* row) {
  constexpr int kSteps = 2000;
  constexpr double kNewtonPart = 0.25, kGradientPart = 1e-6, kProgress = 1e-9;
  BilateralRows& rows = bilateral_.rows();
  std::vector<double>& gaps = bilateral_.gaps();
  std::vector<double> z(static_cast<std::size_t>(bilateral_.layout().z_count())), rates(gaps.size());
  double last = std::numeric_limits<double>::infinity(), least = measure_squares(model, state, work);
  for (int i = 0; i < kSteps && least < (1 - kProgress) * last; ++i) {
    last = least;
    bilateral_.linearize_at(model, true, state, work);
    bilateral_.take_away(gaps, z);
    if (!shrink_gaps(model, z, 1, kNewtonPart, state, work)) {
      const auto weight = [&](std::size_t r) { return bilateral_.gap_weight(static_cast<int>(r)); };
      for (std::size_t r = 0; r < gaps.size(); ++r) gaps[r] *= -weight(r) * weight(r);
      std::fill(z.begin(), z.end(), 0.0);
      rows.push(gaps.data(), z.data());
      bilateral_.rotors().weigh(z.data());
      rows.rates_of(z.data(), rates.data());
      double slope = 0, curvature = 0;
      for (std::size_t r = 0; r < gaps.size(); ++r) {
        slope += gaps[r] * rates[r];
        curvature += rates[r] * rates[r] * weight(r) * weight(r);
      }
      if (!(curvature > 0) || !shrink_gaps(model, z, slope / curvature, kGradientPart * slope / curvature, state, work))
        break;
    }
    least = measure_squares(model, state, work);
  }
  bilateral_.worst_gap(row);
  const std::string owner = rows.owner_of(model, *row);
  double square = 0;
  for (int r = 0; r < bilateral_.row_count(); ++r)
    if (rows.is_length(r) == rows.is_length(*row) && rows.owner_of(model, r) == owner) square += gaps[r] * gaps[r];
  return std::sqrt(square);
}

}  // namespace lipkin
