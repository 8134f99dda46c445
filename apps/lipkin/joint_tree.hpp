// The joints of a model as a tree, in the order of the file.
#pragma once

#include <vector>

#include "lipkin/model.hpp"

namespace lipkin::cli {

struct JointNode {
  int joint = 0;
  int depth = 0;                       // 0: attached to the world
  std::vector<bool> ancestor_is_last;  // per depth up to its own: no sibling follows
};

// Every joint, a parent before its children, children in the order of their bodies.
std::vector<JointNode> joints_depth_first(const Model& model);

}  // namespace lipkin::cli
