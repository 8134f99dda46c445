// Joints changed while they hold: freedoms, limits, friction, drives, joints that come, go or break.
#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_name.hpp"
#include "model/cut_joints.hpp"
#include "model/mechanism_size.hpp"
#include "model/parameters.hpp"
#include "session/session_impl.hpp"

namespace lipkin {

namespace {

auto joint_in(ModelParts& parts, const std::string& name) {
  return std::find_if(parts.joints.begin(), parts.joints.end(), [&](const JointSpec& j) { return j.name == name; });
}

// Controls go with what they drive.
void drop_idle_controls(ModelParts& parts) {
  const auto has = [](const auto& items, const std::string& name) {
    return std::any_of(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
  };
  std::erase_if(parts.controls, [&](const ControlSpec& c) {
    return c.motor.empty() ? !has(parts.actuators, c.actuator) : !has(parts.motors, c.motor);
  });
}

// Of an actuator with a gear in each direction: those that are left. False: none is.
template <class Keep>
bool move_gears(const Keep& keep, int count, std::vector<double>& gears) {
  std::vector<double> left(count, 0.0);
  bool any = false;
  for (std::size_t k = 0; k < gears.size(); ++k) {
    const int now = keep(static_cast<int>(k));
    if (now < 0 || gears[k] == 0) continue;
    left[now] = gears[k];
    any = true;
  }
  gears = left;
  return any;
}

// What runs along a tendon goes with it.
void erase_tendon(const std::string& name, ModelParts& parts) {
  const auto is_on = [&](const auto& item) { return item.tendon == name; };
  std::erase_if(parts.motors, is_on);
  std::erase_if(parts.actuators, is_on);
  std::erase_if(parts.gears, [&](const GearSpec& gear) { return gear.tendon == name || gear.of_tendon == name; });
}

// Tendons lose the joint, and go where nothing else is left of them.
template <class Keep>
void move_tendons(const std::string& joint, const Keep& keep, ModelParts& parts) {
  for (TendonSpec& tendon : parts.tendons) {
    for (TendonSpec::Term& term : tendon.joints)
      if (term.joint == joint) term.dof = keep(term.dof);
    std::erase_if(tendon.joints, [&](const TendonSpec::Term& term) { return term.joint == joint && term.dof < 0; });
    if (tendon.joints.empty() && tendon.path.empty()) erase_tendon(tendon.name, parts);
  }
  std::erase_if(parts.tendons, [](const TendonSpec& tendon) { return tendon.joints.empty() && tendon.path.empty(); });
}

// Motors, actuators and gears go with the degree of freedom they are on; `keep` says which number it has now, -1: none.
template <class Keep>
void move_drives(const std::string& joint, const Keep& keep, ModelParts& parts) {
  const auto move = [&](auto& items) {
    for (auto& item : items)
      if (item.joint == joint) item.dof = keep(item.dof);
    std::erase_if(items, [&](const auto& item) { return item.joint == joint && item.dof < 0; });
  };
  const auto place = joint_in(parts, joint);
  const int count = place == parts.joints.end() ? 0 : u_count(place->type);
  for (ActuatorSpec& actuator : parts.actuators) {
    if (actuator.joint != joint) continue;
    if (actuator.gears.empty()) {
      actuator.dof = keep(actuator.dof);
    } else if (!move_gears(keep, count, actuator.gears)) {
      actuator.dof = -1;
    }
  }
  std::erase_if(parts.actuators, [&](const ActuatorSpec& a) { return a.joint == joint && a.dof < 0; });
  for (GearSpec& gear : parts.gears)
    if (gear.of == joint) gear.of_dof = keep(gear.of_dof);
  std::erase_if(parts.gears, [&](const GearSpec& gear) { return gear.of == joint && gear.of_dof < 0; });
  move(parts.motors);
  move(parts.gears);
  move_tendons(joint, keep, parts);
  drop_idle_controls(parts);
}

void make_flyable(const JointSpec& joint, double mechanism_size, ModelParts& parts) {
  for (BodySpec& body : parts.bodies)
    if (body.name == joint.child) give_least_inertia(joint.frame_in_child.position, mechanism_size, body);
}

JointType type_named(Arguments& arguments) {
  constexpr JointType kTypes[] = {JointType::kRevolute,  JointType::kPrismatic, JointType::kCylindrical,
                                  JointType::kUniversal, JointType::kPlanar,    JointType::kBall,
                                  JointType::kFixed};
  std::vector<std::string> names;
  for (const JointType type : kTypes) names.emplace_back(name_of(type));
  const std::string name = arguments.choice_or("type", names, "fixed");
  return kTypes[std::find(names.begin(), names.end(), name) - names.begin()];
}

// Two values of one thing may be changed one right after the other: what is left out stays; null is `none`.
double number_or_kept(Arguments& arguments, const char* key, double kept, double none) {
  return arguments.has(key) ? arguments.optional_number(key).value_or(none) : kept;
}

std::optional<double> number_or_kept(Arguments& arguments, const char* key, const std::optional<double>& kept) {
  return arguments.has(key) ? arguments.optional_number(key) : kept;
}

Pose relative(const Pose& frame, const Pose& in) {
  const Eigen::Quaterniond inverse = in.orientation.conjugate();
  return {inverse * (frame.position - in.position), (inverse * frame.orientation).normalized()};
}

int dof_of(Arguments& arguments, const JointSpec& joint) {
  const int dof = arguments.integer_or("dof", 0), count = u_count(joint.type);
  if (dof < 0 || dof >= count)
    throw InvalidArgument(fmt::format("joint '{}' is {} and has {} degree{} of freedom; dof counts from 0", joint.name,
                                      name_of(joint.type), count, count == 1 ? "" : "s"));
  return dof;
}

}  // namespace

const JointSpec& Session::Impl::joint_named(const std::string& name) const {
  simulation.model().joint(name);  // throws with the nearest name
  return *std::find_if(parts().joints.begin(), parts().joints.end(),
                       [&](const JointSpec& j) { return j.name == name; });
}

Pose Session::Impl::body_pose(const std::string& name) const {
  if (name == kWorldName) return {};
  return simulation.body_motion(simulation.model().body(name)).pose;
}

Json Session::Impl::set_freedoms(Arguments& arguments) {
  const JointSpec joint = joint_named(arguments.text("joint"));
  const Json list = arguments.value("freedoms");
  if (!list.is_array() || list.size() != 6 ||
      !std::all_of(list.begin(), list.end(), [](const Json& x) { return x.is_boolean(); }))
    arguments.refuse("freedoms", "six of true and false");
  arguments.finish();
  Freedoms freedoms{};
  for (int k = 0; k < 6; ++k) freedoms[k] = list[k].get<bool>();
  const JointHome at = design->home(joint);
  const JointSpec next_joint = with_freedoms(joint, at, freedoms, body_pose(joint.parent), body_pose(joint.child));
  const auto keep = [joint, next_joint, at](int dof) {
    for (int k = 0; k < u_count(next_joint.type); ++k)
      if (freedom_of_dof(next_joint, at, k) == freedom_of_dof(joint, at, dof)) return k;
    return -1;
  };
  if (joint.closes_loop && next_joint.type == JointType::kFree)
    throw InvalidArgument("a joint that closes a loop and leaves everything free holds nothing; delete it instead");
  const double size = mechanism_size(simulation.model().data());
  Design next = *design;
  next.homes[joint.name] = at;
  next.edit(fmt::format("freedoms {} {}", joint.name, ++next.numbers["edit"]), [=](ModelParts& p) {
    const auto place = joint_in(p, next_joint.name);
    if (place == p.joints.end()) return;
    *place = next_joint;
    make_flyable(next_joint, size, p);
    move_drives(next_joint.name, keep, p);
  });
  const double energy = simulation.energy().total();
  change(std::move(next));
  return {{"type", name_of(next_joint.type)}, {"energy_jump", simulation.energy().total() - energy}};
}

Json Session::Impl::add_joint(Arguments& arguments) {
  JointSpec joint;
  joint.parent = arguments.text("parent");
  joint.child = arguments.text("child");
  joint.type = type_named(arguments);
  const Eigen::Vector3d point = arguments.vector("point"), axis = arguments.vector_or("axis", {0, 0, 1});
  joint.name = arguments.text_or("name", "");
  arguments.finish();
  if (axis.norm() == 0) arguments.refuse("axis", "a direction");
  if (joint.child == kWorldName) std::swap(joint.parent, joint.child);
  joint.closes_loop = true;
  const Pose frame{point, Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), axis).normalized()};
  joint.frame_in_parent = relative(frame, body_pose(joint.parent));
  joint.frame_in_child = relative(frame, body_pose(joint.child));
  Design next = *design;
  if (joint.name.empty()) joint.name = numbered(next, "joint");
  next.edit("add joint " + joint.name, [joint](ModelParts& p) { p.joints.push_back(joint); });
  change(std::move(next));
  return {{"name", joint.name}, {"type", name_of(joint.type)}};
}

