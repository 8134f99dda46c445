#include "io/foreign_keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "io/instead.hpp"
#include "io/other_forms.hpp"
#include "io/schema.hpp"

namespace lipkin {
namespace {

constexpr std::size_t kLongestList = 500;  // [characters]

void put(Node& mapping, const std::string& key, const Node& value) {
  mapping.keys.push_back(scalar(key));
  mapping.items.push_back(value);
}

// The name of a body, which URDF has in a mapping of its own: {link: arm}.
std::string body_in(const Node& joint, const char* key) {
  const Node* written = joint.find(key);
  if (written && written->is_mapping() && !written->items.empty()) written = &written->items[0];
  return written && written->is_scalar() ? written->text : std::string();
}

// A joint as this format writes it: its keys and its type by our names, without what stands beside it in the body.
Node joint_of(const Node& foreign) {
  const Schema& settings = scene_format().definition("joint_settings");
  const Schema& types = scene_format().definition("joint_type");
  Node joint = dictionary({}, {});
  for (std::size_t i = 0; i < foreign.keys.size(); ++i) {
    const std::string& key = foreign.keys[i].text;
    const Node& value = foreign.items[i];
    if (key == "parent" || key == "child") continue;
    if (key == "origin" && value.is_mapping()) {
      if (const Node* xyz = value.find("xyz")) put(joint, "at", *xyz);
      if (const Node* rpy = value.find("rpy")) put(joint, "orientation", dictionary({scalar("rpy")}, {*rpy}));
      continue;
    }
    const std::string* ours = settings.property(key) ? nullptr : settings.property_also_called(key);
    const std::string* advice = key == "type" ? types.advice_for(value.text) : nullptr;
    put(joint, ours ? *ours : key, advice ? scalar(advice->substr(std::string("write ").size())) : value);
  }
  return joint;
}

std::string as_material(const Node& shape) {
  const Schema& material = scene_format().definition("material");
  // MuJoCo's three numbers: sliding, spinning, rolling.
  constexpr std::array kFrictions = {"friction", "spinning_friction", "rolling_friction"};
  Node entries = dictionary({}, {});
  for (std::size_t i = 0; i < shape.keys.size(); ++i) {
    const std::string& key = shape.keys[i].text;
    const std::string* ours = material.property_also_called(key);
    const Node& value = shape.items[i];
    if (!material.property(key) && !ours) continue;
    if (key == "friction" && value.is_sequence()) {
      for (std::size_t k = 0; k < std::min(value.items.size(), kFrictions.size()); ++k)
        put(entries, kFrictions[k], value.items[k]);
    } else {
      put(entries, ours ? *ours : key, value);
    }
  }
  return written(entries);
}

// A name that no material has.
std::string new_material(const Node* materials) {
  for (const char* name : {"rubber", "wood", "steel"})
    if (!materials || !materials->find(name)) return name;
  return "my_material";
}

const Node* materials_of(const Node& scene) {
  const Node* materials = scene.is_mapping() ? scene.find("materials") : nullptr;
  return materials && materials->is_mapping() ? materials : nullptr;
}

// What an actuator says of a motor, by the names that a motor has for it: kp is stiffness.
Node motor_keys_of(const Node& actuator) {
  const Schema& motors = scene_format().definition("motor");
  const Schema& actuators = scene_format().definition("actuator");
  Node motor = dictionary({}, {});
  for (std::size_t i = 0; i < actuator.keys.size(); ++i) {
    const std::string& key = actuator.keys[i].text;
    const std::string* ours = motors.property_also_called(key);
    if (!motors.property(key) && (!ours || actuators.property(key))) continue;
    const std::string& name = ours ? *ours : key;
    if (!motor.find(name)) put(motor, name, actuator.items[i]);
  }
  return motor;
}

bool is_servo(const Node& motor) {
  constexpr std::array kServo = {"position", "velocity", "stiffness", "damping"};
  return std::any_of(kServo.begin(), kServo.end(), [&](const char* key) { return motor.find(key) != nullptr; });
}

// A tenth of the stiffness: what a servo swings with comes to rest.
Node usual_damping(const Node& stiffness) {
  double value = 0;
  return scalar(is_plain_number(stiffness, &value) ? fmt::format("{:g}", value / 10) : stiffness.text + "/10");
}

}  // namespace

std::string filled_in(const std::string& advice, const Node& value) {
  std::string result;
  std::size_t copied = 0;
  for (std::size_t open = advice.find('<'); open != std::string::npos; open = advice.find('<', copied)) {
    const std::size_t close = advice.find('>', open);
    const std::string what = advice.substr(open + 1, close - open - 1);
    result += advice.substr(copied, open - copied);
    const std::size_t item = what == "value" ? 0 : static_cast<std::size_t>(std::stoi(what));
    const Node* shown = item == 0 ? &value : item <= value.items.size() ? &value.items[item - 1] : nullptr;
    result += shown && !shown->is_null() ? written(*shown) : "NUMBER";
    copied = close + 1;
  }
  return result + advice.substr(copied);
}

std::string joints_in_their_bodies(const Node& joints) {
  std::vector<std::string> bodies;
  std::set<std::string> carried;
  bool closes_loop = false;
  std::string nested;  // one that hangs on another body, which shows more than one that hangs on the world
  for (std::size_t i = 0; i < joints.items.size(); ++i) {
    Node joint = joints.items[i];
    if (!joint.is_mapping()) return {};
    if (joints.is_mapping() && !joint.find("name")) {
      joint.keys.insert(joint.keys.begin(), scalar("name"));
      joint.items.insert(joint.items.begin(), joints.keys[i]);
    }
    const std::string parent = body_in(joint, "parent"), child = body_in(joint, "child");
    if (child.empty()) return {};
    if (!carried.insert(child).second) {
      closes_loop = true;
      continue;
    }
    const bool on_world = parent.empty() || parent == "world";
    bodies.push_back(fmt::format("{{name: {}{}, joint: {}, ...}}", child, on_world ? "" : ", parent: " + parent,
                                 written(joint_of(joint))));
    if (nested.empty() && !on_world) nested = bodies.back();
  }
  if (bodies.empty()) return {};
  const std::string all = fmt::format("{}", fmt::join(bodies, ", "));
  const std::string shown = all.size() <= kLongestList ? all : (nested.empty() ? bodies[0] : nested) + ", ...";
  return fmt::format("a joint stands in its child, and the parent beside it: write bodies: [{}]{}", shown,
                     closes_loop ? "; one that closes a loop stands in loops" : "");
}

std::string material_of_shape(const std::string& key, const Node& shape, const Node& scene) {
  const Schema& material = scene_format().definition("material");
  if (!material.property(key) && !material.property_also_called(key)) return {};
  const Node* materials = materials_of(scene);
  const Node* contact = shape.find("contact");
  const bool has_own = contact && contact->is_scalar() && materials && materials->find(contact->text);
  const std::string name = has_own ? contact->text : new_material(materials);
  return fmt::format("it belongs to a material: materials: {{{}: {}}}, and here {}contact: {}", name,
                     as_material(shape), has_own ? "nothing but " : "", name);
}

std::string motor_of_actuator(const Node& actuator) {
  const Node given = motor_keys_of(actuator);
  if (!is_servo(given)) return {};
  const bool is_speed = !given.find("position") && (given.find("velocity") || !given.find("stiffness"));
  const std::string goal = is_speed ? "velocity" : "position";
  const Node* target = given.find(goal) ? given.find(goal) : actuator.find("control");
  const Node *stiffness = given.find("stiffness"), *damping = given.find("damping");
  Node motor = dictionary({}, {});
  put(motor, "name", given.find("name") ? *given.find("name") : scalar("NAME"));
  if (!given.find("tendon")) put(motor, "joint", given.find("joint") ? *given.find("joint") : scalar("NAME"));
  for (const char* key : {"tendon", "dof", "repeat"})
    if (given.find(key)) put(motor, key, *given.find(key));
  put(motor, goal, target ? *target : scalar("0"));
  if (!is_speed && (stiffness || damping)) {
    put(motor, "stiffness", stiffness ? *stiffness : scalar("100"));
    put(motor, "damping", damping ? *damping : usual_damping(*stiffness));
  } else if (damping) {
    put(motor, "damping", *damping);
  }
  for (const char* key : {"max_force", "min_force"})
    if (given.find(key)) put(motor, key, *given.find(key));
  return fmt::format("an actuator is a force, and what holds a {} is a motor: write motors: [{}] instead", goal,
                     written(motor));
}

std::string contact_instead_of(const Node& found, const Node& scene) {
  const Node* materials = materials_of(scene);
  if (materials && !materials->keys.empty()) {
    std::vector<std::string> names;
    for (const Node& key : materials->keys) names.push_back(key.text);
    constexpr std::size_t kMost = 6;
    if (names.size() == 1) return fmt::format("the material there is: write contact: {}", names[0]);
    return names.size() > kMost
               ? fmt::format("write contact: {}, or another of the materials", names[0])
               : fmt::format("write contact: {}, or another of the materials {}", names[0], fmt::join(names, ", "));
  }
  const std::string friction = is_plain_number(found) ? found.text : "0.5";
  return fmt::format("it names a material: materials: {{rubber: {{friction: {}}}}}, and here contact: rubber",
                     friction);
}

}  // namespace lipkin
