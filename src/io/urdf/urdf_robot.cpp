#include "io/urdf/urdf_robot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest_name.hpp"
#include "io/urdf/urdf_joint.hpp"

namespace lipkin {
namespace {

using NameIndex = std::map<std::string, int, std::less<>>;

// The element's name; empty, with a mistake, where it has none, one that is too long, or one that is taken.
std::string unique_name(const ElementReader& element, NameIndex& names, std::map<std::string, int>& lines, int index) {
  const std::string name = element.required_text("name");
  if (name.size() > kMaxUrdfName) {
    element.error(fmt::format("the name has {} characters; the limit is {}", name.size(), kMaxUrdfName));
    return {};
  }
  if (name.empty()) return {};
  if (!names.emplace(name, index).second) {
    element.error(fmt::format("the {}s in lines {} and {} have the same name", element.tag(), lines[name],
                              element.element().line));
    return {};
  }
  lines[name] = element.element().line;
  return name;
}

class RobotReader {
 public:
  explicit RobotReader(const ElementReader& robot) : reader_(robot) {}

  UrdfRobot read() {
    robot_.name = reader_.text("name", "");
    reader_.text("version");
    read_links();
    read_joints();
    connect_mimics();
    if (reader_.log().diagnostics.error_count() == 0) find_root();
    if (reader_.log().diagnostics.error_count() == 0) check_reached();
    return std::move(robot_);
  }

 private:
  void read_links() {
    std::map<std::string, int> lines;
    for (const ElementReader& link : reader_.children("link")) {
      const std::string name = unique_name(link, links_, lines, static_cast<int>(robot_.links.size()));
      if (!name.empty()) robot_.links.push_back({name, &link.element(), -1, {}});
    }
    if (robot_.links.empty() && reader_.log().diagnostics.error_count() == 0)
      reader_.log().diagnostics.error(reader_.where(), "the robot has no link: expected at least one <link>");
  }

  void read_joints() {
    std::map<std::string, int> lines;
    for (const ElementReader& element : reader_.children("joint")) {
      const int index = static_cast<int>(robot_.joints.size());
      const std::string name = unique_name(element, joints_, lines, index);
      if (name.empty()) continue;
      UrdfJoint joint = read_urdf_joint(element);
      joint.name = name;
      joint.parent = read_end(element, "parent");
      joint.child = read_end(element, "child");
      elements_.push_back(element);
      robot_.joints.push_back(std::move(joint));
      attach(element, index);
    }
  }

  // The link that <parent> or <child> names; -1 for an undeclared world, and after a mistake.
  int read_end(const ElementReader& joint, const std::string& role) {
    const std::optional<ElementReader> end = joint.child(role);
    if (!end) {
      joint.error(fmt::format("it has no <{}> (line {})", role, joint.element().line));
      return -1;
    }
    const std::string link = end->required_text("link");
    const auto found = links_.find(link);
    if (found != links_.end()) return found->second;
    if (link.empty() || (role == "parent" && link == kWorldName)) return -1;
    constexpr int kMostHints = 10;  // each compares with every name
    std::vector<std::string> known;
    if (joint.log().diagnostics.error_count() < kMostHints)
      for (const UrdfLink& each : robot_.links) known.push_back(each.name);
    joint.error(fmt::format("its {} link '{}' does not exist", role, shortened(link)), did_you_mean(link, known));
    return -1;
  }

  void attach(const ElementReader& element, int index) {
    const UrdfJoint& joint = robot_.joints[static_cast<std::size_t>(index)];
    if (joint.child < 0) return;
    UrdfLink& child = robot_.links[static_cast<std::size_t>(joint.child)];
    if (joint.parent == joint.child)
      return element.error(fmt::format("it joins link '{}' to itself", shortened(child.name)));
    if (child.joint >= 0)
      return element.error(
          fmt::format("link '{}' is the child of two joints, '{}' and '{}'; URDF is a tree", shortened(child.name),
                      shortened(robot_.joints[static_cast<std::size_t>(child.joint)].name), shortened(joint.name)),
          "close the loop in a scene: lipkin convert, then `loops`");
    child.joint = index;
    if (joint.parent < 0) return robot_.world_joints.push_back(index);
    robot_.links[static_cast<std::size_t>(joint.parent)].children.push_back(index);
  }

