#include "solvers/newton_sparse.hpp"

#include <algorithm>

#include "base/infinity.hpp"
#include "solvers/groups.hpp"

namespace lipkin {

namespace {

// Added to the diagonal, relative to it. Newton steps start from the present impulses, so that this makes them proximal
// steps: the answer stays the same, and redundant contacts do no harm.
constexpr double kProximity = 1e-8;

// Of a pivot, relative to its diagonal.
constexpr double kPivotTolerance = 1e-14;

bool has_friction(const SweepBlock& block) {
  if (block.law != LawKind::kContact || block.rows == 1) return false;
  return block.mu > 0 || (block.rows >= 4 && block.mu_spin > 0) || (block.rows >= 6 && block.mu_roll > 0);
}

}  // namespace

bool NewtonSparse::suits(const SweepSet& set, const int* first, const int* last) {
  return std::none_of(first, last, [&set](int i) { return has_friction(set.blocks()[i]); });
}

bool NewtonSparse::load(const SweepSet& set, const int* first, const int* last) {
  take_blocks(set, first, last);
  if (!find_nodes(set.z_count())) return false;
  list_rows();
  sort_parts();
  build_matrix();
  regularize(kProximity);
  factor_.analyze(pattern_);
  return true;
}

bool NewtonSparse::find_nodes(int z_count) {
  if (node_at_.size() < static_cast<std::size_t>(z_count)) node_at_.resize(static_cast<std::size_t>(z_count), -1);
  nodes_.clear();
  bool aligned = true;
  for (const SweepBlock& block : blocks_) {
    for (int run = 0; run < block.run_count && aligned; ++run) {
      const int begin = block.runs[run].begin, length = used_length(block, run);
      if (length == 0) continue;
      const int known = node_at_[begin];
      if (known < 0) nodes_.push_back({begin, 0});
      const int node = known < 0 ? static_cast<int>(nodes_.size()) - 1 : known;
      if (nodes_[node].begin != begin) aligned = false;
      for (int j = begin; j < begin + length; ++j) {
        if (node_at_[j] >= 0 && node_at_[j] != node) aligned = false;
        node_at_[j] = node;
      }
      nodes_[node].length = std::max(nodes_[node].length, length);
    }
  }
  if (aligned) return true;
  for (const SweepBlock& block : blocks_)
    for (int run = 0; run < block.run_count; ++run)
      std::fill_n(node_at_.begin() + block.runs[run].begin, block.runs[run].length, -1);
  return false;
}

void NewtonSparse::list_rows() {
  rows_.clear();
  parts_.clear();
  part_begin_.assign(1, 0);
  for (const SweepBlock& block : blocks_) {
    const double* local = data_.local + block.local_begin;
    double* lambda = data_.lambda + block.row_begin;
    const bool contact = block.law == LawKind::kContact;
    if (contact) std::fill(lambda + 1, lambda + block.rows, 0.0);  // tangents without friction
    for (int r = 0; r < (contact ? 1 : block.rows); ++r) {
      Row row = {block.row_begin + r, -kInfinity, kInfinity, local[r * block.rows + r],
                 local[local_inverse_at(block.rows) + r]};
      if (contact) row.lo = 0;
      if (block.law == LawKind::kInterval) {
        row.lo = block.lo;
        row.hi = block.hi;
      }
      const double* y = block.y + r * block.width;
      for (int run = 0; run < block.run_count; ++run) {
        const int node = node_at_[block.runs[run].begin];
        if (node >= 0) {
          const int length = std::min(block.runs[run].length, nodes_[node].length);
          parts_.push_back({node, static_cast<int>(rows_.size()), length, y});
        }
        y += block.runs[run].length;
      }
      rows_.push_back(row);
      part_begin_.push_back(static_cast<int>(parts_.size()));
    }
  }
  for (const Run& node : nodes_) std::fill_n(node_at_.begin() + node.begin, node.length, -1);
}

void NewtonSparse::sort_parts() {
  node_begin_.assign(nodes_.size() + 2, 0);
  for (const Part& part : parts_) ++node_begin_[part.node + 2];
  for (std::size_t k = 2; k < node_begin_.size(); ++k) node_begin_[k] += node_begin_[k - 1];
  by_node_.resize(parts_.size());
  for (const Part& part : parts_) by_node_[node_begin_[part.node + 1]++] = part;
}

void NewtonSparse::build_matrix() {
  const int count = static_cast<int>(rows_.size());
  pattern_.size = count;
  pattern_.begin.assign(1, 0);
  pattern_.columns.clear();
  values_.clear();
  seen_.assign(rows_.size(), -1);
  for (int i = 0; i < count; ++i) {
    const int first = static_cast<int>(values_.size());
    for (int p = part_begin_[i]; p < part_begin_[i + 1]; ++p) {
      const Part& mine = parts_[p];
      for (int q = node_begin_[mine.node]; q < node_begin_[mine.node + 1]; ++q) {
        const Part& other = by_node_[q];
        if (other.row >= i) break;
        double product = 0;
        for (int j = 0; j < std::min(mine.length, other.length); ++j) product += mine.y[j] * other.y[j];
        if (seen_[other.row] < first) {
          seen_[other.row] = static_cast<int>(values_.size());
          pattern_.columns.push_back(other.row);
          values_.push_back(product);
        } else {
          values_[seen_[other.row]] += product;
        }
      }
    }
    pattern_.begin.push_back(static_cast<int>(values_.size()));
  }
}

void NewtonSparse::regularize(double factor) {
  diagonal_.resize(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) diagonal_[i] = rows_[i].diagonal * (1 + factor);
}

// The active set keeps changing: from the inside, then. What it finds is near enough for a step or two.
int NewtonSparse::start_inside(double tolerance, int /*attempt*/) {
  bounds_.resize(rows_.size());
  b_.resize(rows_.size());
  x_.resize(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    bounds_[i] = {row.lo, row.hi};
    diagonal_[i] = row.diagonal * (1 + kProximity);
    b_[i] = data_.b[row.row];
  }
  const int steps =
      inside_.solve(pattern_, values_.data(), diagonal_.data(), b_.data(), bounds_, tolerance, factor_, x_.data());
  for (std::size_t i = 0; i < rows_.size(); ++i) data_.lambda[rows_[i].row] = rows_[i].inverse > 0 ? x_[i] : 0;
  return steps;
}

void NewtonSparse::clear_z() {
  for (const Run& node : nodes_) std::fill_n(data_.z + node.begin, node.length, 0.0);
}

void NewtonSparse::step(double) {
  active_.resize(rows_.size());
  x_.resize(rows_.size());
  bool moved = false;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    double& lambda = data_.lambda[row.row];
    const double target = lambda - gamma_[row.row] * row.inverse;
    active_[i] = row.inverse > 0 && target > row.lo && target < row.hi;
    if (active_[i]) continue;
    const double given = row.inverse > 0 ? std::clamp(target, row.lo, row.hi) : 0;
    moved = moved || given != lambda;
    lambda = given;
  }
  if (moved) refresh();
  for (std::size_t i = 0; i < rows_.size(); ++i) x_[i] = active_[i] ? -gamma_[rows_[i].row] : 0;
  factor_.factor(values_.data(), diagonal_.data(), active_.data(), kPivotTolerance);
  factor_.solve(x_.data());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (active_[i]) data_.lambda[rows_[i].row] += x_[i];
  }
}

}  // namespace lipkin
