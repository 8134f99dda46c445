// Writes blocks of whitened rows into a Problem. A row is dense over a cluster whose bilateral rows are eliminated, and
// loses there what these can do; elsewhere it stands on the paths of its links.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>

#include "constraints/whitener.hpp"
#include "solvers/bilateral_tree_work.hpp"

namespace lipkin {

class BilateralRows;

// Rows before anything is taken out of them.
struct WholeRows {
  struct Node {
    int block, z_begin;
    std::size_t value_begin;  // row after row, kTreeNode values each
  };
  std::vector<double> y;    // as the problem's; in clusters with reduced rows these again
  std::vector<Node> nodes;  // what pushes bodies of such clusters
  std::vector<double> values;
  std::vector<int> first_node;  // per block of the problem

  void clear_nodes() { nodes.clear(), values.clear(), first_node.clear(); }
};

class BlockWriter {
 public:
  // eliminated: the bilateral rows that are not part of the problem; null: none are eliminated.
  BlockWriter(const ModelData& model, const ZLayout& layout, const Whitener& whitener, const BilateralRows* eliminated,
              Workspace& work, Problem& problem)
      : model_(model),
        layout_(layout),
        whitener_(whitener),
        eliminated_(layout.cluster_count() > 0 ? eliminated : nullptr),
        work_(work),
        problem_(problem) {}

  // Copies of the rows before anything is taken out of them go to `rows`.
  void keep_whole_rows(WholeRows& rows) { whole_ = &rows; }

  // A block of zero rows that act on these links (0: the world); the reference holds until the next open().
  Block& open(LawKind law, int row_count, std::span<const int> links, std::span<const int> more = {});
  Block& open(LawKind law, int row_count, std::initializer_list<int> links) {
    return open(law, row_count, std::span(links.begin(), links.size()));
  }

  static constexpr int kRowsPerBlock = 6;
  static constexpr std::size_t kMostParts = 2 * kMostTendonLinks;  // a gear of two tendons

  // Goes on with a block that was opened for these links, perhaps by another writer.
  void resume(int block, std::initializer_list<int> links);

  // Adds rows to the block last opened or resumed.
  template <int lanes>
  void add(const RowsBeside<lanes>& rows) {
    add_side(rows.f_a, lanes, rows.count, rows.link_a);
    add_side(rows.f_b, lanes, rows.count, rows.link_b);
  }
  void add(const DofRow& row, double impulse);

  // After the last add(): takes out what the eliminated rows can do. Where they can do anything, whole_squares() has
  // each row's square before, and may_lose() is true.
  void close();
  bool may_lose() const { return may_lose_; }
  const double* whole_squares() const { return whole_squares_; }

 private:
  struct Part {
    int link, column, cluster;  // cluster -1: on the link's path
    bool reduced;               // the cluster's rows are reduced, from what they push its nodes with
  };
  struct Node {
    int link, cluster;
  };
  const Part* part_of(int link) const;
  int place_parts(std::span<const int> links, std::span<const int> more);
  Block& block() { return problem_.blocks[static_cast<std::size_t>(block_)]; }
  void add_side(const double* f, int lanes, int count, int link);
  void note_push(int row, double force2, double moment2);
  void clear_rounding(int row);
  void take_out_of(double* row, int width, double before) const;
  void add_node(int link, int cluster);
  void clear_nodes() { std::fill_n(psi_, node_count_ * block().row_count * kTreeLane, 0.0); }
  double* rows_at_node(int link);
  double square_at_nodes(int row);
  void record_nodes();
  void keep_nodes();
  void keep_reduced();
  void reduce_nodes(const Part& part);

  const ModelData& model_;
  const ZLayout& layout_;
  const Whitener& whitener_;
  const BilateralRows* eliminated_;
  Workspace& work_;
  Problem& problem_;
  WholeRows* whole_ = nullptr;
  Part parts_[kMostParts];
  int part_count_ = 0;
  int block_ = -1;
  bool may_lose_ = false;
  bool checks_rounding_ = false;  // the tree may hold what a row asks for
  bool has_push_ = false;         // force2_ and moment2_ count: some row pushes links, not coordinates alone
  double force2_[kRowsPerBlock] = {}, moment2_[kRowsPerBlock] = {};  // what each row pushes a link with, most
  double whole_squares_[kRowsPerBlock] = {};
  int node_count_ = 0;
  Node nodes_[kMostParts];
  double psi_[kMostParts * kTreeLane];  // what the rows push the nodes with, kTreeLane per row, node after node
};

}  // namespace lipkin
