// A URDF file as it is written: links, joints and which hangs on which, checked to be a tree.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/xml/element_reader.hpp"
#include "lipkin/model_builder.hpp"

namespace lipkin {

enum class UrdfJointType { kRevolute, kContinuous, kPrismatic, kFixed, kFloating, kPlanar };

struct UrdfMimic {
  int of = -1;  // joint
  double multiplier = 1, offset = 0;
};

struct UrdfJoint {
  std::string name;
  UrdfJointType type = UrdfJointType::kFixed;
  int parent = -1;  // link; -1: the world, which the file need not declare
  int child = -1;
  Pose origin;                    // of the child's frame in the parent's at q = 0
  Eigen::Vector3d axis{1, 0, 0};  // in the child's frame
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  std::optional<double> speed;   // at which whatever drives it stops pushing [rad/s] or [m/s]
  std::optional<double> effort;  // largest force of whatever drives it [N m] or [N]
  double damping = 0, friction = 0;
  std::optional<UrdfMimic> mimic;
  SourceLocation where;

  bool has_one_dof() const {
    return type == UrdfJointType::kRevolute || type == UrdfJointType::kContinuous || type == UrdfJointType::kPrismatic;
  }
};

struct UrdfLink {
  std::string name;
  const XmlElement* element = nullptr;
  int joint = -1;             // that carries it; -1: a root
  std::vector<int> children;  // joints, in the order of the file
};

struct UrdfRobot {
  std::string name;
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
  std::vector<int> world_joints;  // that hang on a world which is not declared as a link
  int root = -1;                  // link; -1: that world

  // Joints from the root on, each before those that hang on it, siblings in the order of the file.
  std::vector<int> joints_depth_first() const;
};

// Longest name that is accepted.
inline constexpr std::size_t kMaxUrdfName = 1000;

// Reads <link> names and <joint>s; what is in a link is left to others. Mistakes go to the log; the tree is complete
// only where there are none.
UrdfRobot read_urdf_robot(const ElementReader& robot);

// The <origin> below an element; the identity where there is none.
Pose read_urdf_origin(const ElementReader& element);

}  // namespace lipkin
