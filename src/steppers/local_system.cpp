#include "steppers/local_system.hpp"

#include <algorithm>
#include <cmath>

#include "tree/local_coordinates.hpp"

namespace lipkin {

LocalSystem::LocalSystem(const ModelData& model) : u_count_(model.u_count), q_(model.initial_q), u_(model.initial_u) {}

void LocalSystem::begin(const ModelData& model, const State& state, Workspace& work, double* y) {
  std::copy(state.q.begin(), state.q.end(), q_.begin());
  std::copy(state.u.begin(), state.u.end(), u_.begin());
  std::copy(model.armature.begin(), model.armature.end(), work.diag.begin());
  std::fill(y, y + u_count_, 0.0);
  std::copy(u_.begin(), u_.end(), y + u_count_);
}

void LocalSystem::place(const ModelData& model, double t, const double* y, State& state) const {
  state.t = t;
  std::copy(y + u_count_, y + 2 * u_count_, state.u.begin());
  retract<double>(model.links.data(), static_cast<int>(model.links.size()), q_.data(), 1.0, y, state.q.data());
}

void LocalSystem::evaluate(const ModelData& model, double t, const double* y, State& state, Workspace& work,
                           double* rate) const {
  place(model, t, y, state);
  evaluate_accelerations(model, state, 0, work);
  local_rate<double>(model.links.data(), static_cast<int>(model.links.size()), y, y + u_count_, rate);
  std::copy(work.du.begin(), work.du.end(), rate + u_count_);
}

void LocalSystem::evaluate_centre(const ModelData& model, const State& state, Workspace& work, double* rate) const {
  evaluate_accelerations(model, state, 0, work);
  std::copy(state.u.begin(), state.u.end(), rate);
  std::copy(work.du.begin(), work.du.end(), rate + u_count_);
}

void LocalSystem::restore(double t, State& state) const {
  state.t = t;
  std::copy(q_.begin(), q_.end(), state.q.begin());
  std::copy(u_.begin(), u_.end(), state.u.begin());
}

void LocalSystem::sizes(const ModelData& model, double* size) const {
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    const Link& link = model.links[i];
    const JointCoordinates c = coordinates_of(link.kind);
    for (int k = 0; k < c.scalars; ++k) size[link.u_index + k] = std::abs(q_[link.q_index + k]);
    for (int k = 0; c.rotation && k < 3; ++k) size[link.u_index + c.scalars + k] = 1;
  }
  for (int j = 0; j < u_count_; ++j) size[u_count_ + j] = std::abs(u_[j]);
}

}  // namespace lipkin
