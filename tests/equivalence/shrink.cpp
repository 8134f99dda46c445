#include "equivalence/shrink.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace lipkin::test {
namespace {

using Edit = std::function<bool(Mechanism&)>;  // false: there is nothing to do

template <class T>
void drop_if(std::vector<T>& parts, const auto& is_gone) {
  std::erase_if(parts, is_gone);
}

bool is_leaf(const Mechanism& m, const std::string& body) {
  return std::ranges::none_of(m.joints, [&](const JointSpec& j) { return !j.closes_loop && j.parent == body; });
}

void drop_joint(Mechanism& m, const std::string& joint) {
  drop_if(m.motors, [&](const MotorSpec& x) { return x.joint == joint; });
  drop_if(m.gears, [&](const GearSpec& x) { return x.joint == joint || x.of == joint; });
  drop_if(m.actuators, [&](const ActuatorSpec& x) { return x.joint == joint; });
  drop_if(m.tendons, [&](const TendonSpec& x) {
    return std::ranges::any_of(x.joints, [&](const auto& term) { return term.joint == joint; });
  });
  drop_if(m.joints, [&](const JointSpec& x) { return x.name == joint; });
  drop_if(m.experiment.commands, [&](const Command& c) {
    const auto* set = std::get_if<CommandSet>(&c.action);
    return set && set->path.starts_with("joint." + joint + ".");
  });
}

void drop_body(Mechanism& m, const std::string& body) {
  std::vector<std::string> joints;
  for (const JointSpec& j : m.joints)
    if (j.child == body || j.parent == body) joints.push_back(j.name);
  for (const std::string& joint : joints) drop_joint(m, joint);
  drop_if(m.springs, [&](const auto& x) { return x.a.body == body || x.b.body == body; });
  drop_if(m.distances, [&](const auto& x) { return x.a.body == body || x.b.body == body; });
  drop_if(m.bushings, [&](const auto& x) { return x.body_a == body || x.body_b == body; });
  drop_if(m.forces, [&](const auto& x) { return x.at.body == body; });
  drop_if(m.bodies, [&](const auto& x) { return x.name == body; });
  drop_if(m.experiment.commands, [&](const Command& c) {
    const auto* push = std::get_if<CommandPush>(&c.action);
    return push && push->body == body;
  });
}

void add_removals(const Mechanism& m, std::vector<Edit>& edits) {
  for (std::size_t i = m.bodies.size(); i-- > 0;)
    edits.push_back([name = m.bodies[i].name](Mechanism& x) {
      if (!is_leaf(x, name) || x.bodies.size() == 1) return false;
      return drop_body(x, name), true;
    });
  for (const JointSpec& joint : m.joints)
    if (joint.closes_loop) edits.push_back([name = joint.name](Mechanism& x) { return drop_joint(x, name), true; });
  const auto each = [&](auto member) {
    for (std::size_t i = (m.*member).size(); i-- > 0;)
      edits.push_back([=](Mechanism& x) { return (x.*member).erase((x.*member).begin() + i), true; });
  };
  each(&Mechanism::motors), each(&Mechanism::gears), each(&Mechanism::springs), each(&Mechanism::bushings);
  each(&Mechanism::forces), each(&Mechanism::actuators), each(&Mechanism::tendons), each(&Mechanism::distances);
  for (std::size_t i = m.experiment.commands.size(); i-- > 0;)
    edits.push_back([=](Mechanism& x) {
      return x.experiment.commands.erase(x.experiment.commands.begin() + static_cast<int>(i)), true;
    });
  edits.push_back([](Mechanism& x) {
    if (x.world_shapes.empty()) return false;
    for (BodySpec& body : x.bodies) body.shapes.clear();
    return x.world_shapes.clear(), true;
  });
  for (std::size_t i = 0; i < m.bodies.size(); ++i)
    edits.push_back([i](Mechanism& x) {
      const bool has = !x.bodies[i].shapes.empty();
      return x.bodies[i].shapes.clear(), has;
    });
}

template <class T>
Edit set_to(std::function<T&(Mechanism&)> place, const T& value) {
  return [=](Mechanism& x) {
    T& now = place(x);
    if (now == value) return false;
    return now = value, true;
  };
}

// A speed to hold is that of the joint at the start, a position where it is.
bool is_driven(const Mechanism& m, const std::string& joint) {
  return std::ranges::any_of(m.motors, [&](const MotorSpec& x) { return x.joint == joint; });
}

void add_plain_joints(const Mechanism& m, std::vector<Edit>& edits) {
  using List = std::vector<double>;
  for (std::size_t i = 0; i < m.joints.size(); ++i) {
    for (const auto list : {&JointSpec::damping, &JointSpec::stiffness, &JointSpec::rest, &JointSpec::armature,
                            &JointSpec::friction, &JointSpec::q, &JointSpec::u}) {
      const bool moves = list == &JointSpec::q || list == &JointSpec::u;
      if (moves && is_driven(m, m.joints[i].name)) continue;
      edits.push_back(set_to<List>([=](Mechanism& x) -> List& { return x.joints[i].*list; }, {}));
    }
    edits.push_back([i](Mechanism& x) {
      const bool has = !x.joints[i].lower.empty();
      return x.joints[i].lower.clear(), x.joints[i].upper.clear(), has;
    });
    edits.push_back(set_to<double>([i](Mechanism& x) -> double& { return x.joints[i].limit_restitution; }, 0));
    for (const Eigen::Vector3d& axis : {Eigen::Vector3d(0, 0, 1), Eigen::Vector3d(0, 1, 0), Eigen::Vector3d(1, 0, 0)})
      edits.push_back([=](Mechanism& x) {
        Eigen::Vector3d& now = x.joints[i].axis;
        if (now == axis || (axis.z() == 0 && now.cwiseAbs().maxCoeff() == 1)) return false;
        return now = axis, true;
      });
    for (const auto pose : {&JointSpec::frame_in_parent, &JointSpec::frame_in_child}) {
      edits.push_back([=](Mechanism& x) {
        Eigen::Quaterniond& now = (x.joints[i].*pose).orientation;
        if (now.w() == 1) return false;
        return now.setIdentity(), true;
      });
      edits.push_back(set_to<Eigen::Vector3d>(
          [=](Mechanism& x) -> Eigen::Vector3d& { return (x.joints[i].*pose).position; }, Eigen::Vector3d::Zero()));
    }
  }
}

void add_plain_bodies(const Mechanism& m, std::vector<Edit>& edits) {
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    const auto mass = [i](Mechanism& x) -> MassProperties& { return *x.bodies[i].mass_properties; };
    edits.push_back(set_to<Eigen::Vector3d>([=](Mechanism& x) -> Eigen::Vector3d& { return mass(x).com; },
                                            Eigen::Vector3d::Zero()));
    edits.push_back(set_to<double>([=](Mechanism& x) -> double& { return mass(x).mass; }, 1));
    edits.push_back(set_to<Eigen::Matrix3d>([=](Mechanism& x) -> Eigen::Matrix3d& { return mass(x).inertia; },
                                            0.01 * Eigen::Matrix3d::Identity()));
  }
  edits.push_back(
      set_to<Eigen::Vector3d>([](Mechanism& x) -> Eigen::Vector3d& { return x.gravity; }, Eigen::Vector3d(0, 0, -10)));
  edits.push_back(
      set_to<Eigen::Vector3d>([](Mechanism& x) -> Eigen::Vector3d& { return x.gravity; }, Eigen::Vector3d::Zero()));
  edits.push_back(
      set_to<StepperKind>([](Mechanism& x) -> StepperKind& { return x.experiment.stepper; }, StepperKind::kEuler));
  for (const auto value : {&MaterialSpec::friction, &MaterialSpec::restitution, &MaterialSpec::rolling_friction,
                           &MaterialSpec::spinning_friction})
    if (!m.materials.empty())
      edits.push_back(set_to<double>([=](Mechanism& x) -> double& { return x.materials[0].*value; }, 0));
}

