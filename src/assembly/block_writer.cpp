#include "assembly/block_writer.hpp"

#include <algorithm>
#include <numeric>

#include "assembly/bilateral_rows.hpp"
#include "solvers/sweep_block.hpp"

namespace lipkin {

// Where each link's part of a row begins; returns the row's width.
int BlockWriter::place_parts(std::span<const int> links, std::span<const int> more) {
  int width = 0;
  part_count_ = 0;
  checks_rounding_ = true;
  has_push_ = false;
  for (const auto& some : {links, more})
    for (const int link : some) {
      if (link == 0 || part_of(link)) continue;
      if (model_.links[link].kind == LinkKind::kFree) checks_rounding_ = false;
      const int cluster = eliminated_ ? layout_.cluster_of_link(link) : -1;
      parts_[part_count_++] = {link, width, cluster};
      width += cluster >= 0 ? layout_.cluster(cluster).count : layout_.path_width(link);
    }
  return width;
}

Block& BlockWriter::open(LawKind law, int row_count, std::span<const int> links, std::span<const int> more) {
  Block block;
  block.law = law;
  block.row_begin = static_cast<int>(problem_.b.size());
  block.row_count = row_count;
  block.run_begin = static_cast<int>(problem_.runs.size());
  block.width = place_parts(links, more);
  for (int i = 0; i < part_count_; ++i) {
    if (parts_[i].cluster >= 0) {
      const ZRange& cluster = layout_.cluster(parts_[i].cluster);
      problem_.runs.push_back({cluster.begin, cluster.count});
    } else {
      problem_.runs.insert(problem_.runs.end(), layout_.path_begin(parts_[i].link), layout_.path_end(parts_[i].link));
    }
  }
  block.run_count = static_cast<int>(problem_.runs.size()) - block.run_begin;
  block.y_begin = problem_.y.size();
  problem_.y.resize(problem_.y.size() + static_cast<std::size_t>(row_count) * static_cast<std::size_t>(block.width));
  problem_.b.resize(problem_.b.size() + row_count, 0.0);
  problem_.compliance.resize(problem_.b.size(), 0.0);
  problem_.lambda.resize(problem_.b.size(), 0.0);
  if (whole_) whole_->resize(problem_.y.size());
  block_ = static_cast<int>(problem_.blocks.size());
  problem_.blocks.push_back(block);
  return problem_.blocks.back();
}

void BlockWriter::resume(int block, std::initializer_list<int> links) {
  if (block_ == block) return;
  block_ = block;
  place_parts(std::span(links.begin(), links.size()), {});
}

// The part that holds a link: its own, or that of another link of its cluster.
const BlockWriter::Part* BlockWriter::part_of(int link) const {
  const int cluster = eliminated_ ? layout_.cluster_of_link(link) : -1;
  for (int i = 0; i < part_count_; ++i)
    if (parts_[i].link == link || (cluster >= 0 && parts_[i].cluster == cluster)) return parts_ + i;
  return nullptr;
}

void BlockWriter::note_push(int row, double force2, double moment2) {
  if (!has_push_) {
    std::fill_n(force2_, kRowsPerBlock, 0.0);
    std::fill_n(moment2_, kRowsPerBlock, 0.0);
    has_push_ = true;
  }
  force2_[row] = std::max(force2_[row], force2);
  moment2_[row] = std::max(moment2_[row], moment2);
}

void BlockWriter::add_side(const double* f, int lanes, int count, int link) {
  if (link == 0) return;
  for (int r = 0; checks_rounding_ && r < count; ++r) {
    const double *n = f + r, *p = f + 3 * lanes + r;
    note_push(r, p[0] * p[0] + p[lanes] * p[lanes] + p[2 * lanes] * p[2 * lanes],
              n[0] * n[0] + n[lanes] * n[lanes] + n[2 * lanes] * n[2 * lanes]);
  }
  const Part* part = part_of(link);
  whitener_.add(model_, work_, f, lanes, count, link, part->cluster >= 0, block().width,
                problem_.y.data() + block().y_begin + part->column);
}

void BlockWriter::add(const DofRow& row, double impulse) {
  const auto place = [&](const Part* part) { return problem_.y.data() + block().y_begin + part->column; };
  row.visit(
      [&](int u_index, double unit, int path) {
        const Part* part = part_of(path);
        whitener_.add_joint(model_, work_, u_index, impulse * unit, part->cluster >= 0, place(part));
      },
      [&](int link, const Force<double>& unit, int path) {
        const Part* part = part_of(path);
        const Force<double> push = impulse * unit;
        note_push(0, dot(push.f, push.f), dot(push.n, push.n));
        whitener_.add(model_, work_, push, link, part->cluster >= 0, place(part));
      });
}

void BlockWriter::close() {
  const Block& written = block();
  double* rows = problem_.y.data() + written.y_begin;
  if (checks_rounding_ && has_push_)
    for (int row = 0; row < written.row_count; ++row) clear_rounding(row);
  if (whole_) std::copy_n(rows, written.row_count * written.width, whole_->data() + written.y_begin);
  const auto on_cluster = [](const Part& part) { return part.cluster >= 0; };
  may_lose_ = std::any_of(parts_, parts_ + part_count_, on_cluster);
  if (!may_lose_) return;
  for (int row = 0; row < written.row_count; ++row)
    whole_squares_[row] = take_out_of(rows + row * written.width, written.width);
}

// What the tree does not let move, likewise, before anything is taken out.
void BlockWriter::clear_rounding(int row) {
  const Block& written = block();
  double* y = problem_.y.data() + written.y_begin + static_cast<std::size_t>(row * written.width);
  if (std::inner_product(y, y + written.width, y, 0.0) < whitener_.least_square(force2_[row], moment2_[row]))
    std::fill_n(y, written.width, 0.0);
}

// What clusters do not let move is left with rounding, which must not be taken for a row. Returns the row's square
// before.
double BlockWriter::take_out_of(double* row, int width) const {
  const double before = std::inner_product(row, row + width, row, 0.0);
  for (int i = 0; i < part_count_; ++i)
    if (parts_[i].cluster >= 0) eliminated_->project_out(parts_[i].cluster, row + parts_[i].column);
  if (std::inner_product(row, row + width, row, 0.0) < kDegenerateBelow * before) std::fill_n(row, width, 0.0);
  return before;
}

}  // namespace lipkin
