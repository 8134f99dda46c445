#include "forces/controllers.hpp"

#include <algorithm>

#include "forces/channel_values.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

bool looks_at_kinematics(const ControllerData& c) {
  return looks_at_kinematics(c.law) || looks_at_kinematics(c.target) || c.measured.need() != ChannelNeed::kState;
}

bool has_worked(const ControllerData& c, const State& state) { return state.memory[c.memory + kControllerWorked] != 0; }

// The integral waits while the output is at a bound and the error would push it further (clamping; Astrom and Hagglund,
// Advanced PID Control, 2006, section 3.5).
double pid_output(const ControllerData& c, double error, double h, bool first, double* memory) {
  double& integral = memory[kControllerIntegral];
  double& rate = memory[kControllerRate];
  const double change = first || h <= 0 ? 0.0 : (error - memory[kControllerError]) / h;
  rate += (first || h <= 0 ? 0.0 : h / (h + c.filter)) * (change - rate);
  const double proportional = c.p * error + c.d * rate;
  const double wanted = proportional + c.i * (integral + h * error);
  const bool pushes_out = (wanted > c.max && c.i * error > 0) || (wanted < c.min && c.i * error < 0);
  if (!pushes_out) integral += h * error;
  return proportional + c.i * integral;
}

void work_controller(const ModelData& model, const ControllerData& c, State& state, Workspace& work) {
  double* memory = &state.memory[c.memory];
  const bool first = !has_worked(c, state);
  const double h = first ? 0.0 : state.t - memory[kControllerTime];
  double output = 0;
  if (c.is_pid) {
    const double error = signal_value(model, state, work, c.target) - expression_value(model, state, work, c.measured);
    output = pid_output(c, error, h, first, memory);
    memory[kControllerError] = error;
  } else {
    output = signal_value(model, state, work, c.law);
  }
  memory[kControllerOutput] = std::clamp(output, c.min, c.max);
  memory[kControllerTime] = state.t;
  memory[kControllerWorked] = 1;
}

template <class Which>
void work_those(const ModelData& model, State& state, Workspace& work, const Which& which) {
  const auto looks = [&](const ControllerData& c) { return which(c) && looks_at_kinematics(c); };
  if (std::any_of(model.controllers.begin(), model.controllers.end(), looks))
    update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
  for (const ControllerData& c : model.controllers)
    if (which(c)) work_controller(model, c, state, work);
}

}  // namespace

void work_controllers(const ModelData& model, State& state, Workspace& work) {
  work_those(model, state, work, [](const ControllerData&) { return true; });
}

void begin_controllers(const ModelData& model, State& state, Workspace& work) {
  work_those(model, state, work, [&](const ControllerData& c) { return !has_worked(c, state); });
}

}  // namespace lipkin
