// Where each velocity stands in z, the whitened velocities that the solvers work on, and which pieces of z a link's
// path covers. Trees joined by bilateral rows form a cluster and stand beside each other: their rows are dense over it.
#pragma once

#include <vector>

#include "base/fetch.hpp"
#include "model/model_data.hpp"
#include "solvers/problem.hpp"

namespace lipkin {

struct ZRange {
  int begin = 0, count = 0;
};

class ZLayout {
 public:
  // joined: pairs of links held together by bilateral rows; 0 is the world.
  ZLayout(const ModelData& model, const std::vector<std::pair<int, int>>& joined);

  int z_count() const { return z_count_; }
  const int* z_of_dof() const { return z_of_dof_.data(); }
  const int* path_column_of_dof() const { return path_column_.data(); }    // in a row over a path
  const int* dense_column_of_dof() const { return dense_column_.data(); }  // in a row over a cluster

  int cluster_count() const { return static_cast<int>(clusters_.size()); }
  const ZRange& cluster(int c) const { return clusters_[c]; }  // a multiple of kClusterGrain long
  int cluster_of_link(int link) const { return cluster_of_tree_[tree_of_link_[link]]; }  // -1: none, or the world

  // The pieces of z on the path from the root to a link.
  const Run* path_begin(int link) const { return runs_.data() + first_run_[link]; }
  const Run* path_end(int link) const { return runs_.data() + first_run_[link + 1]; }
  int path_width(int link) const { return path_width_[link]; }
  void fetch_path(int link) const { fetch(first_run_[link]), fetch(path_width_[link]); }

  int tree_of_link(int link) const { return tree_of_link_[link]; }
  bool floats(int tree) const { return floats_[tree]; }  // hangs on a free joint: any push on one link moves it

  int link_of_dof(int u_index) const { return link_of_dof_[u_index]; }

  static constexpr int kClusterGrain = 8;

 private:
  void find_trees(const ModelData& model);
  void find_clusters(const std::vector<std::pair<int, int>>& joined);
  void find_paths(const ModelData& model);
  void place_trees(const ModelData& model);

  int z_count_ = 0, tree_count_ = 0;
  std::vector<int> tree_of_link_, cluster_of_tree_, tree_u_begin_, tree_u_end_, tree_span_;
  std::vector<std::uint8_t> floats_;  // per tree
  std::vector<ZRange> clusters_;
  std::vector<int> z_of_dof_, path_column_, dense_column_, link_of_dof_;
  std::vector<Run> runs_;
  std::vector<int> first_run_, path_width_;
};

}  // namespace lipkin
