// Writes blocks of whitened rows into a Problem. A row is dense over a cluster whose bilateral rows are eliminated, and
// loses there what these can do; elsewhere it stands on the paths of its links.
#pragma once

#include <initializer_list>
#include <span>

#include "assembly/whitener.hpp"

namespace lipkin {

class BilateralRows;

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

  // Copies of the rows before anything is taken out of them, at the same places, go to `rows`.
  void keep_whole_rows(std::vector<double>& rows) { whole_ = &rows; }

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
  };
  const Part* part_of(int link) const;
  int place_parts(std::span<const int> links, std::span<const int> more);
  Block& block() { return problem_.blocks[static_cast<std::size_t>(block_)]; }
  void add_side(const double* f, int lanes, int count, int link);
  void note_push(int row, double force2, double moment2);
  void clear_rounding(int row);
  double take_out_of(double* row, int width) const;

  const ModelData& model_;
  const ZLayout& layout_;
  const Whitener& whitener_;
  const BilateralRows* eliminated_;
  Workspace& work_;
  Problem& problem_;
  std::vector<double>* whole_ = nullptr;
  Part parts_[kMostParts];
  int part_count_ = 0;
  int block_ = -1;
  bool may_lose_ = false;
  bool checks_rounding_ = false;  // no link of the block moves freely: the tree may hold what a row asks for
  bool has_push_ = false;         // force2_ and moment2_ count: some row pushes links, not coordinates alone
  double force2_[kRowsPerBlock] = {}, moment2_[kRowsPerBlock] = {};  // what each row pushes a link with, most
  double whole_squares_[kRowsPerBlock] = {};
};

}  // namespace lipkin
