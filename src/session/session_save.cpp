// The edited model as a scene file.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "assembly/change_coordinates.hpp"
#include "base/expression.hpp"
#include "forces/actuators.hpp"
#include "lipkin/export.hpp"
#include "session/session_impl.hpp"

namespace lipkin {

namespace {

// Laws in time go on where they are: t counts from now.
void shift_time(double t, Signal& signal) {
  if (auto* text = std::get_if<ExpressionText>(&signal.source)) {
    text->text = replace_variables(text->text, [&](std::string_view name) {
      return name == "t" ? fmt::format("(t + {:.17g})", t) : std::string(name);
    });
  } else if (auto* table = std::get_if<Table>(&signal.source)) {
    for (double& time : table->times) time -= t;
  }
}

void shift_times(double t, ModelParts& parts) {
  for (ForceSpec& force : parts.forces)
    for (int k = 0; k < 3; ++k) shift_time(t, force.force[k]), shift_time(t, force.torque[k]);
  for (ActuatorSpec& actuator : parts.actuators) shift_time(t, actuator.control);
  for (MotorSpec& motor : parts.motors) shift_time(t, motor.target), shift_time(t, motor.effort);
  for (ControllerSpec& controller : parts.controllers) {
    shift_time(t, controller.target);
    if (controller.law) shift_time(t, *controller.law);
  }
}

// Activations go on from where they are.
void start_drives_at(const Model& model, const State& state, ModelParts& parts) {
  for (std::size_t i = 0; i < parts.actuators.size(); ++i) {
    const ActivationData& activation = model.data().actuators[i].activation;
    if (activation.kind != ActivationKind::kNone)
      parts.actuators[i].activation.start = activation_at(activation, state, state.t);
  }
  for (std::size_t i = 0; i < parts.motors.size(); ++i) {
    const ActivationData& activation = model.data().motors[i].activation;
    if (activation.kind != ActivationKind::kNone)
      parts.motors[i].activation.start = activation_at(activation, state, state.t);
  }
}

void start_at(const Model& model, const State& state, ModelParts& parts) {
  start_drives_at(model, state, parts);
  for (std::size_t j = 0; j < parts.joints.size(); ++j) {
    JointSpec& joint = parts.joints[j];
    const int q = model.joint_q(static_cast<int>(j)), u = model.joint_u(static_cast<int>(j));
    if (joint.closes_loop || q < 0) continue;
    joint.q.assign(state.q.begin() + q, state.q.begin() + q + q_count(joint.type));
    joint.u.assign(state.u.begin() + u, state.u.begin() + u + u_count(joint.type));
  }
}

}  // namespace

std::string Session::Impl::scene_text(bool from_now) const {
  auto kept = std::make_shared<ModelParts>(parts());
  Experiment experiment = simulation.experiment();
  if (from_now) {
    const bool maximal = experiment.coordinates == CoordinateKind::kMaximal;
    const ModelData& model = simulation.model().data();
    start_at(
        simulation.model(),
        maximal ? change_coordinates(simulation.running_model().data(), simulation.state(), model) : simulation.state(),
        *kept);
    shift_times(time(), *kept);
    std::erase_if(experiment.commands, [this](const Command& command) { return command.at < time(); });
    for (Command& command : experiment.commands) command.at -= time();
  }
  std::erase_if(kept->outputs, [](const OutputSpec& output) { return output.expression == "0/0"; });
  Scene scene{simulation.model().name(), description, compile_model(std::move(kept)), std::move(experiment), {}};
  return write_scene(scene).text;
}

Json Session::Impl::save(Arguments& arguments) {
  const bool joints_changed = !design->homes.empty() || design->numbers.contains("edit");
  const bool from_now = arguments.choice_or("from", {"start", "now"}, joints_changed ? "now" : "start") == "now";
  const std::string path = arguments.text_or("path", "");
  arguments.finish();
  const std::filesystem::path file(path);
  if (!path.empty() &&
      (file.is_absolute() || file.extension() != ".yaml" || std::find(file.begin(), file.end(), "..") != file.end()))
    arguments.refuse("path", "a file below this folder whose name ends in .yaml");
  const std::string text = scene_text(from_now);
  if (path.empty()) return {{"text", text}};
  write_text(file, text);
  event({{"event", "saved"}, {"path", path}});
  return {{"path", path}};
}

std::string Session::scene_text() const {
  return impl_->scene_text(!impl_->design->homes.empty() || impl_->design->numbers.contains("edit"));
}

}  // namespace lipkin