// A joint of the tree leaves its body free; one that closed a loop goes.
void Session::Impl::remove_joint(const std::string& name, Design& of) const {
  const double size = mechanism_size(simulation.model().data());
  of.breaks.erase(name);
  of.homes.erase(name);
  std::erase_if(of.icons, [&](const Icon& icon) { return icon.kind == IconKind::kMotion && icon.joint == name; });
  of.edit(fmt::format("delete {} {}", name, ++of.numbers["edit"]), [name, size](ModelParts& p) {
    const auto joint = joint_in(p, name);
    if (joint == p.joints.end()) return;
    move_drives(
        name, [](int) { return -1; }, p);
    if (joint->closes_loop) {
      p.joints.erase(joint);
      return;
    }
    make_flyable(*joint, size, p);
    JointSpec free;
    free.name = "free_" + joint->child;
    free.type = JointType::kFree;
    free.child = joint->child;
    *joint = free;
  });
}

Json Session::Impl::delete_joint(Arguments& arguments) {
  const JointSpec joint = joint_named(arguments.text("joint"));
  arguments.finish();
  if (joint.type == JointType::kFree && joint.parent == kWorldName)
    throw InvalidArgument(fmt::format("joint '{}' leaves its body free already", joint.name));
  Design next = *design;
  remove_joint(joint.name, next);
  change(std::move(next));
  return {};
}

