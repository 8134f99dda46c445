#include "solvers/bilateral_elimination.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solvers/grow.hpp"

namespace lipkin {

namespace {

constexpr int kColumnGrain = 8;  // the factorisation likes whole registers

int padded_to_columns(int count) { return (count + kColumnGrain - 1) / kColumnGrain * kColumnGrain; }

double row_times(const SweepBlock& block, int r, const double* z) {
  const double* y = block.y + r * block.width;
  double sum = 0;
  for (int run = 0; run < block.run_count; ++run) {
    const double* part = z + block.runs[run].begin;
    for (int j = 0; j < block.runs[run].length; ++j) sum += y[j] * part[j];
    y += block.runs[run].length;
  }
  return sum;
}

}  // namespace

void BilateralElimination::find_clusters(const Problem& problem) {
  others_.clear();
  for (const Block& block : problem.blocks)
    (block.law == LawKind::kBilateral ? bilateral_ : others_).push_back(sweep_block_of(problem, block));
  rows_.clear();
  groups_.find(bilateral_, problem.z_count);
  clusters_.resize(static_cast<std::size_t>(groups_.group_count()));
  column_.assign(static_cast<std::size_t>(problem.z_count), -1);
  for (int j = 0; j < problem.z_count; ++j) {
    const int cluster = groups_.group_of_value(j);
    if (cluster >= 0) column_[j] = clusters_[cluster].columns++;
  }
  for (int c = 0; c < cluster_count(); ++c) {
    Cluster& cluster = clusters_[c];
    cluster.columns = padded_to_columns(cluster.columns);
    cluster.row_begin = static_cast<int>(rows_.size());
    for (const int* i = groups_.begin(c); i != groups_.end(c); ++i) {
      for (int r = 0; r < bilateral_[*i].rows; ++r) rows_.push_back(bilateral_[*i].row_begin + r);
    }
    cluster.row_count = static_cast<int>(rows_.size()) - cluster.row_begin;
  }
}

// Adds the block's rows, densely over its cluster's columns; values outside of any cluster are left out.
void BilateralElimination::fill_rows(const SweepBlock& block, double* Y, int stride) const {
  for (int r = 0; r < block.rows; ++r) {
    const double* y = block.y + r * block.width;
    for (int run = 0; run < block.run_count; ++run) {
      const int* column = column_.data() + block.runs[run].begin;
      for (int j = 0; j < block.runs[run].length; ++j) {
        if (y[j] != 0) Y[r * stride + column[j]] += y[j];
      }
      y += block.runs[run].length;
    }
  }
}

void BilateralElimination::factor_clusters(const Problem& problem) {
  if (factors_.size() < clusters_.size()) factors_.resize(clusters_.size());
  int z_next = problem.z_count;
  for (int c = 0; c < cluster_count(); ++c) {
    Cluster& cluster = clusters_[c];
    const std::size_t size = static_cast<std::size_t>(cluster.row_count) * static_cast<std::size_t>(cluster.columns);
    grow(Y_, size);
    std::fill_n(Y_.data(), size, 0.0);
    double* next = Y_.data();
    for (const int* i = groups_.begin(c); i != groups_.end(c); ++i) {
      fill_rows(bilateral_[*i], next, cluster.columns);
      next += bilateral_[*i].rows * cluster.columns;
    }
    grow(compliance_, static_cast<std::size_t>(cluster.row_count));
    for (int k = 0; k < cluster.row_count; ++k) compliance_[k] = problem.compliance[rows_[cluster.row_begin + k]];
    factors_[c].factor(Y_.data(), cluster.row_count, cluster.columns, cluster.columns, compliance_.data());
    cluster.z_begin = z_next;
    cluster.z_width = factors_[c].width();
    z_next += cluster.z_width;
  }
  grow(z_extended_, static_cast<std::size_t>(z_next));
}

// z0, in the places of z.
void BilateralElimination::solve_clusters(const Problem& problem) {
  z0_.assign(static_cast<std::size_t>(problem.z_count), 0.0);
  for (int c = 0; c < cluster_count(); ++c) {
    const Cluster& cluster = clusters_[c];
    grow(rhs_, static_cast<std::size_t>(cluster.row_count));
    for (int k = 0; k < cluster.row_count; ++k) rhs_[k] = -problem.b[rows_[cluster.row_begin + k]];
    factors_[c].solve_z(rhs_.data(), z_extended_.data() + cluster.z_begin);
  }
  for (int j = 0; j < problem.z_count; ++j) {
    if (column_[j] >= 0) z0_[j] = z_extended_[clusters_[groups_.group_of_value(j)].z_begin + column_[j]];
  }
}

void BilateralElimination::touched_clusters(const SweepBlock& block) {
  touched_.clear();
  for (int run = 0; run < block.run_count; ++run) {
    const int begin = block.runs[run].begin, length = used_length(block, run);
    for (int j = begin; j < begin + length; ++j) {
      const int cluster = groups_.group_of_value(j);
      if (cluster >= 0 && std::find(touched_.begin(), touched_.end(), cluster) == touched_.end())
        touched_.push_back(cluster);
    }
  }
}

// Room for the reduced rows, found first so that they stay in place.
void BilateralElimination::measure_rest() {
  std::size_t y_count = 0, run_count = 0;
  for (const SweepBlock& block : others_) {
    touched_clusters(block);
    if (touched_.empty()) continue;
    int width = block.width;
    for (const int c : touched_) width += clusters_[c].z_width;
    y_count += static_cast<std::size_t>(width) * static_cast<std::size_t>(block.rows);
    run_count += static_cast<std::size_t>(block.run_count) + touched_.size();
  }
  grow(y_reduced_, y_count);
  grow(runs_reduced_, run_count);
  y_used_ = runs_used_ = 0;
}

// A row that its clusters do not let move is left with rounding, which must not be taken for a row.
void BilateralElimination::clear_if_degenerate(const SweepBlock& block, const SweepBlock& left, int r) {
  const double* before = block.y + r * block.width;
  double* after = y_reduced_.data() + (left.y - y_reduced_.data()) + r * left.width;
  const double square_before = std::inner_product(before, before + block.width, before, 0.0);
  const double square_after = std::inner_product(after, after + left.width, after, 0.0);
  if (square_after < kDegenerateBelow * square_before) std::fill_n(after, left.width, 0.0);
}

// Runs that stay in z keep their place, with zeros for values that belong to a cluster; behind them one dense run per
// cluster, projected.
SweepBlock BilateralElimination::reduced(const SweepBlock& block) {
  touched_clusters(block);
  if (touched_.empty()) return block;
  SweepBlock left = block;
  Run* runs = runs_reduced_.data() + runs_used_;
  double* y = y_reduced_.data() + y_used_;
  left.runs = runs;
  left.y = y;
  left.run_count = static_cast<std::uint16_t>(block.run_count + touched_.size());
  std::copy_n(block.runs, block.run_count, runs);
  for (std::size_t k = 0; k < touched_.size(); ++k) {
    const Cluster& cluster = clusters_[touched_[k]];
    runs[block.run_count + static_cast<int>(k)] = {cluster.z_begin, cluster.z_width};
    left.width += cluster.z_width;
  }
  runs_used_ += static_cast<std::size_t>(left.run_count);
  y_used_ += static_cast<std::size_t>(left.width) * static_cast<std::size_t>(left.rows);
  std::fill_n(y, left.width * left.rows, 0.0);
  for (int r = 0; r < block.rows; ++r) {
    const double* from = block.y + r * block.width;
    double* to = y + r * left.width;
    for (int run = 0; run < block.run_count; ++run) {
      for (int j = 0; j < block.runs[run].length; ++j, ++from, ++to) {
        const int index = block.runs[run].begin + j;
        if (*from == 0) continue;
        if (column_[index] < 0) {
          *to = *from;
          continue;
        }
        double* dense = y + r * left.width + block.width;
        for (const int c : touched_) {
          if (c == groups_.group_of_value(index)) dense[column_[index]] += *from;
          dense += clusters_[c].z_width;
        }
      }
    }
    for (const int c : touched_) {
      factors_[c].project_out(to);
      to += clusters_[c].z_width;
    }
    clear_if_degenerate(block, left, r);
  }
  return left;
}

// False, and nothing taken, where there is a bilateral block.
bool BilateralElimination::takes_all(const Problem& problem, SweepSet& rest) {
  for (const Block& block : problem.blocks) {
    if (block.law == LawKind::kBilateral) {
      rest.clear();
      return false;
    }
    rest.add(sweep_block_of(problem, block));
  }
  return true;
}

void BilateralElimination::reduce(Problem& problem, SweepSet& rest, double* z) {
  rest.clear();
  clusters_.clear();
  bilateral_.clear();
  if (takes_all(problem, rest)) {
    rest.prepare(problem.b.data(), problem.compliance.data(), problem.lambda.data(), z, problem.z_count);
    return;
  }
  find_clusters(problem);
  factor_clusters(problem);
  solve_clusters(problem);
  if (others_.empty()) return;
  measure_rest();
  b_reduced_.assign(problem.b.begin(), problem.b.end());
  for (const SweepBlock& block : others_) {
    for (int r = 0; r < block.rows; ++r) b_reduced_[block.row_begin + r] += row_times(block, r, z0_.data());
    rest.add(reduced(block));
  }
  rest.prepare(b_reduced_.data(), problem.compliance.data(), problem.lambda.data(), z_extended_.data(),
               clusters_.back().z_begin + clusters_.back().z_width);
}

void BilateralElimination::finish(Problem& problem, double* z) {
  if (clusters_.empty()) return;
  // Yᵀ Lambda of the other rows alone: what the bilateral rows react to.
  std::fill_n(z, problem.z_count, 0.0);
  for (const SweepBlock& block : others_) {
    for (int r = 0; r < block.rows; ++r) {
      const double* y = block.y + r * block.width;
      const double lambda = problem.lambda[block.row_begin + r];
      for (int run = 0; run < block.run_count; ++run) {
        for (int j = 0; j < block.runs[run].length; ++j) z[block.runs[run].begin + j] += lambda * y[j];
        y += block.runs[run].length;
      }
    }
  }
  for (int c = 0; c < cluster_count(); ++c) {
    const Cluster& cluster = clusters_[c];
    double* rhs = rhs_.data();
    for (const int* i = groups_.begin(c); i != groups_.end(c); ++i) {
      const SweepBlock& block = bilateral_[*i];
      for (int r = 0; r < block.rows; ++r) *rhs++ = -problem.b[block.row_begin + r] - row_times(block, r, z);
    }
    grow(lambda_, static_cast<std::size_t>(cluster.row_count));
    factors_[c].solve_lambda(rhs_.data(), lambda_.data());
    for (int k = 0; k < cluster.row_count; ++k) problem.lambda[rows_[cluster.row_begin + k]] = lambda_[k];
  }
  for (int j = 0; j < problem.z_count; ++j) {
    if (column_[j] < 0) {
      if (!others_.empty()) z[j] = z_extended_[j];
    } else {
      const double hat = others_.empty() ? 0 : z_extended_[clusters_[groups_.group_of_value(j)].z_begin + column_[j]];
      z[j] = z0_[j] + hat;
    }
  }
}

double BilateralElimination::residual(const Problem& problem, const double* z) const {
  double worst = 0;
  for (const SweepBlock& block : bilateral_) {
    for (int r = 0; r < block.rows; ++r) {
      const int row = block.row_begin + r;
      const double gamma = problem.b[row] + row_times(block, r, z) + problem.compliance[row] * problem.lambda[row];
      if (!(std::abs(gamma) <= worst)) worst = std::abs(gamma);
    }
  }
  return worst;
}

}  // namespace lipkin
