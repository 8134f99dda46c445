// All signals of a model: what acts on the motion by an expression or a table.
#pragma once

#include "model/model_data.hpp"

namespace lipkin {

enum class SignalRole { kForce, kTorque, kControl, kTarget, kEffort, kLaw, kControllerTarget };

// Which signal: of the item `index` of its kind in the model; forces and torques have a component.
struct SignalPlace {
  SignalRole role;
  int index = 0, component = 0;
};

// Calls use(place, signal) for all of them, in the order in which one may depend on another. An expression that a PID
// measures is no signal.
template <class Use>
void for_each_signal(const ModelData& model, Use&& use) {
  const auto number = [](std::size_t i) { return static_cast<int>(i); };
  for (std::size_t i = 0; i < model.controllers.size(); ++i) {
    const ControllerData& c = model.controllers[i];
    if (c.is_pid)
      use(SignalPlace{SignalRole::kControllerTarget, number(i)}, c.target);
    else
      use(SignalPlace{SignalRole::kLaw, number(i)}, c.law);
  }
  for (std::size_t i = 0; i < model.actuators.size(); ++i)
    use(SignalPlace{SignalRole::kControl, number(i)}, model.actuators[i].control);
  for (std::size_t i = 0; i < model.motors.size(); ++i) {
    use(SignalPlace{SignalRole::kTarget, number(i)}, model.motors[i].target);
    use(SignalPlace{SignalRole::kEffort, number(i)}, model.motors[i].effort);
  }
  for (std::size_t i = 0; i < model.body_forces.size(); ++i)
    for (int k = 0; k < 3; ++k) {
      use(SignalPlace{SignalRole::kForce, number(i), k}, model.body_forces[i].force[k]);
      use(SignalPlace{SignalRole::kTorque, number(i), k}, model.body_forces[i].torque[k]);
    }
}

}  // namespace lipkin
