// Which bilateral rows hold nodes of six values to each other as a tree, and which close loops in it. Found once, from
// what touches what.
#pragma once

#include <cstddef>
#include <vector>

#include "solvers/bilateral_tree_work.hpp"

namespace lipkin {

inline constexpr std::size_t kGroupNodesMost = 120;  // a gear of two tendons

// Rows beside each other that push the same nodes: a joint's, a rod's, a gear's.
struct BilateralGroup {
  int row_begin = 0, row_count = 0;
  std::vector<int> nodes;  // one: the rest of what it holds does not move
  bool is_joint = false;   // the rows are independent of each other at each node alone, at most six
  int completes = -1;      // a joint's group, whose rows are independent of these, one of its nodes alone moving
};

struct BilateralTreePlan {
  std::vector<BilateralTreeNode> nodes;     // parents before children
  std::vector<int> place;                   // of the node that callers number i
  std::vector<BilateralTreeRow> edge_rows;  // node by node
  std::vector<int> loops;                   // groups that are no edges
  std::vector<std::size_t> y_begin;         // per group: row r of it has kTreeLane values per node, node after node
  std::size_t y_count = 0;
  int edge_row_count = 0, loop_row_count = 0, reduced_count = 0;
};

// columns: per node, the place of its first value in z. Of the joints, those with most rows become edges.
BilateralTreePlan plan_bilateral_tree(const std::vector<int>& columns, const std::vector<BilateralGroup>& groups);

// Whether the tree is worth it: below so many rows a dense factorisation costs a few microseconds, and where most rows
// close loops it has to be done all the same.
inline constexpr int kTreeRowsLeast = 60;
bool tree_pays(const BilateralTreePlan& plan);

}  // namespace lipkin
