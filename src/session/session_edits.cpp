// Icons, drags, poses and parameters.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/nearest_name.hpp"
#include "lipkin/dynamics.hpp"
#include "model/parameters.hpp"
#include "session/posing.hpp"
#include "session/prescribed_starts.hpp"
#include "session/session_impl.hpp"

namespace lipkin {

namespace {

// A hand pulls with this angular frequency: a body follows within a tenth of a second and hangs 16 mm below the hand.
constexpr double kHandFrequency = 25;  // [rad/s]
// An explicit step follows such a spring well where it takes no larger part of its period.
constexpr double kHandStep = 0.2;  // frequency times step
// A hand that is far away lets joints turn so far in a step that what turns with them is still followed well.
constexpr double kHandTurn = 0.05;  // [rad] or [m]

// M⁻¹ seen at a point: velocities there per unit impulse [1/kg], through the tree.
Eigen::Matrix3d mobility(Dynamics& dynamics, int body, const Eigen::Vector3d& point) {
  const Eigen::MatrixXd J = dynamics.point_jacobian(body, point);
  Eigen::Matrix3d A;
  for (int k = 0; k < 3; ++k)
    A.col(k) = J * dynamics.impulse_response(body, point, Eigen::Vector3d::Unit(k), Eigen::Vector3d::Zero());
  return 0.5 * (A + A.transpose());
}

// The mass that a hand feels at a point in the direction in which it is lightest [kg]. A direction that is heavy now,
// as along a stretched chain, may be a light one a few steps later.
double lightest_mass(const Eigen::Matrix3d& mobility) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(mobility, Eigen::EigenvaluesOnly);
  const double most = principal.eigenvalues()[2];
  return most > 0 ? 1 / most : 0;
}

template <class Items>
auto named(Items& items, const std::string& name, const char* what) {
  std::vector<std::string> known;
  for (auto item = items.begin(); item != items.end(); ++item) {
    if (item->name == name) return item;
    known.push_back(item->name);
  }
  const std::string hint = did_you_mean(name, known);
  throw InvalidArgument(fmt::format("there is no {} '{}'{}", what, name, hint.empty() ? "" : "; " + hint));
}

std::optional<double> parameter_value(const ModelParts& parts, const std::string& path) {
  for (const Parameter& parameter : list_parameters(parts))
    if (parameter.path == path) return parameter.value;
  return std::nullopt;
}

auto drag_in(std::vector<ActiveDrag>& drags, int id) {
  const auto found = std::find_if(drags.begin(), drags.end(), [&](const ActiveDrag& d) { return d.id == id; });
  if (found == drags.end()) throw InvalidArgument(fmt::format("there is no drag {}", id));
  return found;
}

}  // namespace

// overruled: what timed commands have set there is no longer in force.
void Session::Impl::change(Design next, const std::vector<std::string>& overruled) {
  Model model = next.compile();
  refuse_jumps(simulation, model);
  const std::vector<Diagnostic> idle_before = simulation.idle_commands();
  simulation.change_model(std::move(model), overruled);
  design = std::make_shared<const Design>(std::move(next));
  tell_idle_commands(idle_before);
  update_watches();
  ++versions.model;
}

// Those of the design, with what timed commands have set.
ModelParts Session::Impl::parts_in_force() const {
  ModelParts now = parts();
  for (const SettingEdit& edit : simulation.state().edits)
    if (is_parameter(now, edit.path)) put_parameter(now, edit.path, edit.value);
  return now;
}

// Timed commands of the scene that have lost their target with the last change.
void Session::Impl::tell_idle_commands(const std::vector<Diagnostic>& known) {
  for (const Diagnostic& idle : simulation.idle_commands()) {
    const auto is_it = [&](const Diagnostic& d) { return d.message == idle.message; };
    if (std::any_of(known.begin(), known.end(), is_it)) continue;
    const std::string place = idle.where.text();
    event({{"event", "refused"},
           {"message", place.empty() ? idle.message : place + ": " + idle.message},
           {"step", now()},
           {"t", time()}});
  }
}

