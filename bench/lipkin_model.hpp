// The benchmarks' trees as Lipkin models, through the public builder.
#pragma once

#include <vector>

#include "lipkin/model.hpp"
#include "tree_models.hpp"

namespace lipkin::bench {

Model make_lipkin_model(const TreeModel& tree, double damping);

// q, u and tau in the model's own order.
struct LipkinState {
  std::vector<double> q, u, tau;
};

LipkinState to_lipkin(const Model& model, const TreeModel& tree, const TreeState& state);

// For each revolute joint of the tree, its index into q, and into u and tau.
std::vector<int> revolute_q(const Model& model, const TreeModel& tree);
std::vector<int> revolute_u(const Model& model, const TreeModel& tree);

// The values of the revolute joints, in the order of the tree.
std::vector<double> picked(const std::vector<double>& values, const std::vector<int>& indices);

}  // namespace lipkin::bench
