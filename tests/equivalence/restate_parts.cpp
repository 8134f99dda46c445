// Renamed, in another order, cut in two, with a stranger, read from a file.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/temporary_folder.hpp"
#include "equivalence/restatements.hpp"
#include "lipkin/export.hpp"
#include "support/random.hpp"
#include "support/random_tree.hpp"

namespace lipkin::test {

std::string command_line(const Command& command) {
  nlohmann::json line{{"at", command.at}};
  if (const auto* set = std::get_if<CommandSet>(&command.action)) {
    line["cmd"] = "set";
    line["args"] = {{"path", set->path}, {"value", set->value}};
  } else {
    const auto& push = std::get<CommandPush>(command.action);
    line["cmd"] = "apply_force";
    line["args"] = {{"body", push.body},
                    {"point", {push.point.x(), push.point.y(), push.point.z()}},
                    {"force", {push.force.x(), push.force.y(), push.force.z()}},
                    {"duration", push.duration}};
  }
  return line.dump();
}

namespace restate {
namespace {

void rename(std::string& name, const Names& names) {
  if (const auto found = names.find(name); found != names.end()) name = found->second;
}

void rename_commands(Mechanism& m, const Names& names) {
  for (Command& command : m.experiment.commands) {
    if (auto* push = std::get_if<CommandPush>(&command.action)) {
      rename(push->body, names);
      continue;
    }
    std::string& path = std::get<CommandSet>(command.action).path;
    const std::size_t from = path.find('.') + 1, to = path.rfind('.');
    if (to <= from) continue;
    std::string name = path.substr(from, to - from);
    rename(name, names);
    path.replace(from, to - from, name);
  }
}

void rename_all(Mechanism& m, const Names& names) {
  for_each_list(m, [&](auto& parts) {
    for (auto& part : parts) rename(part.name, names);
  });
  for_each_frame(m, [&](std::string& body, Pose&) { rename(body, names); });
  for_each_attachment(m, [&](Attachment& a) { rename(a.body, names); });
  for (MotorSpec& motor : m.motors) rename(motor.joint, names);
  for (ActuatorSpec& actuator : m.actuators) rename(actuator.joint, names);
  for (GearSpec& gear : m.gears) rename(gear.joint, names), rename(gear.of, names);
  for (TendonSpec& tendon : m.tendons)
    for (TendonSpec::Term& term : tendon.joints) rename(term.joint, names);
  rename_commands(m, names);
}

template <class T>
void shuffle(Random& random, std::vector<T>& parts) {
  for (int i = static_cast<int>(parts.size()) - 1; i > 0; --i) std::swap(parts[i], parts[random.integer(0, i)]);
}

Eigen::Matrix3d of_point_mass(double mass, const Eigen::Vector3d& r) {
  return mass * (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose());
}

// Takes a part of the body away: what is returned is the rest's counterpart, in a frame X_BC of its own.
BodySpec split(Random& random, BodySpec& body, const Pose& X_BC) {
  MassProperties& whole = *body.mass_properties;
  const double share = random.uniform(0.2, 0.8), mass = whole.mass;
  const double least = whole.inertia.selfadjointView<Eigen::Lower>().eigenvalues()[0];
  const Eigen::Vector3d apart = 0.3 * std::sqrt(least / mass) * random.unit_vector();
  const Eigen::Matrix3d left = whole.inertia - of_point_mass(mass * share * (1 - share), apart);
  BodySpec part;
  part.name = body.name + "_cut";
  const Eigen::Matrix3d back = X_BC.orientation.toRotationMatrix().transpose();
  const Eigen::Vector3d com = whole.com + (1 - share) * apart;
  const Eigen::Matrix3d inertia = back * left * share * back.transpose();
  part.mass_properties =
      MassProperties{share * mass, back * (com - X_BC.position), 0.5 * (inertia + inertia.transpose())};
  whole = {(1 - share) * mass, whole.com - share * apart, (1 - share) * left};
  return part;
}

// Half of what hangs on the body moves to its new part.
void move_some(Random& random, Mechanism& m, const std::string& body, const std::string& part, const Pose& X_CB) {
  for_each_frame(m, [&](std::string& of, Pose& frame) {
    const bool is_own = std::ranges::any_of(
        m.joints, [&](const JointSpec& j) { return !j.closes_loop && j.child == body && &j.frame_in_child == &frame; });
    if (of != body || is_own || random.chance(0.5)) return;
    of = part;
    frame = X_CB * frame;
  });
  for_each_attachment(m, [&](Attachment& a) {
    if (a.body != body || random.chance(0.5)) return;
    a = {{}, part, X_CB.position + X_CB.orientation * a.position};
  });
  const Eigen::Matrix3d axes = X_CB.orientation.toRotationMatrix();
  for (ForceSpec& f : m.forces)
    if (f.at.body == part && f.frame == ForceFrame::kBody) turn_signals(f.force, axes), turn_signals(f.torque, axes);
}

Restated cut(const Mechanism& mechanism, std::uint64_t seed, bool by_loop) {
  Random random(seed);
  Restated r{"cut", mechanism};
  Mechanism& m = r.mechanism;
  const std::vector<std::string> names = [&] {
    std::vector<std::string> all;
    for (const BodySpec& body : m.bodies) all.push_back(body.name);
    return all;
  }();
  const int index = random.integer(0, static_cast<int>(names.size()) - 1);
  const std::string name = names[index];
  const Pose X_BC{random.vector(0.1), random.quaternion()};
  const BodySpec part = split(random, m.bodies[index], X_BC);
  move_some(random, m, name, part.name, inverse(X_BC));
  JointSpec weld;
  weld.name = "weld";
  weld.type = JointType::kFixed;
  weld.parent = name, weld.child = part.name;
  weld.frame_in_parent = X_BC;
  if (by_loop) {
    weld.closes_loop = true;
    JointSpec flight;
    flight.name = "flight", flight.type = JointType::kFree, flight.parent = name, flight.child = part.name;
    flight.frame_in_parent = X_BC;
    m.joints.push_back(flight);
  }
  m.bodies.push_back(part);
  m.joints.push_back(weld);
  return r;
}

}  // namespace

Result renamed(const Mechanism& mechanism, std::uint64_t seed) {
  Restated r{"renamed", mechanism};
  int count = static_cast<int>(seed % 1000);
  // From the end of the alphabet, so that sorting by name turns the order round.
  for_each_list(mechanism, [&](const auto& parts) {
    for (const auto& part : parts) r.names[part.name] = fmt::format("z{:05}", 99999 - 37 * ++count);
  });
  rename_all(r.mechanism, r.names);
  return r;
}

Result reordered(const Mechanism& mechanism, std::uint64_t seed) {
  Random random(seed);
  Restated r{"in another order", mechanism};
  for_each_list(r.mechanism, [&](auto& parts) { shuffle(random, parts); });
  return r;
}

Result cut_in_two(const Mechanism& mechanism, std::uint64_t seed) { return cut(mechanism, seed, false); }

Result held_together(const Mechanism& mechanism, std::uint64_t seed) {
  Restated r = cut(mechanism, seed, true);
  r.agreement = Agreement::kOrderOfStep;
  return r;
}

// A pendulum with a motor and friction, far away.
Result with_stranger(const Mechanism& mechanism, std::uint64_t seed) {
  Random random(seed);
  Restated r{"with a stranger", mechanism};
  Mechanism& m = r.mechanism;
  BodySpec body;
  body.name = "stranger";
  body.mass_properties = random_mass_properties(random);
  JointSpec joint;
  joint.name = "strange_joint", joint.child = body.name;
  joint.frame_in_parent.position = {100, 50, 200};
  joint.axis = {0, 1, 0};
  joint.friction = {0.3};
  joint.lower = {-0.1}, joint.upper = {0.05};
  MotorSpec motor;
  motor.name = "strange_motor", motor.joint = joint.name;
  motor.target = {2.0, {}};
  motor.max_force = 10;
  m.bodies.insert(m.bodies.begin(), body);
  m.joints.push_back(joint);
  m.motors.insert(m.motors.begin(), motor);
  r.not_compared = {Quantity::kEnergy};
  return r;
}

// A brake is a motor of speed zero.
Result friction_as_brakes(const Mechanism& mechanism, std::uint64_t) {
  Restated r{"friction as brakes", mechanism};
  for (JointSpec& joint : r.mechanism.joints) {
    for (std::size_t k = 0; k < joint.friction.size(); ++k) {
      if (joint.type == JointType::kBall) return {};
      MotorSpec brake;
      brake.name = fmt::format("brake_{}_{}", joint.name, k);
      brake.joint = joint.name, brake.dof = static_cast<int>(k);
      brake.max_force = joint.friction[k];
      r.mechanism.motors.push_back(brake);
    }
    joint.friction.clear();
  }
  const bool has_command = std::ranges::any_of(mechanism.experiment.commands, [](const Command& c) {
    const auto* set = std::get_if<CommandSet>(&c.action);
    return set && set->path.ends_with(".friction");
  });
  if (r.mechanism.motors.size() == mechanism.motors.size() || has_command) return {};
  r.not_compared = {Quantity::kEnergy};
  return r;
}

Result by_command_lines(const Mechanism& mechanism, std::uint64_t) {
  if (mechanism.experiment.commands.empty()) return {};
  Restated r{"by command lines", mechanism};
  r.runner = [](const Mechanism& m, const std::vector<Entry>& entries) {
    std::vector<std::string> lines;
    for (const Command& command : m.experiment.commands) lines.push_back(command_line(command));
    Mechanism without = m;
    without.experiment.commands.clear();
    return run_scene([&] { return build(without, outputs_for(entries)); }, entries, {}, lines);
  };
  return r;
}

Result read_from_file(const Mechanism& mechanism, std::uint64_t) {
  Restated r{"read from a file", mechanism};
  r.runner = [](const Mechanism& m, const std::vector<Entry>& entries) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "mechanism.yaml";
    return run_scene(
        [&] {
          std::ofstream(path) << write_scene(build(m, outputs_for(entries))).text;
          return load_scene(path.string());
        },
        entries);
  };
  return r;
}

}  // namespace restate
}  // namespace lipkin::test
