// Everything that hangs on the tree: points, springs, bushings, forces, actuators, motors, outputs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest_name.hpp"
#include "base/shown.hpp"
#include "model/eigen_convert.hpp"
#include "model/model_compiler.hpp"

namespace lipkin {

int ModelCompiler::find_body(const std::string& name, const std::string& owner, const SourceLocation& where) {
  if (name == kWorldName) return -1;
  const auto found = body_index_.find(name);
  if (found != body_index_.end()) return found->second;
  error(where, fmt::format("{}: there is no body '{}'", owner, name), hint_for_body(name));
  return -1;
}

// A joint or a point of that name, or the nearest body.
std::string ModelCompiler::hint_for_body(const std::string& name) const {
  if (const auto joint = joint_index_.find(name); joint != joint_index_.end())
    return fmt::format("joint '{}' carries the body '{}'", name, parts_.joints[joint->second].child);
  if (const auto point = point_index_.find(name); point != point_index_.end())
    return fmt::format("'{}' is a point of body '{}'", name, parts_.points[point->second].body);
  return did_you_mean(name, names_of(body_index_));
}

// The joint of the body of that name, or the nearest joint.
std::string ModelCompiler::hint_for_joint(const std::string& name) const {
  if (const auto body = body_index_.find(name); body != body_index_.end())
    for (const JointSpec& joint : parts_.joints)
      if (joint.child == name && !joint.closes_loop)
        return fmt::format("the joint of body '{}' is '{}'", name, joint.name);
  for (const MotorSpec& motor : parts_.motors)
    if (motor.name == name && !motor.joint.empty())
      return fmt::format("'{}' is the motor of joint '{}': write {}", name, motor.joint, motor.joint);
  for (const ActuatorSpec& actuator : parts_.actuators)
    if (actuator.name == name && !actuator.joint.empty())
      return fmt::format("'{}' is the actuator of joint '{}': write {}", name, actuator.joint, actuator.joint);
  return did_you_mean(name, names_of(joint_index_));
}

PointData ModelCompiler::point_of(const Attachment& at, const std::string& owner, const SourceLocation& where) {
  if (!at.point.empty()) {
    const auto found = point_index_.find(at.point);
    if (found != point_index_.end()) return data_->points[data_->bodies.size() + found->second];
    const bool is_body = at.point == kWorldName || body_index_.contains(at.point);
    error(where, fmt::format("{}: there is no point '{}'", owner, at.point),
          is_body ? fmt::format("a body's name alone is none: write {{body: {}, at: [0, 0, 0]}}", at.point)
                  : did_you_mean(at.point, names_of(point_index_)));
    return {};
  }
  require(at.position.allFinite(), where, owner + ": a position is not finite");
  const int body = find_body(at.body, owner, where);
  if (body < 0) return {"", 0, from_eigen(at.position)};
  const BodyData& on = data_->bodies[body];
  return {"", on.link, on.X_LB * from_eigen(at.position), on.X_LB.R, body};
}

ChannelExpression ModelCompiler::compile_expression(const std::string& text, const std::string& owner,
                                                    const SourceLocation& where, bool allow_dynamics) {
  ChannelExpression result;
  try {
    result.expression = Expression::parse(text);
    for (const ParameterSpec& p : parts_.parameters) result.expression = result.expression.bind(p.name, p.value);
    for (const std::string& name : result.expression.variables()) result.channels.push_back(find_channel(*data_, name));
  } catch (const ExpressionError& e) {
    error(where, fmt::format("{}: in '{}' at character {}: {}", owner, text, e.offset() + 1, e.what()), e.hint());
  } catch (const InvalidArgument& e) {
    error(where, fmt::format("{}: {}", owner, e.what()));
  }
  if (!allow_dynamics && result.need() >= ChannelNeed::kDynamics)
    error(where, fmt::format("{}: '{}' uses accelerations or forces, which depend on it", owner, text),
          "use time, positions and velocities");
  return result;
}

SignalData ModelCompiler::compile_signal(const Signal& signal, const std::string& owner,
                                         const SourceLocation& fallback) {
  const SourceLocation& where = signal.where.file.empty() ? fallback : signal.where;
  if (const auto* text = std::get_if<ExpressionText>(&signal.source)) {
    ChannelExpression e = compile_expression(text->text, owner, where, false);
    if (failed() || !e.expression.is_constant()) return e;
    const double value = e.expression.evaluate({});
    require(std::isfinite(value), where,
            fmt::format("{}: '{}' is {}; expected a finite value", owner, text->text, shown(value)));
    return value;
  }
  if (const auto* table = std::get_if<Table>(&signal.source)) {
    bool good = !table->times.empty() && table->times.size() == table->values.size();
    for (std::size_t k = 0; good && k < table->times.size(); ++k)
      good = std::isfinite(table->times[k]) && std::isfinite(table->values[k]) &&
             (k == 0 || table->times[k] > table->times[k - 1]);
    require(good, where, owner + ": a table needs rows [time, value] of finite numbers with increasing times");
    return *table;
  }
  const double value = std::get<double>(signal.source);
  require(std::isfinite(value), where, owner + ": a value is not finite");
  return value;
}

void ModelCompiler::build_attachments() {
  build_points();
  build_tendons();
  build_springs();
  build_bushings();
  build_inputs();
  build_tyres();
  name_controllers();
  for (const ActuatorSpec& spec : parts_.actuators) {  // names first: expressions may refer to actuators
    data_->actuators.emplace_back();
    data_->actuators.back().name = spec.name;
  }
  for (const MotorSpec& spec : parts_.motors) {
    data_->motors.emplace_back();
    data_->motors.back().name = spec.name;
  }
  build_controllers();
  build_actuators();
  const auto loads_links = [](const ActuatorData& a) {
    return a.on_body.link >= 0 ||
           std::any_of(a.pulls.begin(), a.pulls.end(), [](const DofPull& pull) { return !pull.dof.is_in_tree(); });
  };
  data_->actuators_load_links = std::any_of(data_->actuators.begin(), data_->actuators.end(), loads_links);
  build_motors();
  build_controls();
  build_gears();
  build_distances();
  build_forces();
  build_outputs();
}

void ModelCompiler::build_points() {
  for (std::size_t i = 0; i < data_->bodies.size(); ++i) {
    const BodyData& body = data_->bodies[i];
    data_->points.push_back({body.name, body.link, body.X_LB.p, body.X_LB.R, static_cast<int>(i)});
  }
  for (const PointSpec& spec : parts_.points) {
    const std::string owner = fmt::format("point '{}'", spec.name);
    check_frame(owner, {spec.position, spec.orientation}, spec.where);
    PointData point = point_of({"", spec.body, spec.position}, owner, spec.where);
    point.name = spec.name;
    point.R_L = point.R_L * from_eigen(spec.orientation.normalized().toRotationMatrix());
    if (spec.zone) {
      require(spec.zone->half.allFinite() && spec.zone->half.minCoeff() > 0, spec.where,
              owner + ": the sizes of its zone must be numbers > 0 [m]");
      point.zone = static_cast<int>(data_->zones.size());
      data_->zones.push_back(*spec.zone);
    }
    data_->points.push_back(point);
  }
}

void ModelCompiler::build_springs() {
  const std::vector<Transform<double>> poses = link_poses(*data_, data_->initial_q.data());
  for (const SpringDamperSpec& spec : parts_.springs) {
    const std::string owner = fmt::format("spring '{}'", spec.name);
    SpringDamperData s{spec.name,
                       point_of(spec.a, owner, spec.where),
                       point_of(spec.b, owner, spec.where),
                       spec.stiffness,
                       spec.damping,
                       0};
    require(std::isfinite(s.stiffness) && s.stiffness >= 0, spec.where,
            owner + ": stiffness must be a number >= 0 [N/m]");
    require(std::isfinite(s.damping) && s.damping >= 0, spec.where, owner + ": damping must be a number >= 0 [N s/m]");
    s.rest_length = spec.rest_length ? *spec.rest_length : norm(poses[s.a.link] * s.a.p_L - poses[s.b.link] * s.b.p_L);
    require(std::isfinite(s.rest_length) && s.rest_length >= 0, spec.where,
            owner + ": rest_length must be a number >= 0 [m]");
    data_->springs.push_back(s);
  }
}

void ModelCompiler::build_bushings() {
  for (const BushingSpec& spec : parts_.bushings) {
    const std::string owner = fmt::format("bushing '{}'", spec.name);
    BushingData b;
    b.name = spec.name;
    const int body_a = find_body(spec.body_a, owner, spec.where), body_b = find_body(spec.body_b, owner, spec.where);
    b.link_a = body_a < 0 ? 0 : data_->bodies[body_a].link;
    b.link_b = body_b < 0 ? 0 : data_->bodies[body_b].link;
    b.X_AP = (body_a < 0 ? Transform<double>::identity() : data_->bodies[body_a].X_LB) * from_eigen(spec.frame_in_a);
    b.X_BQ = (body_b < 0 ? Transform<double>::identity() : data_->bodies[body_b].X_LB) * from_eigen(spec.frame_in_b);
    check_frame(owner, spec.frame_in_a, spec.where);
    check_frame(owner, spec.frame_in_b, spec.where);
    for (const Eigen::Vector3d& v : {spec.stiffness, spec.damping, spec.angular_stiffness, spec.angular_damping})
      require(v.allFinite() && v.minCoeff() >= 0, spec.where, owner + ": stiffness and damping must be numbers >= 0");
    b.stiffness = from_eigen(spec.stiffness);
    b.damping = from_eigen(spec.damping);
    b.angular_stiffness = from_eigen(spec.angular_stiffness);
    b.angular_damping = from_eigen(spec.angular_damping);
    data_->bushings.push_back(b);
  }
}

void ModelCompiler::build_forces() {
  for (const ForceSpec& spec : parts_.forces) {
    const std::string owner = fmt::format("force '{}'", spec.name);
    BodyForceData f;
    f.name = spec.name;
    f.at = point_of(spec.at, owner, spec.where);
    f.frame = spec.frame;
    std::string body = spec.at.body;
    if (const auto point = point_index_.find(spec.at.point); point != point_index_.end())
      body = parts_.points[point->second].body;
    const auto index = body_index_.find(body);
    f.R_LB = index == body_index_.end() ? Mat3<double>::identity() : data_->bodies[index->second].X_LB.R;
    for (int k = 0; k < 3; ++k) {
      f.force[k] = compile_signal(spec.force[k], owner, spec.where);
      f.torque[k] = compile_signal(spec.torque[k], owner, spec.where);
    }
    if (f.at.link == 0 && !failed()) warn(spec.where, owner + " acts on a body that cannot move and has no effect");
    data_->body_forces.push_back(std::move(f));
  }
}

void ModelCompiler::build_actuators() {
  for (std::size_t i = 0; i < parts_.actuators.size(); ++i) {
    const ActuatorSpec& spec = parts_.actuators[i];
    const std::string owner = fmt::format("actuator '{}'", spec.name);
    ActuatorData& a = data_->actuators[i];
    a.min = spec.min;
    a.max = spec.max;
    a.max_speed = spec.max_speed;
    require(spec.max_speed > 0, spec.where,
            fmt::format("{}: max_speed is {}; expected a number > 0", owner, spec.max_speed));
    require(std::isfinite(spec.gear), spec.where, owner + ": gear is not finite");
    require(spec.min <= spec.max, spec.where, fmt::format("{}: min {} is above max {}", owner, spec.min, spec.max));
    a.control = compile_signal(spec.control, owner, spec.where);
    a.activation = compile_activation(spec.activation, owner, spec.where);
    if (spec.body.empty()) {
      build_pulls(spec, owner, a);
    } else {
      build_body_pull(spec, owner, a);
    }
  }
}

void ModelCompiler::build_pulls(const ActuatorSpec& spec, const std::string& owner, ActuatorData& actuator) {
  DofRef dof;
  if (!find_coordinate(spec.joint, spec.dof, spec.tendon, owner, spec.where, dof)) return;
  require(spec.tendon.empty() || (spec.gears.empty() && spec.dof == 0), spec.where,
          owner + ": a tendon has one direction; expected one gear and no dof");
  if (failed()) return;
  if (spec.gears.empty()) {
    actuator.size = spec.gear;
    actuator.pulls.push_back({dof, spec.gear});
    return;
  }
  const int joint = joint_index_.at(spec.joint), count = u_count(parts_.joints[joint].type);
  if (static_cast<int>(spec.gears.size()) != count)
    error(spec.where,
          fmt::format("{}: {} gears for the {} direction{} of joint '{}'", owner, spec.gears.size(), count,
                      count == 1 ? "" : "s", spec.joint),
          count == 1 && !spec.gears.empty() ? fmt::format("write gear: {:g}", spec.gears[0])
                                            : fmt::format("write a list of {}", count));
  require(spec.dof == 0 && spec.gear == 1, spec.where,
          owner + ": dof and one gear cannot stand beside a list of gears");
  require(!std::isfinite(spec.max_speed), spec.where, owner + ": max_speed is for one direction of a joint");
  if (failed()) return;
  double squares = 0;
  for (int k = 0; k < count; ++k) {
    require(std::isfinite(spec.gears[k]), spec.where, owner + ": a gear is not finite");
    squares += spec.gears[k] * spec.gears[k];
    if (spec.gears[k] != 0) actuator.pulls.push_back({dof_of(joint, k), spec.gears[k]});
  }
  actuator.size = std::sqrt(squares);
}

void ModelCompiler::build_body_pull(const ActuatorSpec& spec, const std::string& owner, ActuatorData& actuator) {
  require(spec.joint.empty() && spec.tendon.empty() && spec.gears.empty() && spec.dof == 0, spec.where,
          owner + ": acts on a body, a joint or a tendon, not on several");
  require(!std::isfinite(spec.max_speed), spec.where, owner + ": max_speed is for actuators of joints");
  require(spec.force.allFinite() && spec.torque.allFinite(), spec.where, owner + ": a force or torque is not finite");
  check_frame(owner, spec.frame, spec.where);
  check_frame(owner, {Eigen::Vector3d::Zero(), spec.against_axes}, spec.where);
  const int body = find_body(spec.body, owner, spec.where);
  const int against = spec.against.empty() ? -1 : find_body(spec.against, owner, spec.where);
  if (failed()) return;
  const auto frame_of = [&](int b) { return b < 0 ? Transform<double>::identity() : data_->bodies[b].X_LB; };
  const auto link_of = [&](int b) { return b < 0 ? 0 : data_->bodies[b].link; };
  const Transform<double> X_LA = frame_of(body) * from_eigen(spec.frame);
  BodyPullData& pull = actuator.on_body;
  pull.link = link_of(body);
  pull.p_L = X_LA.p;
  pull.axes_link = spec.against.empty() ? pull.link : link_of(against);
  pull.against = spec.against.empty() ? -1 : pull.axes_link;
  const Mat3<double> axes = spec.against.empty()
                                ? X_LA.R
                                : frame_of(against).R * from_eigen(Pose{Eigen::Vector3d::Zero(), spec.against_axes}).R;
  pull.force = axes * (spec.gear * from_eigen(spec.force));
  pull.torque = axes * (spec.gear * from_eigen(spec.torque));
  actuator.size = spec.gear * (spec.force.isZero(0) ? spec.torque.norm() : spec.force.norm());
  if (pull.link == pull.against || (pull.link == 0 && pull.against <= 0))
    warn(spec.where, owner + " acts on a body that cannot move and has no effect");
}

ActivationData ModelCompiler::compile_activation(const ActivationSpec& spec, const std::string& owner,
                                                 const SourceLocation& where) {
  ActivationData activation{spec.kind, spec.time_constant, spec.start, spec.min, spec.max, data_->memory_count};
  if (spec.kind == ActivationKind::kNone) return activation;
  data_->memory_count += kActivationMemoryCount;
  require(spec.kind != ActivationKind::kFilter || (std::isfinite(spec.time_constant) && spec.time_constant > 0), where,
          fmt::format("{}: the time constant is {} s; expected a number > 0", owner, spec.time_constant));
  require(spec.min <= spec.max, where,
          fmt::format("{}: min {} of the activation is above max {}", owner, spec.min, spec.max));
  require(std::isfinite(spec.start), where, owner + ": the activation at the start is not finite");
  if (!failed()) activation.start = std::clamp(spec.start, spec.min, spec.max);
  return activation;
}

// Those given, then every actuator that has none.
void ModelCompiler::build_controls() {
  for (const ControlSpec& spec : parts_.controls) {
    const std::string owner = fmt::format("control '{}'", spec.name);
    const auto find = [&](const auto& items, const std::string& name, const char* what) {
      for (std::size_t i = 0; i < items.size(); ++i)
        if (items[i].name == name) return static_cast<int>(i);
      std::vector<std::string> known;
      for (const auto& item : items) known.push_back(item.name);
      error(spec.where, fmt::format("{}: there is no {} '{}'", owner, what, name), did_you_mean(name, known));
      return -1;
    };
    require(spec.actuator.empty() != spec.motor.empty(), spec.where, owner + " needs an actuator or a motor");
    require(std::isfinite(spec.scale) && std::isfinite(spec.offset), spec.where,
            owner + ": scale and offset must be finite");
    require(spec.min <= spec.max, spec.where, fmt::format("{}: min {} is above max {}", owner, spec.min, spec.max));
    if (spec.actuator.empty() == spec.motor.empty()) continue;
    ControlData control{spec.name, -1, -1, spec.scale, spec.offset, spec.min, spec.max};
    const bool drives = !spec.actuator.empty();
    (drives ? control.actuator : control.motor) =
        drives ? find(parts_.actuators, spec.actuator, "actuator") : find(parts_.motors, spec.motor, "motor");
    if (control.actuator < 0 && control.motor < 0) continue;
    int& index = drives ? data_->actuators[control.actuator].control_index : data_->motors[control.motor].control_index;
    require(index < 0, spec.where, fmt::format("{}: '{}' has a control already", owner, spec.actuator + spec.motor));
    index = static_cast<int>(data_->controls.size());
    data_->controls.push_back(control);
  }
  for (std::size_t i = 0; i < data_->actuators.size(); ++i) {
    ActuatorData& a = data_->actuators[i];
    if (a.control_index >= 0) continue;
    const auto same = [&](const ControlData& control) { return control.name == a.name; };
    require(std::none_of(data_->controls.begin(), data_->controls.end(), same), parts_.actuators[i].where,
            fmt::format("actuator '{}' has a control of its own name, which another one has; expected a control for it",
                        a.name));
    a.control_index = static_cast<int>(data_->controls.size());
    data_->controls.push_back({a.name, static_cast<int>(i), -1});
  }
}

void ModelCompiler::build_outputs() {
  for (const OutputSpec& spec : parts_.outputs) {
    const std::string owner = fmt::format("output '{}'", spec.name);
    data_->outputs.push_back(
        {spec.name, spec.unit, compile_expression(spec.expression, owner, spec.where, true), spec.on_request});
  }
}

}  // namespace lipkin
