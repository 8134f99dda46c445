// Clusters of bilateral rows: which form each takes, rows written for a tree, and what is asked of all of them.
#include <map>
#include <set>

#include "constraints/bilateral_rows.hpp"

namespace lipkin {

namespace {

// Whether every tree of the cluster is a single body that flies freely.
bool flies_apart(const ModelData& model, const ZLayout& layout, int cluster) {
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    if (layout.cluster_of_link(static_cast<int>(i)) != cluster) continue;
    if (model.links[i].kind != LinkKind::kFree || model.links[i].parent != 0) return false;
  }
  return true;
}

}  // namespace

// All that the item acts on: for free bodies the ends of paths are the bodies themselves.
std::vector<int> BilateralRows::links_of(const Item& item) const {
  std::vector<int> links;
  const auto add = [&](int link) {
    if (link > 0 && std::find(links.begin(), links.end(), link) == links.end()) links.push_back(link);
  };
  for (int d = 0; item.dof_row >= 0 && d < (item.kind == Kind::kGear ? 2 : 1); ++d)
    for (const int link : dof_rows_[item.dof_row + d].links()) add(link);
  return links;
}

BilateralGroup BilateralRows::group_of(const ModelData& model, const Item& item) const {
  BilateralGroup group;
  group.row_begin = item.row_begin - clusters_[item.cluster].row_begin();
  group.row_count = item.row_count;
  std::vector<int> links = links_of(item);
  if (item.spatial >= 0) {
    const bool closes = item.kind == Kind::kClosure;
    const int a = closes ? model.closures[item.index].link_a : model.distances[item.index].a.link;
    const int b = closes ? model.closures[item.index].link_b : model.distances[item.index].b.link;
    group.is_joint = a != b;
    if (a > 0) links.push_back(a);
    if (b > 0 && b != a) links.push_back(b);
  }
  for (const int link : links) group.nodes.push_back(node_of_link_[link]);
  return group;
}

void BilateralRows::choose_forms(const ModelData& model, const ZLayout& layout) {
  node_of_link_.assign(model.links.size(), -1);
  for (int c = 0; c < layout.cluster_count(); ++c)
    if (!flies_apart(model, layout, c) || !grow_tree(model, layout, c)) clusters_[c].be_dense();
}

// Numbers the cluster's bodies as nodes and makes it a tree where that pays.
bool BilateralRows::grow_tree(const ModelData& model, const ZLayout& layout, int cluster) {
  std::vector<int> columns;
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    if (layout.cluster_of_link(static_cast<int>(i)) != cluster) continue;
    node_of_link_[i] = static_cast<int>(columns.size());
    columns.push_back(layout.dense_column_of_dof()[model.links[i].u_index]);
  }
  std::vector<BilateralGroup> groups = groups_of(model, cluster);
  BilateralTreePlan plan = plan_bilateral_tree(columns, groups);
  if (!tree_pays(plan)) return false;
  int group = 0;
  for (Item& item : items_)
    if (item.cluster == cluster) item.group = group++;
  clusters_[cluster].be_tree(std::move(plan), std::move(groups));
  return true;
}

// One group per item, in their order. The first prescribed motion of a joint's coordinate completes the joint.
std::vector<BilateralGroup> BilateralRows::groups_of(const ModelData& model, int cluster) const {
  std::vector<BilateralGroup> groups;
  std::map<int, int> group_of_closure;
  for (const Item& item : items_) {
    if (item.cluster != cluster) continue;
    if (item.kind == Kind::kClosure) group_of_closure[item.index] = static_cast<int>(groups.size());
    groups.push_back(group_of(model, item));
  }
  std::set<std::pair<int, int>> driven;  // a closure's coordinate
  int group = -1;
  for (const Item& item : items_) {
    if (item.cluster != cluster) continue;
    ++group;
    if (item.kind != Kind::kMotor) continue;
    const DofRef& dof = model.motors[item.index].dof;
    const auto closure = group_of_closure.find(dof.closure);
    if (closure != group_of_closure.end() && driven.insert({dof.closure, dof.k}).second)
      groups[group].completes = closure->second;
  }
  return groups;
}

void BilateralRows::whiten_by_node(const ModelData& model, const Item& item, const Whitener& whitener,
                                   Workspace& work) {
  BilateralTree& tree = clusters_[item.cluster].tree();
  double* y = tree.rows_of(item.group);
  const int stride = tree.width_of(item.group);
  const auto place = [&](int link) { return y + tree.position_in(item.group, node_of_link_[link]) * kTreeLane; };
  if (item.spatial >= 0) {
    const SpatialRows& rows = spatial_[item.spatial];
    const auto add = [&](const double* f, int link) {
      if (link > 0) whitener.add(model, work, f, SpatialRows::kLanes, rows.count, link, false, stride, place(link));
    };
    add(rows.f_a, rows.link_a);
    add(rows.f_b, rows.link_b);
    return;
  }
  const auto add = [&](const DofRow& dof, double impulse) {
    dof.visit([&](int u_index, double unit,
                  int path) { whitener.add_joint(model, work, u_index, impulse * unit, false, place(path)); },
              [&](int link, const Force<double>& unit, int path) {
                whitener.add(model, work, impulse * unit, link, false, place(path));
              });
  };
  add(dof_rows_[item.dof_row], 1);
  if (item.kind == Kind::kGear) add(dof_rows_[item.dof_row + 1], -gear_slope_[item.index]);
}

void BilateralRows::solve(const double* rhs, double* z) {
  for (BilateralCluster& c : clusters_)
    if (c.row_count() > 0) c.solve(rhs + c.row_begin(), z + c.z().begin);
}

void BilateralRows::solve_impulses(const double* rhs, double* lambda) {
  for (BilateralCluster& c : clusters_)
    if (c.row_count() > 0) c.solve_impulses(rhs + c.row_begin(), lambda + c.row_begin());
}

void BilateralRows::rates_of(const double* z, double* gamma) const {
  for (const BilateralCluster& c : clusters_) c.rates_of(z + c.z().begin, gamma + c.row_begin());
}

void BilateralRows::push(const double* impulses, double* z) const {
  for (const BilateralCluster& c : clusters_) c.push(impulses + c.row_begin(), z + c.z().begin);
}

}  // namespace lipkin
