#include "solvers/bilateral_tree_plan.hpp"

#include <algorithm>
#include <numeric>

namespace lipkin {

namespace {

class Planner {
 public:
  Planner(const std::vector<int>& columns, const std::vector<BilateralGroup>& groups)
      : columns_(columns), groups_(groups), world_(static_cast<int>(columns.size())) {}

  BilateralTreePlan plan() {
    choose_edges();
    complete_edges();
    order_nodes();
    place_rows();
    return std::move(plan_);
  }

 private:
  struct Edge {
    std::vector<int> groups;
    int rows = 0;
  };
  struct Way {
    int to, edge;
  };

  int end_of(int group, std::size_t k) const {
    return k < groups_[group].nodes.size() ? groups_[group].nodes[k] : world_;
  }

  // A spanning tree with as many rows as possible (Kruskal): what is left to close loops is small.
  void choose_edges() {
    std::vector<int> order(groups_.size()), root(static_cast<std::size_t>(world_) + 1);
    std::iota(order.begin(), order.end(), 0);
    std::iota(root.begin(), root.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return groups_[a].row_count > groups_[b].row_count; });
    const auto find = [&](int i) {
      while (root[i] != i) i = root[i] = root[root[i]];
      return i;
    };
    edge_of_group_.assign(groups_.size(), -1);
    ways_.resize(static_cast<std::size_t>(world_) + 1);
    for (const int g : order) {
      const BilateralGroup& group = groups_[g];
      if (!group.is_joint || group.nodes.empty() || group.nodes.size() > 2) continue;
      const int a = end_of(g, 0), b = end_of(g, 1);
      if (find(a) == find(b)) continue;
      root[find(a)] = find(b);
      edge_of_group_[g] = static_cast<int>(edges_.size());
      ways_[a].push_back({b, edge_of_group_[g]});
      ways_[b].push_back({a, edge_of_group_[g]});
      edges_.push_back({{g}, group.row_count});
    }
  }

  void complete_edges() {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const int joint = groups_[g].completes;
      const int edge = joint < 0 || edge_of_group_[g] >= 0 ? -1 : edge_of_group_[joint];
      if (edge < 0 || edges_[edge].rows + groups_[g].row_count > kTreeNode) continue;
      edges_[edge].groups.push_back(static_cast<int>(g));
      edges_[edge].rows += groups_[g].row_count;
      edge_of_group_[g] = edge;
    }
  }

  // Breadth first from what does not move, then from the first node of each part that flies.
  void order_nodes() {
    plan_.place.assign(columns_.size(), -1);
    edge_of_node_.clear();
    walk(world_);
    for (int i = 0; i < world_; ++i) {
      if (plan_.place[i] >= 0) continue;
      append(i, -1, -1);
      walk(i);
    }
  }

  void append(int i, int parent, int edge) {
    plan_.place[i] = static_cast<int>(plan_.nodes.size());
    BilateralTreeNode node;
    node.parent = parent;
    node.column = columns_[i];
    plan_.nodes.push_back(node);
    edge_of_node_.push_back(edge);
  }

  void walk(int from) {
    std::vector<int> queue = {from};
    for (std::size_t k = 0; k < queue.size(); ++k) {
      const int here = queue[k];
      for (const Way& way : ways_[here]) {
        if (way.to == world_ || plan_.place[way.to] >= 0) continue;
        append(way.to, here == world_ ? -1 : plan_.place[here], way.edge);
        queue.push_back(way.to);
      }
    }
  }

  void place_rows() {
    for (const BilateralGroup& group : groups_) {
      plan_.y_begin.push_back(plan_.y_count);
      plan_.y_count += static_cast<std::size_t>(group.row_count) * group.nodes.size() * kTreeLane;
    }
    for (std::size_t b = 0; b < plan_.nodes.size(); ++b) {
      BilateralTreeNode& node = plan_.nodes[b];
      node.first_row = static_cast<int>(plan_.edge_rows.size());
      if (edge_of_node_[b] >= 0)
        for (const int g : edges_[edge_of_node_[b]].groups) add_edge_rows(static_cast<int>(b), g);
      node.rows = static_cast<int>(plan_.edge_rows.size()) - node.first_row;
      node.reduced_begin = plan_.reduced_count;
      plan_.reduced_count += kTreeNode - node.rows;
    }
    plan_.edge_row_count = static_cast<int>(plan_.edge_rows.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (edge_of_group_[g] >= 0) continue;
      plan_.loops.push_back(static_cast<int>(g));
      plan_.loop_row_count += groups_[g].row_count;
    }
  }

  void add_edge_rows(int b, int g) {
    const BilateralGroup& group = groups_[g];
    const int width = static_cast<int>(group.nodes.size()) * kTreeLane;
    for (int r = 0; r < group.row_count; ++r) {
      BilateralTreeRow row;
      row.row = group.row_begin + r;
      for (std::size_t k = 0; k < group.nodes.size(); ++k) {
        const int at = static_cast<int>(plan_.y_begin[g]) + r * width + static_cast<int>(k) * kTreeLane;
        (plan_.place[group.nodes[k]] == b ? row.child_at : row.parent_at) = at;
      }
      plan_.edge_rows.push_back(row);
    }
  }

  const std::vector<int>& columns_;
  const std::vector<BilateralGroup>& groups_;
  const int world_;
  std::vector<Edge> edges_;
  std::vector<int> edge_of_group_, edge_of_node_;
  std::vector<std::vector<Way>> ways_;
  BilateralTreePlan plan_;
};

}  // namespace

BilateralTreePlan plan_bilateral_tree(const std::vector<int>& columns, const std::vector<BilateralGroup>& groups) {
  return Planner(columns, groups).plan();
}

bool tree_pays(const BilateralTreePlan& plan) {
  return plan.edge_row_count + plan.loop_row_count >= kTreeRowsLeast && plan.loop_row_count <= plan.edge_row_count;
}

}  // namespace lipkin