namespace {

// The parameter of one direction of a joint.
std::string dof_path(const JointSpec& joint, const char* what, int dof) {
  return u_count(joint.type) == 1 ? fmt::format("joint.{}.{}", joint.name, what)
                                  : fmt::format("joint.{}.{}[{}]", joint.name, what, dof);
}

}  // namespace

Json Session::Impl::set_limits(Arguments& arguments) {
  const JointSpec joint = joint_named(arguments.text("joint"));
  const int dof = dof_of(arguments, joint), count = u_count(joint.type);
  Design next = *design;
  std::vector<std::string> overruled;
  const auto put = [&](const char* key, std::vector<double> JointSpec::*limits, double none) {
    if (!arguments.has(key)) return;
    const double limit = arguments.optional_number(key).value_or(none);
    overruled.push_back(dof_path(joint, key, dof));
    next.put_value(overruled.back(), limit, [=, name = joint.name](ModelParts& p) {
      const auto place = joint_in(p, name);
      if (place != p.joints.end()) put_dof((*place).*limits, count, dof, none, limit);
    });
  };
  put("lower", &JointSpec::lower, -kInfinity);
  put("upper", &JointSpec::upper, kInfinity);
  arguments.finish();
  change(std::move(next), overruled);
  return {};
}

Json Session::Impl::set_friction(Arguments& arguments) {
  const JointSpec joint = joint_named(arguments.text("joint"));
  const int dof = dof_of(arguments, joint), count = u_count(joint.type);
  const double force = arguments.number("force");
  arguments.finish();
  Design next = *design;
  const std::string path = dof_path(joint, "friction", dof);
  next.put_value(path, force, [=, name = joint.name](ModelParts& p) {
    const auto place = joint_in(p, name);
    if (place != p.joints.end()) put_dof(place->friction, count, dof, 0, force);
  });
  change(std::move(next), {path});
  return {};
}

