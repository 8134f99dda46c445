#include "forces/controllers.hpp"

#include <algorithm>

#include "forces/channel_values.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

bool looks_at_kinematics(const ControllerData& c) {
  return looks_at_kinematics(c.law) || looks_at_kinematics(c.target) || c.measured.need() != ChannelNeed::kState;
}

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

}  // namespace

void work_controllers(const ModelData& model, State& state, Workspace& work) {
  if (model.controllers.empty()) return;
  if (std::any_of(model.controllers.begin(), model.controllers.end(),
                  [](const ControllerData& c) { return looks_at_kinematics(c); }))
    update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
  for (const ControllerData& c : model.controllers) {
    double* memory = &state.memory[c.memory];
    const bool first = memory[kControllerWorked] == 0;
    const double h = first ? 0.0 : state.t - memory[kControllerTime];
    double output = 0;
    if (c.is_pid) {
      const double error =
          signal_value(model, state, work, c.target) - expression_value(model, state, work, c.measured);
      output = pid_output(c, error, h, first, memory);
      memory[kControllerError] = error;
    } else {
      output = signal_value(model, state, work, c.law);
    }
    memory[kControllerOutput] = std::clamp(output, c.min, c.max);
    memory[kControllerTime] = state.t;
    memory[kControllerWorked] = 1;
  }
}

}  // namespace lipkin
