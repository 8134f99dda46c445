#include "constraints/z_layout.hpp"

#include <algorithm>
#include <numeric>

namespace lipkin {

namespace {

int rounded_up(int n, int grain) { return (n + grain - 1) / grain * grain; }

int dof_count(LinkKind kind) {
  switch (kind) {
    case LinkKind::kFree:
      return 6;
    case LinkKind::kBall:
    case LinkKind::kPlanar:
      return 3;
    case LinkKind::kUniversal:
    case LinkKind::kCylindrical:
      return 2;
    default:
      return 1;
  }
}

}  // namespace

ZLayout::ZLayout(const ModelData& model, const std::vector<std::pair<int, int>>& joined) {
  find_trees(model);
  find_paths(model);
  find_clusters(joined);
  place_trees(model);
}

// Tree 0 is the world alone. Links are numbered depth-first: a tree's links and velocities follow each other.
void ZLayout::find_trees(const ModelData& model) {
  const int link_count = static_cast<int>(model.links.size());
  tree_of_link_.assign(link_count, 0);
  link_of_dof_.assign(model.u_count, 0);
  tree_u_begin_ = tree_u_end_ = {0};
  floats_ = {0};
  tree_count_ = 1;
  for (int i = 1; i < link_count; ++i) {
    const Link& link = model.links[i];
    const int dofs = dof_count(link.kind);
    if (link.parent == 0) {
      tree_of_link_[i] = tree_count_++;
      tree_u_begin_.push_back(link.u_index);
      tree_u_end_.push_back(link.u_index);
      floats_.push_back(link.kind == LinkKind::kFree);
    } else {
      tree_of_link_[i] = tree_of_link_[link.parent];
    }
    tree_u_end_.back() = link.u_index + dofs;
    for (int k = 0; k < dofs; ++k) link_of_dof_[link.u_index + k] = i;
  }
}

// Runs are counted from the tree's first velocity here; place_trees moves them to their place in z.
void ZLayout::find_paths(const ModelData& model) {
  const int link_count = static_cast<int>(model.links.size());
  path_column_.assign(model.u_count, 0);
  path_width_.assign(link_count, 0);
  first_run_.assign(link_count + 1, 0);
  tree_span_.assign(tree_count_, 0);
  std::vector<Run> exact;  // of one link: without rounding
  for (int i = 0; i < link_count; ++i) {
    first_run_[i] = static_cast<int>(runs_.size());
    if (i == 0) continue;
    const Link& link = model.links[i];
    const int tree = tree_of_link_[i], begin = link.u_index - tree_u_begin_[tree], dofs = dof_count(link.kind);
    // The parent's path, whose last run goes on where this link's velocities follow it.
    exact.assign(runs_.begin() + first_run_[link.parent], runs_.begin() + first_run_[link.parent + 1]);
    int before = 0;  // columns of the runs before the last
    if (!exact.empty()) {
      Run& last = exact.back();
      const int parent_end = model.links[link.parent].u_index + dof_count(model.links[link.parent].kind);
      last.length = parent_end - tree_u_begin_[tree] - last.begin;
      for (std::size_t r = 0; r + 1 < exact.size(); ++r) before += exact[r].length;
      if (last.begin + last.length == begin) {
        last.length += dofs;
      } else {
        last.length = rounded_up(last.length, kRunGrain);
        before += last.length;
        exact.push_back({begin, dofs});
      }
    } else {
      exact.push_back({begin, dofs});
    }
    for (int k = 0; k < dofs; ++k) path_column_[link.u_index + k] = before + begin - exact.back().begin + k;
    exact.back().length = rounded_up(exact.back().length, kRunGrain);
    path_width_[i] = before + exact.back().length;
    for (const Run& run : exact) tree_span_[tree] = std::max(tree_span_[tree], run.begin + run.length);
    runs_.insert(runs_.end(), exact.begin(), exact.end());
    first_run_[i + 1] = static_cast<int>(runs_.size());
  }
  first_run_[link_count] = static_cast<int>(runs_.size());
}

void ZLayout::find_clusters(const std::vector<std::pair<int, int>>& joined) {
  std::vector<int> root(tree_count_);
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int t) {
    while (root[t] != t) t = root[t] = root[root[t]];
    return t;
  };
  std::vector<bool> in_cluster(tree_count_, false);
  for (const auto& [a, b] : joined) {
    const int ta = tree_of_link_[a], tb = tree_of_link_[b];
    if (ta > 0) in_cluster[ta] = true;
    if (tb > 0) in_cluster[tb] = true;
    if (ta == 0 || tb == 0) continue;
    const int ra = find(ta), rb = find(tb);
    root[std::max(ra, rb)] = std::min(ra, rb);
  }
  cluster_of_tree_.assign(tree_count_, -1);
  for (int t = 1; t < tree_count_; ++t) {
    if (!in_cluster[t]) continue;
    const int r = find(t);
    if (r == t) {
      cluster_of_tree_[t] = static_cast<int>(clusters_.size());
      clusters_.push_back({});
    } else {
      cluster_of_tree_[t] = cluster_of_tree_[r];
    }
  }
}

void ZLayout::place_trees(const ModelData& model) {
  std::vector<int> tree_z(tree_count_, 0);
  for (int c = 0; c < cluster_count(); ++c) {
    clusters_[c].begin = z_count_;
    for (int t = 1; t < tree_count_; ++t) {
      if (cluster_of_tree_[t] != c) continue;
      tree_z[t] = z_count_;
      z_count_ += tree_u_end_[t] - tree_u_begin_[t];
    }
    z_count_ = rounded_up(z_count_, kClusterGrain);
    clusters_[c].count = z_count_ - clusters_[c].begin;
  }
  for (int t = 1; t < tree_count_; ++t) {
    if (cluster_of_tree_[t] >= 0) continue;
    tree_z[t] = z_count_;
    z_count_ += rounded_up(tree_span_[t], kRunGrain);
  }
  // The grain of a run that begins at the last velocity of a cluster's last tree must fit too.
  z_count_ = rounded_up(z_count_ + kRunGrain - 1, kClusterGrain);

  z_of_dof_.assign(model.u_count, 0);
  dense_column_.assign(model.u_count, 0);
  for (int u = 0; u < model.u_count; ++u) {
    const int tree = tree_of_link_[link_of_dof_[u]], cluster = cluster_of_tree_[tree];
    z_of_dof_[u] = tree_z[tree] + u - tree_u_begin_[tree];
    dense_column_[u] = cluster < 0 ? -1 : z_of_dof_[u] - clusters_[cluster].begin;
  }
  for (std::size_t i = 1; i < tree_of_link_.size(); ++i)
    for (int r = first_run_[i]; r < first_run_[i + 1]; ++r) runs_[r].begin += tree_z[tree_of_link_[i]];
}

}  // namespace lipkin