// The motor on a degree of freedom as it is now, or a new one; a motion icon is none.
MotorSpec Session::Impl::drive_of(const JointSpec& joint, int dof) const {
  const auto is_icon = [&](const MotorSpec& m) {
    return std::any_of(design->icons.begin(), design->icons.end(), [&](const Icon& i) { return i.name == m.name; });
  };
  for (const MotorSpec& m : parts_in_force().motors)
    if (m.joint == joint.name && m.dof == dof && !is_icon(m)) return m;
  MotorSpec motor;
  motor.name = fmt::format("{}_drive{}", joint.name, dof);
  motor.joint = joint.name;
  motor.dof = dof;
  return motor;
}

Json Session::Impl::set_drive(Arguments& arguments) {
  const JointSpec joint = joint_named(arguments.text("joint"));
  MotorSpec motor = drive_of(joint, dof_of(arguments, joint));
  const char* now = motor.kind == MotorKind::kPosition ? "position" : "velocity";
  const std::string kind = arguments.choice_or("kind", {"off", "velocity", "position"}, now);
  motor.kind = kind == "position" ? MotorKind::kPosition : MotorKind::kVelocity;
  motor.target = signal_of(arguments, "target").value_or(motor.target);
  if (arguments.has("target")) release_control(motor.name);
  if (arguments.has("max_force")) motor.min_force.reset();
  motor.max_force = number_or_kept(arguments, "max_force", motor.max_force, kInfinity);
  if (motor.kind == MotorKind::kVelocity) motor.stiffness.reset(), motor.damping = 0;  // a spring is for positions
  motor.stiffness = number_or_kept(arguments, "stiffness", motor.stiffness);
  motor.damping = arguments.number_or("damping", motor.damping);
  arguments.finish();
  Design next = *design;
  for (const char* value : {"max_force", "target", "stiffness", "damping"})  // they are in what was read above
    next.forget_value(fmt::format("motor.{}.{}", motor.name, value));
  next.edit(fmt::format("drive {} {}", joint.name, motor.dof), [motor, kind](ModelParts& p) {
    const auto same = [&](const MotorSpec& m) { return m.joint == motor.joint && m.dof == motor.dof; };
    const auto old = std::find_if(p.motors.begin(), p.motors.end(), same);
    if (kind == "off") {
      std::erase_if(p.motors, same);
      drop_idle_controls(p);
    } else if (old == p.motors.end()) {
      p.motors.push_back(motor);
    } else {
      *old = motor;
    }
  });
  change(std::move(next), {"motor." + motor.name});
  return {};
}

Json Session::Impl::set_break(Arguments& arguments) {
  const std::string joint = joint_named(arguments.text("joint")).name;
  const auto now = design->breaks.find(joint);
  BreakLimit limit = now == design->breaks.end() ? BreakLimit{} : now->second;
  limit.force = number_or_kept(arguments, "force", limit.force);
  limit.torque = number_or_kept(arguments, "torque", limit.torque);
  arguments.finish();
  if (limit.force.value_or(0) < 0 || limit.torque.value_or(0) < 0)
    throw InvalidArgument("set_break: a limit is not below 0");
  auto next = std::make_shared<Design>(*design);
  next->breaks.erase(joint);
  if (limit.force || limit.torque) next->breaks[joint] = limit;
  design = std::move(next);
  update_watches();
  ++versions.model;
  return {};
}

}  // namespace lipkin