  void connect_mimics() {
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      const std::optional<ElementReader> mimic = elements_[i].child("mimic");
      if (!mimic) continue;
      UrdfJoint& joint = robot_.joints[i];
      const std::string of = mimic->required_text("joint");
      const auto found = joints_.find(of);
      if (of.empty()) continue;
      if (found == joints_.end()) {
        elements_[i].error(fmt::format("it mimics joint '{}', which does not exist", shortened(of)));
        continue;
      }
      joint.mimic = {found->second, mimic->number("multiplier", 1), mimic->number("offset", 0)};
      if (!joint.has_one_dof() || !robot_.joints[static_cast<std::size_t>(found->second)].has_one_dof()) {
        mimic->warning("only revolute, continuous and prismatic joints can mimic each other; left out");
        mimic->note(Treatment::kIgnored, "a joint without exactly one degree of freedom");
        joint.mimic.reset();
      }
    }
    check_mimic_cycles();
  }

  void check_mimic_cycles() {
    std::vector<std::size_t> walk_of(robot_.joints.size(), 0);  // which walk came here first, from 1; 0: none
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      std::size_t at = i;
      while (robot_.joints[at].mimic && walk_of[at] == 0) {
        walk_of[at] = i + 1;
        at = static_cast<std::size_t>(robot_.joints[at].mimic->of);
      }
      if (robot_.joints[at].mimic && walk_of[at] == i + 1)
        elements_[at].error("it mimics itself, directly or through others");
    }
  }

  // "a, b, c": some of the names.
  template <typename Items>
  static std::string some_names(const Items& names) {
    constexpr std::size_t kMost = 5;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i)
      text += fmt::format("{}'{}'", i > 0 ? ", " : "", shortened(names[i]));
    return names.size() > kMost ? text + ", ..." : text;
  }

  void find_root() {
    std::vector<std::string> roots;
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      if (robot_.links[i].joint >= 0) continue;
      if (roots.empty()) robot_.root = static_cast<int>(i);
      roots.push_back(robot_.links[i].name);
    }
    if (!robot_.world_joints.empty()) {
      robot_.root = -1;
      roots.insert(roots.begin(), kWorldName);
      reader_.log().diagnostics.warning(
          robot_.joints[static_cast<std::size_t>(robot_.world_joints[0])].where,
          fmt::format("joint '{}' hangs on 'world', which is not declared as a link: taken as the ground",
                      shortened(robot_.joints[static_cast<std::size_t>(robot_.world_joints[0])].name)));
    }
    if (roots.size() > 1)
      reader_.log().diagnostics.error(
          reader_.where(), fmt::format("links {} have no parent: expected one root link", some_names(roots)));
    if (roots.empty()) {
      std::vector<std::string> joints;
      for (const UrdfJoint& joint : robot_.joints) joints.push_back(joint.name);
      reader_.log().diagnostics.error(reader_.where(),
                                      fmt::format("there is no root link: joints {} form a loop", some_names(joints)));
    }
  }

  void check_reached() {
    std::vector<bool> reached(robot_.joints.size(), false);
    for (const int j : robot_.joints_depth_first()) reached[static_cast<std::size_t>(j)] = true;
    std::vector<std::string> lost;
    for (std::size_t j = 0; j < reached.size(); ++j)
      if (!reached[j]) lost.push_back(robot_.joints[j].name);
    if (!lost.empty())
      reader_.log().diagnostics.error(reader_.where(),
                                      fmt::format("joints {} form a loop that no root link carries", some_names(lost)));
  }

  ElementReader reader_;
  UrdfRobot robot_;
  NameIndex links_, joints_;
  std::vector<ElementReader> elements_;  // of the joints
};

}  // namespace

std::vector<int> UrdfRobot::joints_depth_first() const {
  std::vector<int> order, stack;
  const auto push = [&](const std::vector<int>& some) { stack.insert(stack.end(), some.rbegin(), some.rend()); };
  push(root < 0 ? world_joints : links[static_cast<std::size_t>(root)].children);
  while (!stack.empty()) {
    const int joint = stack.back();
    stack.pop_back();
    order.push_back(joint);
    push(links[static_cast<std::size_t>(joints[static_cast<std::size_t>(joint)].child)].children);
  }
  return order;
}

UrdfRobot read_urdf_robot(const ElementReader& robot) { return RobotReader(robot).read(); }

}  // namespace lipkin
