#include "session/icon.hpp"

#include <fmt/format.h>

#include <limits>

#include "base/expression.hpp"
#include "model/model_compiler.hpp"

namespace lipkin {

namespace {

const std::vector<std::string> kLawNames = {"constant", "ramp", "sine", "expression"};  // as in TimeLawKind

// What is left out stays as it is, also of a law of the same kind.
TimeLaw read_law(Arguments& arguments, const TimeLaw& now) {
  if (!arguments.has("law")) return now;
  Arguments law("law", arguments.value("law"));
  const std::string same = kLawNames[static_cast<std::size_t>(now.kind)], kind = law.choice_or("kind", kLawNames, same);
  TimeLaw result = kind == same ? now : TimeLaw{};
  if (kind == "ramp") {
    result.kind = TimeLawKind::kRamp;
    if (kind != same || law.has("rise")) result.rise = law.number("rise");
    if (result.rise <= 0) law.refuse("rise", "a time above 0");
  } else if (kind == "sine") {
    result.kind = TimeLawKind::kSine;
    if (kind != same || law.has("frequency")) result.frequency = law.number("frequency");
    result.phase = law.number_or("phase", result.phase);
  } else if (kind == "expression") {
    result.kind = TimeLawKind::kExpression;
    if (kind != same || law.has("expr")) result.expression = law.text("expr");
    try {
      Expression::parse(result.expression);
    } catch (const ExpressionError& e) {
      law.refuse("expr", fmt::format("an expression (at character {}: {})", e.offset() + 1, e.text()));
    }
  }
  law.finish();
  return result;
}

void read_common(Arguments& arguments, Icon& icon) {
  icon.law = read_law(arguments, icon.law);
  icon.start = arguments.number_or("start", icon.start);
  if (arguments.has("duration")) icon.duration = arguments.optional_number("duration");
  if (icon.duration && *icon.duration < 0) arguments.refuse("duration", "a time not below 0, or null");
  icon.style = arguments.choice_or("style", {"push", "pull"}, icon.style);
}

Eigen::Vector3d resized(const Eigen::Vector3d& vector, double size) {
  const double now = vector.norm();
  return now > 0 ? Eigen::Vector3d(vector * (size / now)) : Eigen::Vector3d(size, 0, 0);
}

void read_load(Arguments& arguments, bool must, Icon& icon) {
  const char* vector = icon.kind == IconKind::kForce ? "force" : "torque";
  icon.point = must ? arguments.vector_or("point", icon.point) : arguments.changed_vector("point", icon.point);
  icon.vector = must ? arguments.vector(vector) : arguments.changed_vector(vector, icon.vector);
  if (!must && arguments.has("size")) icon.vector = resized(icon.vector, arguments.number("size"));
  const std::string frame = icon.frame == ForceFrame::kWorld ? "world" : "body";
  icon.frame =
      arguments.choice_or("frame", {"world", "body"}, frame) == "world" ? ForceFrame::kWorld : ForceFrame::kBody;
}

void read_motion(Arguments& arguments, bool must, Icon& icon) {
  const MotorKind before = icon.motion;
  const std::string motion = before == MotorKind::kVelocity ? "velocity" : "position";
  const bool is_rate = arguments.choice_or("motion", {"velocity", "position"}, motion) == "velocity";
  icon.motion = is_rate ? MotorKind::kVelocity : MotorKind::kPosition;
  if (icon.motion != before) icon.active = false;  // it begins anew, where the joint is then
  icon.value = must ? arguments.number("value") : arguments.number_or("value", icon.value);
  if (arguments.has("max_force")) icon.max_force = arguments.optional_number("max_force");
  if (icon.max_force && *icon.max_force <= 0) arguments.refuse("max_force", "a number above 0, or null");
}

std::string written(double x) { return x < 0 ? fmt::format("({:.17g})", x) : fmt::format("{:.17g}", x); }

std::string law_expression(const TimeLaw& law, const std::string& s) {
  switch (law.kind) {
    case TimeLawKind::kConstant:
      return "1";
    case TimeLawKind::kRamp:
      return fmt::format("clamp({} / {}, 0, 1)", s, written(law.rise));
    case TimeLawKind::kSine:
      return fmt::format("sin(2*pi*{} * {} + {})", written(law.frequency), s, written(law.phase));
    case TimeLawKind::kExpression:
      return "(" +
             replace_variables(law.expression,
                               [&](std::string_view name) { return name == "s" ? s : std::string(name); }) +
             ")";
  }
  throw InternalError("no such time law");
}

Signal times(double value, const std::string& factor) {
  if (value == 0) return {};
  return {ExpressionText{fmt::format("{} * {}", written(value), factor)}, {}};
}

}  // namespace

double Icon::end() const { return duration ? start + *duration : std::numeric_limits<double>::infinity(); }

Icon read_icon(IconKind kind, Arguments& arguments, double now) {
  Icon icon;
  icon.kind = kind;
  icon.start = now;
  icon.name = arguments.text_or("name", "");
  read_common(arguments, icon);
  if (kind == IconKind::kMotion) {
    icon.joint = arguments.text("joint");
    icon.dof = arguments.integer_or("dof", 0);
    read_motion(arguments, true, icon);
  } else {
    icon.body = arguments.text("body");
    read_load(arguments, true, icon);
  }
  return icon;
}

void edit_icon(Arguments& arguments, Icon& icon) {
  read_common(arguments, icon);
  if (icon.kind == IconKind::kMotion) {
    read_motion(arguments, false, icon);
  } else {
    read_load(arguments, false, icon);
  }
}

namespace {

Json law_json(const TimeLaw& law) {
  switch (law.kind) {
    case TimeLawKind::kConstant:
      return {{"kind", "constant"}};
    case TimeLawKind::kRamp:
      return {{"kind", "ramp"}, {"rise", law.rise}};
    case TimeLawKind::kSine:
      return {{"kind", "sine"}, {"frequency", law.frequency}, {"phase", law.phase}};
    case TimeLawKind::kExpression:
      return {{"kind", "expression"}, {"expr", law.expression}};
  }
  throw InternalError("no such time law");
}

}  // namespace

Json icon_json(const Icon& icon) {
  Json json = {{"name", icon.name}};
  if (icon.kind == IconKind::kMotion) {
    json["kind"] = "motion";
    json["joint"] = icon.joint;
    json["dof"] = icon.dof;
    json["motion"] = icon.motion == MotorKind::kVelocity ? "velocity" : "position";
    json["value"] = icon.value;
    json["max_force"] = icon.max_force ? Json(*icon.max_force) : Json(nullptr);
    json["active"] = icon.active;
  } else {
    json["kind"] = icon.kind == IconKind::kForce ? "force" : "torque";
    json["body"] = icon.body;
    json["point"] = vector_json(icon.point);
    json["vector"] = vector_json(icon.vector);
    json["frame"] = icon.frame == ForceFrame::kWorld ? "world" : "body";
  }
  json["law"] = law_json(icon.law);
  json["start"] = icon.start;
  json["duration"] = icon.duration ? Json(*icon.duration) : Json(nullptr);
  json["style"] = icon.style;
  return json;
}

std::string factor_expression(const Icon& icon) {
  const std::string s = fmt::format("(t - {})", written(icon.start));
  std::string within = fmt::format("t >= {}", written(icon.start - kSameTime));
  if (icon.duration) within += fmt::format(" && t < {}", written(icon.end() - kSameTime));
  return fmt::format("({} ? {} : 0)", within, law_expression(icon.law, s));
}

void add_icon(const Icon& icon, ModelParts& parts) {
  if (icon.kind == IconKind::kMotion) {
    if (!icon.active) return;
    MotorSpec motor;
    motor.name = icon.name;
    motor.joint = icon.joint;
    motor.dof = icon.dof;
    motor.kind = icon.motion;
    const std::string law = law_expression(icon.law, fmt::format("(t - {})", written(icon.start)));
    const std::string origin = icon.motion == MotorKind::kPosition ? written(icon.origin) + " + " : "";
    motor.target = {ExpressionText{fmt::format("{}{} * {}", origin, written(icon.value), law)}, {}};
    if (icon.max_force) motor.max_force = *icon.max_force;
    parts.motors.push_back(std::move(motor));
    return;
  }
  ForceSpec force;
  force.name = icon.name;
  force.at = {"", icon.body, icon.point};
  force.frame = icon.frame;
  const std::string factor = factor_expression(icon);
  auto& components = icon.kind == IconKind::kForce ? force.force : force.torque;
  for (int k = 0; k < 3; ++k) components[k] = times(icon.vector[k], factor);
  parts.forces.push_back(std::move(force));
}

}  // namespace lipkin