std::string Session::Impl::numbered(Design& of, const std::string& word) const {
  const auto taken = [&](const std::string& name) {
    const auto same = [&](const auto& part) { return part.name == name; };
    return std::any_of(of.icons.begin(), of.icons.end(), same) ||
           std::any_of(parts().forces.begin(), parts().forces.end(), same) ||
           std::any_of(parts().motors.begin(), parts().motors.end(), same) ||
           std::any_of(parts().joints.begin(), parts().joints.end(), same);
  };
  std::string name;
  do name = fmt::format("{}{}", word, ++of.numbers[word]);
  while (taken(name));
  return name;
}

void Session::Impl::check_motion(const Icon& icon, const Arguments& arguments) const {
  const JointType type = joint_named(icon.joint).type;
  if (icon.dof < 0 || icon.dof >= u_count(type))
    arguments.refuse("dof", fmt::format("one of the {} of this joint, from 0", u_count(type)));
  if (icon.motion == MotorKind::kPosition && !has_position(type, icon.dof))
    arguments.refuse("motion", "'velocity': this freedom has no coordinate of its own");
}

// Fixed steps see an icon whole or not at all.
void Session::Impl::check_duration(const Icon& icon, const Arguments& arguments) const {
  const double dt = simulation.experiment().dt;
  if (chooses_steps(simulation.experiment()) || !icon.duration) return;
  if (*icon.duration > 0 && *icon.duration < dt - kSameTime)
    arguments.refuse("duration", fmt::format("at least a step, {:g} s (a push of a scene may be shorter)", dt));
}

Json Session::Impl::apply_icon(IconKind kind, Arguments& arguments) {
  Icon icon = read_icon(kind, arguments, time());
  check_duration(icon, arguments);
  arguments.finish();
  if (kind == IconKind::kMotion) {
    check_motion(icon, arguments);
  } else {
    simulation.model().body(icon.body);  // throws with the nearest name
  }
  Design next = *design;
  constexpr const char* kWords[] = {"force", "torque", "motion"};
  if (icon.name.empty()) icon.name = numbered(next, kWords[static_cast<int>(kind)]);
  const std::string name = icon.name;
  if (std::any_of(next.icons.begin(), next.icons.end(), [&](const Icon& i) { return i.name == name; }))
    throw InvalidArgument(fmt::format("there is a force, torque or motion '{}' already", name));
  if (has_come(icon)) turn(icon);  // at once, so that a motion that cannot be is refused here
  next.icons.push_back(std::move(icon));
  change(std::move(next));
  return {{"name", name}};
}

Json Session::Impl::edit_icon(Arguments& arguments) {
  Design next = *design;
  const auto icon = named(next.icons, arguments.text("name"), "force, torque or motion");
  lipkin::edit_icon(arguments, *icon);
  check_duration(*icon, arguments);
  arguments.finish();
  if (icon->kind == IconKind::kMotion) check_motion(*icon, arguments);
  if (has_come(*icon)) turn(*icon);
  change(std::move(next));
  return {};
}

Json Session::Impl::delete_icon(Arguments& arguments) {
  Design next = *design;
  const auto icon = named(next.icons, arguments.text("name"), "force, torque or motion");
  arguments.finish();
  next.icons.erase(icon);
  change(std::move(next));
  return {};
}

// A critically damped spring of this angular frequency, for the mass that the hand feels there now, which it returns.
// From far away it pulls no harder than lets joints turn by kHandTurn a step: it drags a point along, against its
// damper, at frequency times distance / 2.
double Session::Impl::hold(ActiveDrag& drag, double frequency) const {
  Dynamics dynamics(simulation.running_model(), LoopTreatment::kOpen);  // a measure of mass is enough
  dynamics.set(simulation.state().q, simulation.state().u);
  const double mass = lightest_mass(mobility(dynamics, drag.body, drag.point));
  const Pose pose = dynamics.body_motion(drag.body).pose;
  const Eigen::Vector3d way = drag.target - (pose.position + pose.orientation * drag.point);
  const double distance = way.norm(), dt = simulation.experiment().dt;
  double part = 1;
  if (distance > 0 && dt > 0) {
    const Eigen::VectorXd u =
        dynamics.impulse_response(drag.body, drag.point, mass * way / distance, Eigen::Vector3d::Zero());
    const double turning = u.cwiseAbs().maxCoeff();  // of the fastest joint per speed of the point [rad/m] or [m/m]
    part = std::min(1.0, 2 * kHandTurn / (frequency * dt * turning * distance));
  }
  drag.stiffness = part * frequency * frequency * mass * Eigen::Matrix3d::Identity();
  drag.damping = 2 * frequency * mass * Eigen::Matrix3d::Identity();
  return mass;
}

