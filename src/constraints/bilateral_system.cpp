#include "constraints/bilateral_system.hpp"

#include <algorithm>
#include <cmath>

#include "model/mechanism_size.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

BilateralSystem::BilateralSystem(const ModelData& model)
    : layout_(model, bilateral_links(model)),
      whitener_(model, layout_),
      rows_(model, layout_),
      rotors_(model, layout_),
      length_scale_(mechanism_size(model)),
      gaps_(static_cast<std::size_t>(rows_.row_count()), 0.0) {
  for (int r = 0; r < row_count(); ++r) gap_weight_.push_back(rows_.is_length(r) ? 1 / length_scale_ : 1);
  for (int c = 0; c < layout_.cluster_count(); ++c)
    cluster_z_count_ = layout_.cluster(c).begin + layout_.cluster(c).count;
}

void BilateralSystem::linearize(const ModelData& model, bool factored, State& state, Workspace& work) {
  rows_.take_frames(model, work.kinematics.X_WL.data());
  linearize_measured(model, factored, state, work);
}

void BilateralSystem::linearize_measured(const ModelData& model, bool factored, State& state, Workspace& work) {
  update_dependent_coordinates(model, state.q.data(), rows_.frames().data(), work.kinematics, state.closure_q.data());
  whitener_.factor(model, state.q.data(), work);
  rows_.update(model, work.kinematics, state.q.data(), state.closure_q.data());
  if (factored) factor(model, work);
}

void BilateralSystem::linearize_at(const ModelData& model, bool factored, State& state, Workspace& work) {
  update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
  linearize(model, factored, state, work);
}

void BilateralSystem::factor(const ModelData& model, Workspace& work) {
  rows_.factor(model, whitener_, work);
  if (!empty()) rotors_.update(model, work.kinematics, whitener_, rows_, work);
}

double BilateralSystem::worst_speed_gap() const {
  double worst = 0;
  for (int r = 0; r < row_count(); ++r)
    if (rows_.is_speed(r)) worst = std::max(worst, std::abs(gaps_[r]));
  return worst;
}

double BilateralSystem::worst_gap(int* row) const {
  double worst = 0;
  for (int r = 0; r < row_count(); ++r) {
    const double size = std::abs(gaps_[r]) * gap_weight_[r];
    if (size <= worst) continue;
    worst = size;
    if (row) *row = r;
    if (std::isnan(size)) break;
  }
  return worst;
}

void BilateralSystem::take_away(std::vector<double>& rates, std::vector<double>& z) {
  for (double& rate : rates) rate = -rate;
  std::fill(z.begin(), z.end(), 0.0);
  rows_.solve(rates.data(), z.data());
  rotors_.weigh(z.data());
}

}  // namespace lipkin