// The speed to hold as a number: that of the start.
void add_plain_signals(const Mechanism& m, std::vector<Edit>& edits) {
  for (std::size_t i = 0; i < m.motors.size(); ++i)
    edits.push_back([=](Mechanism& x) {
      MotorSpec& motor = x.motors[i];
      const JointSpec& joint = *find_joint(x, motor.joint);
      const auto dof = static_cast<std::size_t>(motor.dof);
      if (motor.kind == MotorKind::kPosition || dof >= joint.u.size()) return false;
      if (std::holds_alternative<double>(motor.target.source)) return false;
      return motor.target = {joint.u[dof], {}}, true;
    });
}

// Numbers of one decimal are easier to follow.
double rounded(double value) {
  return std::abs(value) < 0.05 || !std::isfinite(value) ? value : std::round(value * 10) / 10;
}

void add_roundings(const Mechanism& m, std::vector<Edit>& edits) {
  for (std::size_t i = 0; i < m.joints.size(); ++i)
    edits.push_back([i](Mechanism& x) {
      JointSpec& j = x.joints[i];
      const JointSpec old = j;
      const bool is_quaternion = j.type == JointType::kBall || j.type == JointType::kFree;
      for (auto* list : {&j.friction, &j.damping, &j.stiffness, &j.rest, &j.lower, &j.upper})
        for (double& value : *list) value = rounded(value);
      if (!is_driven(x, j.name)) {
        for (double& value : j.u) value = rounded(value);
        for (std::size_t k = 0; k < j.q.size() && !is_quaternion; ++k) j.q[k] = rounded(j.q[k]);
      }
      j.frame_in_parent.position = j.frame_in_parent.position.unaryExpr(&rounded);
      j.frame_in_child.position = j.frame_in_child.position.unaryExpr(&rounded);
      return j.u != old.u || j.q != old.q || j.friction != old.friction || j.damping != old.damping ||
             j.stiffness != old.stiffness || j.rest != old.rest || j.lower != old.lower || j.upper != old.upper ||
             j.frame_in_parent.position != old.frame_in_parent.position ||
             j.frame_in_child.position != old.frame_in_child.position;
    });
}

