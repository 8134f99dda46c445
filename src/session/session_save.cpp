// The edited model as a scene file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/expression.hpp"
#include "constraints/change_coordinates.hpp"
#include "forces/actuators.hpp"
#include "lipkin/export.hpp"
#include "model/parameters.hpp"
#include "model/settings.hpp"
#include "session/session_impl.hpp"

namespace lipkin {

namespace {

// Laws in time go on where they are: t counts from now.
void shift_time(double t, std::string& expression) {
  expression = replace_variables(expression, [&](std::string_view name) {
    return name == "t" ? fmt::format("(t + {:.17g})", t) : std::string(name);
  });
}

void shift_time(double t, Signal& signal) {
  if (auto* text = std::get_if<ExpressionText>(&signal.source)) {
    shift_time(t, text->text);
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
    if (!controller.measured.empty()) shift_time(t, controller.measured);
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

// What timed commands have done to a place so far: its last value; NaN where none has.
double last_commanded(const std::vector<Command>& done, const std::function<bool(const std::string&)>& is_place) {
  double value = std::numeric_limits<double>::quiet_NaN();
  for (const Command& command : done)
    if (const auto* set = std::get_if<CommandSet>(&command.action); set && is_place(set->path)) value = set->value;
  return value;
}

// Inputs and controls stand where they were set, a control as the signal of what it drives: a prescribed position
// begins there. `done`: timed commands that the scene gives again.
void put_inputs_and_controls(const Model& model, const State& state, const std::vector<Command>& done,
                             ModelParts& parts) {
  for (std::size_t i = 0; i < parts.inputs.size(); ++i) {
    const std::string path = "input." + parts.inputs[i].name;
    const bool comes_again =
        last_commanded(done, [&](const std::string& other) { return other == path; }) == state.inputs[i];
    if (!comes_again) parts.inputs[i].value = state.inputs[i];
  }
  for (int i = 0; i < model.control_count(); ++i) {
    const ControlData& control = model.data().controls[i];
    const double given = state.control[i];
    const auto is_it = [&](const std::string& path) { return control_at(model, path) == i; };
    if (std::isnan(given) || last_commanded(done, is_it) == given) continue;
    const double value = control.scale * std::clamp(given, control.min, control.max) + control.offset;
    (control.motor < 0 ? parts.actuators[control.actuator].control : parts.motors[control.motor].target).source = value;
  }
}

// The first `count` in the order in which they act; they leave the list, which is in that order then.
std::vector<Command> take_done(std::uint64_t count, std::vector<Command>& commands) {
  std::stable_sort(commands.begin(), commands.end(), [](const Command& a, const Command& b) { return a.at < b.at; });
  const auto end = commands.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(count, commands.size()));
  std::vector<Command> done(commands.begin(), end);
  commands.erase(commands.begin(), end);
  return done;
}

// What commands have changed: in the parts, or where these have several values in one place, by a command at the start.
// Pushes push for the rest of their time.
void put_what_was_commanded(const Model& model, const State& state, ModelParts& parts, std::vector<Command>& commands) {
  std::vector<Command> first;
  for (const SettingEdit& edit : state.edits) {
    try {
      put_parameter(parts, edit.path, edit.value);
    } catch (const InvalidArgument&) {
      first.push_back({0, CommandSet{edit.path, edit.value}, {}});
    }
  }
  for (const ActivePush& push : state.pushes) {
    const ForceFrame frame = push.along_body ? ForceFrame::kBody : ForceFrame::kWorld;
    first.push_back(
        {0,
         CommandPush{model.body_name(push.body), push.point, push.force, push.torque, frame, push.until - state.t},
         {}});
  }
  commands.insert(commands.begin(), first.begin(), first.end());
}

// Those whose target an edit has taken away do nothing, and no scene takes them.
void drop_idle(const Model& model, std::vector<Command>& commands) {
  ModelData data = model.data();
  std::erase_if(commands, [&](const Command& command) {
    const auto* set = std::get_if<CommandSet>(&command.action);
    try {
      if (set && !find_setting(data, set->path)) check_parameter(*data.parts, set->path);
    } catch (const InvalidArgument&) {
      return true;
    }
    return false;
  });
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
  std::vector<Command> done = take_done(simulation.state().commands_done, experiment.commands);
  if (from_now) {
    for (Command& command : experiment.commands) command.at = std::max(command.at - time(), 0.0);
    done.clear();
    const bool maximal = experiment.coordinates == CoordinateKind::kMaximal;
    const ModelData& model = simulation.model().data();
    start_at(
        simulation.model(),
        maximal ? change_coordinates(simulation.running_model().data(), simulation.state(), model) : simulation.state(),
        *kept);
    shift_times(time(), *kept);
    put_rest_lengths(model, *kept);
    put_what_was_commanded(simulation.model(), simulation.state(), *kept, experiment.commands);
  }
  put_inputs_and_controls(simulation.model(), simulation.state(), done, *kept);
  experiment.commands.insert(experiment.commands.begin(), done.begin(), done.end());
  drop_idle(simulation.model(), experiment.commands);
  std::erase_if(kept->outputs, [](const OutputSpec& output) { return output.expression == "0/0"; });
  Scene saved{simulation.model().name(), description, compile_model(std::move(kept)), std::move(experiment), {}};
  return write_scene(saved).text;
}

// What a scene has no words for.
std::vector<std::string> Session::Impl::lost_in_scene(bool from_now) const {
  std::vector<std::string> lost;
  for (const Icon& icon : design->icons) {
    if (icon.kind != IconKind::kMotion) continue;
    if (!icon.active && icon.end() > time())
      lost.push_back(fmt::format("motion '{}', which begins at t = {:.6g} s, is left out", icon.name, icon.start));
    if (icon.active && (icon.duration || (!from_now && icon.start > 0)))
      lost.push_back(fmt::format("motion '{}' acts from the start and does not end", icon.name));
  }
  for (const auto& [joint, limit] : design->breaks) lost.push_back(fmt::format("joint '{}' does not break", joint));
  if (!from_now) return lost;
  const State& state = simulation.state();
  for (const ActiveDrag& drag : state.drags) lost.push_back(fmt::format("drag {} is left out", drag.id));
  const ModelData& model = simulation.model().data();
  for (std::size_t i = 0; i < model.controllers.size(); ++i) {
    const ControllerData& c = model.controllers[i];
    const bool has_integral = c.i != 0 && state.memory[c.memory + kControllerIntegral] != 0;
    const bool has_rate = c.d != 0 && state.memory[c.memory + kControllerRate] != 0;
    if (c.is_pid && (has_integral || has_rate))
      lost.push_back(fmt::format("controller '{}' begins without its integral and rate", parts().controllers[i].name));
  }
  if (!model.tyres.empty()) lost.push_back("tyres begin without shear");
  return lost;
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
  const std::vector<std::string> lost = lost_in_scene(from_now);
  if (path.empty()) return {{"text", text}, {"lost", lost}};
  write_text(file, text);
  event({{"event", "saved"}, {"path", path}});
  return {{"path", path}, {"lost", lost}};
}

std::string Session::scene_text() const {
  return impl_->scene_text(!impl_->design->homes.empty() || impl_->design->numbers.contains("edit"));
}

}  // namespace lipkin