// The mass changes as the mechanism moves: a spring for that of the beginning would soon be too stiff for the step.
void Session::Impl::hold_on() {
  if (simulation.state().drags.empty()) return;
  std::vector<ActiveDrag> drags = simulation.state().drags;
  for (ActiveDrag& drag : drags) {
    const auto hand = design->hands.find(drag.id);
    if (hand != design->hands.end()) hold(drag, hand->second);
  }
  simulation.set_drags(std::move(drags));
}

Json Session::Impl::drag_begin(Arguments& arguments) {
  ActiveDrag drag;
  drag.body = simulation.model().body(arguments.text("body"));
  drag.point = arguments.vector_or("point", Eigen::Vector3d::Zero());
  drag.target = arguments.vector("target");
  const double factor = arguments.number_or("stiffness", 1);
  if (!(factor > 0 && factor <= 100)) arguments.refuse("stiffness", "a number above 0, at most 100");
  drag.id = arguments.integer_or("drag", 0);
  arguments.finish();
  const double dt = simulation.experiment().dt;
  const double w = std::min(kHandFrequency * std::sqrt(factor), dt > 0 ? kHandStep / dt : kHandFrequency);
  auto next = std::make_shared<Design>(*design);
  if (drag.id == 0) drag.id = ++next->numbers["drag"];
  next->hands[drag.id] = w;
  design = std::move(next);
  const double mass = hold(drag, w);
  std::vector<ActiveDrag> drags = simulation.state().drags;
  std::erase_if(drags, [&](const ActiveDrag& d) { return d.id == drag.id; });
  drags.push_back(drag);
  simulation.set_drags(std::move(drags));
  return {{"drag", drag.id}, {"effective_mass", mass}};
}

Json Session::Impl::drag_move(Arguments& arguments) {
  std::vector<ActiveDrag> drags = simulation.state().drags;
  const auto drag = drag_in(drags, arguments.integer_or("drag", 0));
  drag->target = arguments.vector("target");
  arguments.finish();
  simulation.set_drags(std::move(drags));
  return {};
}

Json Session::Impl::drag_end(Arguments& arguments) {
  std::vector<ActiveDrag> drags = simulation.state().drags;
  const auto drag = drag_in(drags, arguments.integer_or("drag", 0));
  arguments.finish();
  auto next = std::make_shared<Design>(*design);
  next->hands.erase(drag->id);
  design = std::move(next);
  drags.erase(drag);
  simulation.set_drags(std::move(drags));
  return {};
}

Json Session::Impl::pose(Arguments& arguments) {
  const int body = simulation.model().body(arguments.text("body"));
  const Eigen::Vector3d point = arguments.vector_or("point", Eigen::Vector3d::Zero());
  const Eigen::Vector3d target = arguments.vector("target");
  arguments.finish();
  if (playing) throw InvalidArgument("pose: the simulation runs; pause it first, or drag");
  const double left = pose_towards(simulation, body, point, target);
  ++versions.run;
  return {{"distance", left}};
}

// The motor follows its own target again.
void Session::Impl::release_control(const std::string& motor) {
  const Model& model = simulation.model();
  for (int i = 0; i < model.motor_count(); ++i) {
    if (model.motor_name(i) != motor || model.control_of_motor(i) < 0) continue;
    double& control = simulation.controls()[model.control_of_motor(i)];
    if (std::isnan(control)) continue;
    control = std::numeric_limits<double>::quiet_NaN();
    simulation.forces_written();
  }
}