std::vector<Edit> edits_of(const Mechanism& m) {
  std::vector<Edit> edits;
  add_removals(m, edits);
  add_plain_joints(m, edits);
  add_plain_bodies(m, edits);
  add_plain_signals(m, edits);
  add_roundings(m, edits);
  return edits;
}

std::vector<std::size_t> part_counts(const Mechanism& m) {
  std::vector<std::size_t> counts{m.experiment.commands.size(), m.world_shapes.size()};
  for_each_list(m, [&](const auto& parts) { counts.push_back(parts.size()); });
  return counts;
}

}  // namespace

Mechanism shrink(Mechanism mechanism, const std::function<bool(const Mechanism&)>& shows) {
  constexpr int kMostRounds = 6;
  for (int round = 0; round < kMostRounds; ++round) {
    bool is_smaller = false;
    std::vector<Edit> edits = edits_of(mechanism);
    for (std::size_t i = 0; i < edits.size(); ++i) {
      Mechanism candidate = mechanism;
      if (!edits[i](candidate)) continue;
      refit(mechanism, candidate);
      if (!shows(candidate)) continue;
      const bool has_other_parts = part_counts(candidate) != part_counts(mechanism);
      mechanism = std::move(candidate);
      is_smaller = true;
      if (has_other_parts) edits = edits_of(mechanism), i = static_cast<std::size_t>(-1);  // indices have moved
    }
    if (!is_smaller) break;
  }
  return mechanism;
}

namespace {

std::string kind_of(const MotorSpec& motor) {
  if (motor.stiffness) return motor.max_force < std::numeric_limits<double>::infinity() ? "limited servo" : "servo";
  const std::string what = motor.kind == MotorKind::kVelocity ? "speed" : "position";
  return (motor.max_force < std::numeric_limits<double>::infinity() ? "motor of " : "prescribed ") + what;
}

}  // namespace

std::string features(const Mechanism& m) {
  std::set<std::string> words;
  for (const JointSpec& j : m.joints) {
    words.insert(std::string(j.closes_loop ? "loop " : "") + std::string(name_of(j.type)));
    if (!j.friction.empty()) words.insert(j.closes_loop ? "friction in a loop" : "friction");
    if (!j.lower.empty()) words.insert("limit");
    if (!j.stiffness.empty()) words.insert("joint spring");
    if (!j.damping.empty()) words.insert("damping");
    if (!j.armature.empty()) words.insert("armature");
  }
  for (const MotorSpec& motor : m.motors) words.insert(kind_of(motor));
  const auto note = [&](bool has, const char* word) {
    if (has) words.insert(word);
  };
  note(!m.gears.empty(), "gear"), note(!m.springs.empty(), "spring"), note(!m.bushings.empty(), "bushing");
  note(!m.forces.empty(), "force"), note(!m.actuators.empty(), "actuator"), note(!m.tendons.empty(), "tendon");
  note(!m.distances.empty(), "rope"), note(!m.world_shapes.empty(), "contact");
  note(!m.experiment.commands.empty(), "command");
  note(m.experiment.stepper == StepperKind::kMoreau, "moreau");
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace lipkin::test
