#include "constraints/acceleration_reactions.hpp"

#include <algorithm>

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

AccelerationReactions::AccelerationReactions(const ModelData& model, BilateralSystem& bilateral, DriveTargets& targets,
                                             Reactions& reactions)
    : bilateral_(bilateral),
      targets_(targets),
      reactions_(reactions),
      rates_(static_cast<std::size_t>(bilateral.row_count()), 0.0),
      rates_now_(rates_),
      z_(static_cast<std::size_t>(bilateral.layout().z_count()), 0.0),
      u_(static_cast<std::size_t>(model.u_count), 0.0),
      V_(model.links.size()) {}

// Rates of the rows for the velocities of the state, where these have led after a time.
void AccelerationReactions::turned_rates(const ModelData& model, double time, State& state, Workspace& work,
                                         double* rates) {
  kernels().retract(model.links.data(), static_cast<int>(model.links.size()), state.q.data(), time, state.u.data(),
                    turned_q_.data());
  update_kinematics(model, turned_q_.data(), state.u.data(), work.kinematics);
  update_dependent_coordinates(model, turned_q_.data(), work.kinematics, state.closure_q.data());
  bilateral_.rows().take_frames(model, work.kinematics.X_WL.data());
  bilateral_.rows().update(model, work.kinematics, turned_q_.data(), state.closure_q.data());
  bilateral_.rows().rates(state.u.data(), work.kinematics.V_WL.data(), targets_.values(), rates);
}

void AccelerationReactions::measure_turning(const ModelData& model, State& state, Workspace& work) {
  turning_.assign(rates_.size(), 0.0);
  if (turning_.empty()) return;
  turned_q_.resize(state.q.size());
  update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
  const double rate = greatest_rate(work.kinematics, bilateral_.length_scale());
  if (!(rate > 0)) return;
  const double time = kTurn / rate;
  turned_rates(model, -time, state, work, rates_.data());
  turned_rates(model, time, state, work, turning_.data());
  for (std::size_t r = 0; r < turning_.size(); ++r) turning_[r] = (turning_[r] - rates_[r]) / (2 * time);
}

// Rates of the rows for velocities u + h du.
void AccelerationReactions::rates_after(const ModelData& model, const double* u, double h, const double* du,
                                        const Workspace& work, double* rates) {
  for (int j = 0; j < model.u_count; ++j) u_[j] = u[j] + h * du[j];
  kernels().link_velocities(model.links.data(), static_cast<int>(model.links.size()), work.kinematics.X_WL.data(),
                            work.kinematics.S_W.data(), u_.data(), V_.data());
  bilateral_.rows().rates(u_.data(), V_.data(), targets_.values(), rates);
}

// Those that take rates_ away.
void AccelerationReactions::add_missing(State& state) {
  bilateral_.take_away(rates_, z_);
  reactions_.find_push(z_, rates_, true);
  reactions_.add_push(state);
}

void AccelerationReactions::complete(const ModelData& model, double h, bool turned, double feedback, const double* du,
                                     State& state, Workspace& work) {
  if (!turned) targets_.evaluate(model, h, state, work);
  rates_after(model, state.u.data(), h, du, work, rates_.data());
  for (std::size_t r = 0; r < rates_.size(); ++r)
    rates_[r] += turned ? (feedback > 0 ? feedback * bilateral_.gaps()[r] / h : 0) : h * turning_[r];
  add_missing(state);
}

void AccelerationReactions::keep_pace_with_step(const ModelData& model, double h, const double* u_before,
                                                const double* du, State& state, Workspace& work) {
  rates_after(model, u_before, h, du, work, rates_.data());
  rates_after(model, state.u.data(), 0, du, work, rates_now_.data());  // what is prescribed cancels
  for (std::size_t r = 0; r < rates_.size(); ++r) rates_[r] -= rates_now_[r];
  add_missing(state);
}

}  // namespace lipkin