Json Session::Impl::set(Arguments& arguments) {
  const std::string path = arguments.text("path");
  const double value = arguments.number("value");
  arguments.finish();
  constexpr std::string_view kControl = ".control", kActuator = "actuator.", kParameter = "parameter.";
  constexpr std::string_view kInput = "input.", kSetControl = "control.", kMotor = "motor.", kTarget = ".target";
  if (path.starts_with(kParameter)) {
    set_scene_parameter(path.substr(kParameter.size()), value);
  } else if (path.starts_with(kInput)) {
    simulation.set_input(path.substr(kInput.size()), value);
  } else if (path.starts_with(kActuator) && path.ends_with(kControl)) {
    const std::string name = path.substr(kActuator.size(), path.size() - kActuator.size() - kControl.size());
    simulation.set_control(simulation.model().actuator(name), value);
  } else if (path.starts_with(kSetControl) || (path.starts_with(kMotor) && path.ends_with(kControl))) {
    simulation.set(path, value);
  } else {
    if (path.starts_with(kMotor) && path.ends_with(kTarget))
      release_control(path.substr(kMotor.size(), path.size() - kMotor.size() - kTarget.size()));
    Design next = *design;
    next.put_value(path, value, [path, value](ModelParts& p) { put_parameter(p, path, value); });
    change(std::move(next), {path});
  }
  return {};
}

int control_at(const Model& model, const std::string& path) {
  for (int i = 0; i < model.control_count(); ++i)
    if (path == "control." + model.control_name(i)) return i;
  for (int i = 0; i < model.actuator_count(); ++i)
    if (path == "actuator." + model.actuator_name(i) + ".control") return model.control_of_actuator(i);
  for (int i = 0; i < model.motor_count(); ++i)
    if (path == "motor." + model.motor_name(i) + ".control") return model.control_of_motor(i);
  return -1;
}

Json Session::Impl::reset_parameter(Arguments& arguments) {
  const std::string path = arguments.text("path");
  arguments.finish();
  constexpr std::string_view kParameter = "parameter.", kMotors = "motor.", kControllers = "controller.";
  if (path.starts_with(kParameter)) {
    if (!scene_parameters.contains(path))
      throw InvalidArgument(fmt::format("there is no parameter '{}'", path.substr(kParameter.size())));
    set_scene_parameter(path.substr(kParameter.size()), std::nullopt);
    return {};
  }
  constexpr std::string_view kInput = "input.";
  if (path.starts_with(kInput)) {
    const auto input = named(parts().inputs, path.substr(kInput.size()), "input");
    simulation.set_input(input->name, input->value);
    return {};
  }
  if (const int control = control_at(simulation.model(), path); control >= 0) {
    simulation.controls()[static_cast<std::size_t>(control)] = std::numeric_limits<double>::quiet_NaN();
    simulation.forces_written();
    return {};
  }
  if (!design->values.contains(path)) check_parameter(parts(), path);
  Design next = *design;
  next.forget_value(path);
  if (path.starts_with(kMotors) || path.starts_with(kControllers)) {  // set_drive and set_controller set whole parts
    const std::optional<double> given = parameter_value(design->base(), path);
    if (given && parameter_value(*next.compile().data().parts, path) != given)
      next.edit("set " + path, [path, value = *given](ModelParts& p) { put_parameter(p, path, value); });
  }
  change(std::move(next), {path});
  return {};
}

// The scene is read again, as it was at the start; what was edited since is applied to it again.
void Session::Impl::set_scene_parameter(const std::string& name, std::optional<double> value) {
  if (!scene.can_be_read()) throw InvalidArgument("this scene cannot be read again, so its parameters stay");
  Design next = *design;
  std::erase_if(next.parameters, [&](const auto& each) { return each.first == name; });
  if (value) next.parameters.emplace_back(name, fmt::format("{:.17g}", *value));
  next.set_base(scene.read(next.parameters).model);
  change(std::move(next));
}

}  // namespace lipkin
