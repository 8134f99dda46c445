#include "joint_tree.hpp"

#include <utility>

namespace lipkin::cli {

std::vector<JointNode> joints_depth_first(const Model& model) {
  const auto body_count = static_cast<std::size_t>(model.body_count());
  std::vector<int> joint_of_body(body_count, -1);
  for (int joint = 0; joint < model.joint_count(); ++joint) {
    if (!model.joint_closes_loop(joint)) joint_of_body[static_cast<std::size_t>(model.joint_child(joint))] = joint;
  }
  std::vector<std::vector<int>> children(body_count + 1);  // of each body; the last list is the world's
  for (const int joint : joint_of_body) {
    const int parent = model.joint_parent(joint);
    children[parent < 0 ? body_count : static_cast<std::size_t>(parent)].push_back(joint);
  }
  std::vector<JointNode> order;
  std::vector<JointNode> stack;
  const auto push_children = [&](const std::vector<int>& joints, const JointNode* parent) {
    for (auto joint = joints.rbegin(); joint != joints.rend(); ++joint) {
      JointNode node{*joint, parent == nullptr ? 0 : parent->depth + 1, {}};
      if (parent != nullptr) node.ancestor_is_last = parent->ancestor_is_last;
      node.ancestor_is_last.push_back(joint == joints.rbegin());
      stack.push_back(std::move(node));
    }
  };
  push_children(children[body_count], nullptr);
  while (!stack.empty()) {
    const JointNode node = std::move(stack.back());
    stack.pop_back();
    push_children(children[static_cast<std::size_t>(model.joint_child(node.joint))], &node);
    order.push_back(node);
  }
  return order;
}

}  // namespace lipkin::cli
