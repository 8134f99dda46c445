// Reactions of an instant: what bilateral rows exert on a mechanism that is at a state, by the accelerations that they
// ask for. With the rates W u - r of the rows they are those of
//   M a = f + W^T lambda,   W a = dr/dt - dW/dt u
// (acceleration level; E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, 1996, section VII.1). dr/dt
// is the difference quotient over the coming step, so that a speed which jumps shows as in the steps.
#include <algorithm>
#include <cmath>

#include "assembly/constraints.hpp"
#include "tree/coordinates.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

// How far the mechanism turns, or goes in parts of its size, for the difference that dW/dt u is found from: its error
// is the square of this, rounding comes in divided by it.
constexpr double kTurn = 1e-5;

double greatest_rate(const KinematicsWork& kinematics, double length) {
  double rate = 0;
  for (std::size_t i = 1; i < kinematics.V_WL.size(); ++i) {
    const Motion<double>& V = kinematics.V_WL[i];
    rate = std::max({rate, norm(V.w), norm(V.v) / length});
  }
  return rate;
}

}  // namespace

// Rates of the rows for the velocities of the state, where these have led after a time.
void Constraints::turned_rates(const ModelData& model, double time, State& state, Workspace& work, double* rates) {
  kernels().retract(model.links.data(), static_cast<int>(model.links.size()), state.q.data(), time, state.u.data(),
                    turned_q_.data());
  update_kinematics(model, turned_q_.data(), state.u.data(), work.kinematics);
  update_dependent_coordinates(model, turned_q_.data(), work.kinematics, state.closure_q.data());
  bilateral_.update(model, work.kinematics, turned_q_.data(), state.closure_q.data());
  bilateral_.rates(state.u.data(), work.kinematics.V_WL.data(), targets_, rates);
}

void Constraints::measure_turning(const ModelData& model, State& state, Workspace& work) {
  turning_.assign(static_cast<std::size_t>(bilateral_.row_count()), 0.0);
  if (turning_.empty()) return;
  turned_q_.resize(state.q.size());
  update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
  const double rate = greatest_rate(work.kinematics, length_scale_);
  if (!(rate > 0)) return;
  const double time = kTurn / rate;
  turned_rates(model, -time, state, work, gamma_.data());
  turned_rates(model, time, state, work, turning_.data());
  for (std::size_t r = 0; r < turning_.size(); ++r) turning_[r] = (turning_[r] - gamma_[r]) / (2 * time);
}

// Rates of the rows for velocities u + h du.
void Constraints::rates_after(const ModelData& model, const double* u, double h, const double* du,
                              const Workspace& work, double* rates) {
  for (int j = 0; j < model.u_count; ++j) moved_[j] = u[j] + h * du[j];
  kernels().link_velocities(model.links.data(), static_cast<int>(model.links.size()), work.kinematics.X_WL.data(),
                            work.kinematics.S_W.data(), moved_.data(), V_free_.data());
  bilateral_.rates(moved_.data(), V_free_.data(), targets_, rates);
}

// Those that take gamma_ from the rates.
void Constraints::add_missing_reactions(State& state) {
  change_rates();
  find_push();
  for (std::size_t r = 0; r < lambda_.size(); ++r) state.reactions[r] += lambda_[r];
  for (std::size_t i = 0; i < rotor_impulse_.size(); ++i) state.reactions[lambda_.size() + i] += rotor_impulse_[i];
}

void Constraints::complete_reactions(const ModelData& model, const ConstraintOptions& options, double h, bool turned,
                                     const double* du, State& state, Workspace& work) {
  if (!turned) evaluate_targets(model, h, state, work);
  rates_after(model, state.u.data(), h, du, work, gamma_.data());
  const bool feeds_back = turned && options.stabilization == StabilizationKind::kBaumgarte;  // as the solve did
  for (std::size_t r = 0; r < gamma_.size(); ++r)
    gamma_[r] += turned ? (feeds_back ? kBaumgarte * g_[r] / h : 0) : h * turning_[r];
  add_missing_reactions(state);
}

void Constraints::keep_pace_with_step(const ModelData& model, double h, const double* u_before, const double* du,
                                      State& state, Workspace& work) {
  rates_after(model, u_before, h, du, work, gamma_.data());
  rates_after(model, state.u.data(), 0, du, work, g_.data());  // what is prescribed cancels
  for (std::size_t r = 0; r < gamma_.size(); ++r) gamma_[r] -= g_[r];
  add_missing_reactions(state);
}

}  // namespace lipkin
