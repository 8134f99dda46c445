// Kernels that visit blocks one after the other: prepare their local operators, Gauss-Seidel sweeps, residuals.
// A visit reads the gap velocities of the block's rows from z, lets the law choose new impulses, and adds what changed
// to z: three dot products and three updates of 12 values for a contact between two free bodies.
#pragma once

#include "laws/law_bilateral.hpp"
#include "laws/law_coulomb.hpp"
#include "laws/law_interval.hpp"
#include "laws/law_unilateral.hpp"
#include "solvers/lanes.hpp"
#include "solvers/sweep_block.hpp"

namespace lipkin {
namespace {

constexpr int kRowsMax = 6;

// Tangents closer to parallel than this are stopped one by one instead of together.
constexpr double kParallelBelow = 1e-10;

LIPKIN_SOLVER_INLINE double magnitude(double x) { return x < 0 ? -x : x; }
LIPKIN_SOLVER_INLINE double larger_of(double a, double b) { return a > b ? a : b; }

// The shape of a block, with constants where it is common, so that the loops over it unroll.
template <int kRows, int kRuns, int kLength>
struct BlockShape {
  const SweepBlock& block;
  LIPKIN_SOLVER_MEMBER int rows() const { return kRows > 0 ? kRows : block.rows; }
  LIPKIN_SOLVER_MEMBER int runs() const { return kRuns > 0 ? kRuns : block.run_count; }
  LIPKIN_SOLVER_MEMBER int length(int run) const { return kRuns > 0 ? kLength : block.runs[run].length; }
  LIPKIN_SOLVER_MEMBER int width() const { return kRuns > 0 ? kLength * kRuns : block.width; }
};
template <int kRows>
using AnyShape = BlockShape<kRows, 0, 0>;

// Runs are a multiple of two long: whole registers, and a pair at the end where these have four lanes.
static_assert(kRunGrain == 2 && (kSolverLanes == 2 || kSolverLanes == 4));

template <int kRows, int kRuns, int kLength>
LIPKIN_SOLVER_INLINE void read_gamma(const SweepData& data, const BlockShape<kRows, kRuns, kLength>& shape,
                                     double* gamma) {
  Lanes sum[kRows > 0 ? kRows : kRowsMax] = {};
  Pair rest[kRows > 0 ? kRows : kRowsMax] = {};
  const double* y = shape.block.y;
  for (int run = 0; run < shape.runs(); ++run) {
    const double* z = data.z + shape.block.runs[run].begin;
    int j = 0;
    for (; j + kSolverLanes <= shape.length(run); j += kSolverLanes) {
      const Lanes zj = load_lanes(z + j);
      for (int r = 0; r < shape.rows(); ++r) sum[r] += load_lanes(y + r * shape.width() + j) * zj;
    }
    if (j < shape.length(run)) {
      const Pair zj = load_pair(z + j);
      for (int r = 0; r < shape.rows(); ++r) rest[r] += load_pair(y + r * shape.width() + j) * zj;
    }
    y += shape.length(run);
  }
  const int first = shape.block.row_begin;
  for (int r = 0; r < shape.rows(); ++r)
    gamma[r] = sum_with(sum[r], rest[r]) + data.b[first + r] + data.compliance[first + r] * data.lambda[first + r];
}

template <int kRows, int kRuns, int kLength>
LIPKIN_SOLVER_INLINE void add_to_z(const SweepData& data, const BlockShape<kRows, kRuns, kLength>& shape,
                                   const double* change) {
  const double* y = shape.block.y;
  for (int run = 0; run < shape.runs(); ++run) {
    double* z = data.z + shape.block.runs[run].begin;
    int j = 0;
    for (; j + kSolverLanes <= shape.length(run); j += kSolverLanes) {
      Lanes zj = load_lanes(z + j);
      for (int r = 0; r < shape.rows(); ++r) zj += change[r] * load_lanes(y + r * shape.width() + j);
      store_lanes(z + j, zj);
    }
    if (j < shape.length(run)) {
      Pair zj = load_pair(z + j);
      for (int r = 0; r < shape.rows(); ++r) zj += change[r] * load_pair(y + r * shape.width() + j);
      store_pair(z + j, zj);
    }
    y += shape.length(run);
  }
}

// The impulses of a block while the law chooses: rows already done change the gap velocities of those to come.
struct LocalState {
  int rows;
  const double* G;        // rows x rows
  const double* inverse;  // one over the diagonal
  double gamma[kRowsMax], lambda[kRowsMax], change[kRowsMax];

  LIPKIN_SOLVER_MEMBER void set(int r, double value) {
    change[r] = value - lambda[r];
    lambda[r] = value;
  }
  LIPKIN_SOLVER_MEMBER void pass_on(int r, int first, int last) {
    for (int i = first; i < last; ++i) gamma[i] += G[i * rows + r] * change[r];
  }
};

LIPKIN_SOLVER_INLINE void step_disc(LocalState& s, int r, double radius, const DiscOperator& op,
                                    const SweepOptions& options) {
  const LawCoulomb law = {radius};
  const double w = options.relaxation;
  double x, y;
  if (options.row_by_row) {
    x = s.lambda[r] - w * s.inverse[r] * s.gamma[r];
    const double second = s.gamma[r + 1] + s.G[(r + 1) * s.rows + r] * (x - s.lambda[r]);
    y = s.lambda[r + 1] - w * s.inverse[r + 1] * second;
  } else {
    x = s.lambda[r] - w * (op.i11 * s.gamma[r] + op.i12 * s.gamma[r + 1]);
    y = s.lambda[r + 1] - w * (op.i12 * s.gamma[r] + op.i22 * s.gamma[r + 1]);
  }
  if (!law.contains(x, y)) {
    // Slips: the proximal point with one factor for both rows, so that the impulse points against the slip.
    x = s.lambda[r] - w * op.inverse_bound * s.gamma[r];
    y = s.lambda[r + 1] - w * op.inverse_bound * s.gamma[r + 1];
  }
  law.project(x, y);
  s.set(r, x);
  s.set(r + 1, y);
}

template <int kRows>
LIPKIN_SOLVER_INLINE void step_contact(LocalState& s, const SweepBlock& block, const double* local,
                                       const SweepOptions& options) {
  s.set(0, LawUnilateral::project(s.lambda[0] - options.relaxation * s.gamma[0] * s.inverse[0]));
  if (kRows == 1 || s.rows < 3) return;
  s.pass_on(0, 1, s.rows);
  const double normal = s.lambda[0];
  const auto* tangents = reinterpret_cast<const DiscOperator*>(local + local_tangents_at(s.rows));
  step_disc(s, 1, block.mu * normal, *tangents, options);
  if (kRows == 3 || s.rows < 4) return;
  s.pass_on(1, 3, s.rows);
  s.pass_on(2, 3, s.rows);
  const LawInterval spin = {-block.mu_spin * normal, block.mu_spin * normal};
  s.set(3, spin.project(s.lambda[3] - options.relaxation * s.gamma[3] * s.inverse[3]));
  if (s.rows < 6) return;
  s.pass_on(3, 4, 6);
  const auto* rolling = reinterpret_cast<const DiscOperator*>(local + local_rolling_at(s.rows));
  step_disc(s, 4, block.mu_roll * normal, *rolling, options);
}

LIPKIN_SOLVER_INLINE void step_bilateral(LocalState& s, const SweepOptions& options) {
  for (int r = 0; r < s.rows; ++r) {
    s.set(r, s.lambda[r] - options.relaxation * s.gamma[r] * s.inverse[r]);
    s.pass_on(r, r + 1, s.rows);
  }
}

template <int kRows, int kRuns, int kLength>
LIPKIN_SOLVER_INLINE void visit(const SweepData& data, const SweepBlock& block, const SweepOptions& options,
                                SweepChange& worst) {
  const BlockShape<kRows, kRuns, kLength> shape = {block};
  const double* local = data.local + block.local_begin;
  LocalState s;
  s.rows = shape.rows();
  s.G = local;
  s.inverse = local + local_inverse_at(s.rows);
  read_gamma(data, shape, s.gamma);
  double* lambda = data.lambda + block.row_begin;
  for (int r = 0; r < s.rows; ++r) s.lambda[r] = lambda[r];
  if (block.law == LawKind::kContact) {
    step_contact<kRows>(s, block, local, options);
  } else if (block.law == LawKind::kInterval) {
    s.set(0, LawInterval{block.lo, block.hi}.project(s.lambda[0] - options.relaxation * s.gamma[0] * s.inverse[0]));
  } else {
    step_bilateral(s, options);
  }
  double largest = 0;
  for (int r = 0; r < s.rows; ++r) {
    lambda[r] = s.lambda[r];
    const double impulse = magnitude(s.change[r]);
    largest = larger_of(largest, impulse);
    worst.velocity = larger_of(worst.velocity, impulse * s.G[r * s.rows + r]);
  }
  if (largest == 0) return;
  worst.impulse = larger_of(worst.impulse, largest);
  add_to_z(data, shape, s.change);
}

// Whether all of one or two runs are of this length.
LIPKIN_SOLVER_INLINE bool has_runs(const SweepBlock& block, int count, int length) {
  return block.run_count == count && block.runs[0].length == length && block.runs[count - 1].length == length;
}

SweepChange sweep_blocks(const SweepData& data, const SweepOptions& options, bool backward) {
  SweepChange worst;
  for (int i = 0; i < data.block_count; ++i) {
    const int at = backward ? data.block_count - 1 - i : i;
    const SweepBlock& block = data.blocks[at];
    SweepChange change;
    if (block.rows == 3 && has_runs(block, 2, 6)) {
      visit<3, 2, 6>(data, block, options, change);
    } else if (block.rows == 3 && has_runs(block, 1, 6)) {
      visit<3, 1, 6>(data, block, options, change);
    } else if (block.rows == 3 && has_runs(block, 1, 8)) {
      visit<3, 1, 8>(data, block, options, change);
    } else if (block.rows == 3) {
      visit<3, 0, 0>(data, block, options, change);
    } else if (block.rows == 1) {
      visit<1, 0, 0>(data, block, options, change);
    } else {
      visit<0, 0, 0>(data, block, options, change);
    }
    if (data.moved) data.moved[at] = change.velocity;
    worst.velocity = larger_of(worst.velocity, change.velocity);
    worst.impulse = larger_of(worst.impulse, change.impulse);
  }
  return worst;
}

LIPKIN_SOLVER_INLINE double contact_residual(const SweepBlock& block, const double* local, const double* gamma,
                                             const double* lambda) {
  const int n = block.rows;
  const double normal = LawUnilateral::project(lambda[0]);
  double worst = LawUnilateral::residual(gamma[0], lambda[0], local[0]);
  if (n >= 3) {
    const auto* op = reinterpret_cast<const DiscOperator*>(local + local_tangents_at(n));
    worst = larger_of(worst, LawCoulomb{block.mu * normal}.residual(gamma + 1, lambda + 1, op->bound));
  }
  if (n >= 4) {
    const LawInterval spin = {-block.mu_spin * normal, block.mu_spin * normal};
    worst = larger_of(worst, spin.residual(gamma[3], lambda[3], local[3 * n + 3]));
  }
  if (n >= 6) {
    const auto* op = reinterpret_cast<const DiscOperator*>(local + local_rolling_at(n));
    worst = larger_of(worst, LawCoulomb{block.mu_roll * normal}.residual(gamma + 4, lambda + 4, op->bound));
  }
  return worst;
}

// The largest violation of a law [m/s]. Also hands out the gap velocities, each at its row's place, and each block's
// violation, where these are not null.
double residual_of_blocks(const SweepData& data, double* gammas, double* violations) {
  double worst = 0;
  for (int i = 0; i < data.block_count; ++i) {
    const SweepBlock& block = data.blocks[i];
    const double* local = data.local + block.local_begin;
    const double* inverse = local + local_inverse_at(block.rows);
    const double* lambda = data.lambda + block.row_begin;
    double gamma[kRowsMax];
    if (block.rows == 1) {
      read_gamma(data, AnyShape<1>{block}, gamma);
    } else if (block.rows == 3) {
      read_gamma(data, AnyShape<3>{block}, gamma);
    } else {
      read_gamma(data, AnyShape<0>{block}, gamma);
    }
    for (int r = 0; r < block.rows; ++r) {
      if (gammas) gammas[block.row_begin + r] = gamma[r];
      if (inverse[r] == 0) gamma[r] = 0;  // nothing can move it
    }
    double violation = 0;
    if (block.law == LawKind::kContact) {
      violation = contact_residual(block, local, gamma, lambda);
    } else if (block.law == LawKind::kInterval) {
      violation = LawInterval{block.lo, block.hi}.residual(gamma[0], lambda[0], local[0]);
    } else {
      for (int r = 0; r < block.rows; ++r) violation = larger_of(violation, LawBilateral::residual(gamma[r]));
    }
    if (violations) violations[i] = violation;
    // Written so that NaN counts as the worst.
    if (!(violation <= worst)) worst = violation;
  }
  return worst;
}

LIPKIN_SOLVER_INLINE bool runs_overlap(const SweepBlock& block) {
  for (int i = 0; i < block.run_count; ++i) {
    for (int j = i + 1; j < block.run_count; ++j) {
      const Run &a = block.runs[i], &b = block.runs[j];
      if (a.begin < b.begin + b.length && b.begin < a.begin + a.length) return true;
    }
  }
  return false;
}

LIPKIN_SOLVER_INLINE double product_of_rows(const double* a, const double* b, int width) {
  Lanes sum = {};
  int j = 0;
  for (; j + kSolverLanes <= width; j += kSolverLanes) sum += load_lanes(a + j) * load_lanes(b + j);
  return sum_with(sum, j < width ? load_pair(a + j) * load_pair(b + j) : Pair{});
}

// Adds row r, times `sign`, into z-sized memory where parts of overlapping runs meet.
LIPKIN_SOLVER_INLINE void scatter_row(const SweepBlock& block, int r, bool clear, double* memory) {
  const double* y = block.y + r * block.width;
  for (int run = 0; run < block.run_count; ++run) {
    double* z = memory + block.runs[run].begin;
    for (int j = 0; j < block.runs[run].length; ++j) z[j] = clear ? 0 : z[j] + y[j];
    y += block.runs[run].length;
  }
}

LIPKIN_SOLVER_INLINE double product_with_memory(const SweepBlock& block, int r, const double* memory) {
  const double* y = block.y + r * block.width;
  Pair sum = {};
  for (int run = 0; run < block.run_count; ++run) {
    const double* z = memory + block.runs[run].begin;
    for (int j = 0; j < block.runs[run].length; j += 2) sum += load_pair(y + j) * load_pair(z + j);
    y += block.runs[run].length;
  }
  return sum_lanes(sum);
}

LIPKIN_SOLVER_INLINE void prepare_disc(const double* G, int n, int r, double* to) {
  const double a = G[r * n + r], b = G[r * n + r + 1], c = G[(r + 1) * n + r + 1];
  const double determinant = a * c - b * b;
  DiscOperator op = {};
  op.bound = larger_of(a, c) + magnitude(b);
  op.inverse_bound = op.bound > 0 ? 1 / op.bound : 0;
  if (determinant > kParallelBelow * a * c) {
    op.i11 = c / determinant;
    op.i12 = -b / determinant;
    op.i22 = a / determinant;
  } else {
    op.i11 = op.i22 = op.inverse_bound;
  }
  __builtin_memcpy(to, &op, sizeof op);
}

// Returns the trace of the block's part of G. memory: z_count zeros, left as zeros.
LIPKIN_SOLVER_INLINE double prepare_block(const SweepData& data, const SweepBlock& block, double* memory) {
  const int n = block.rows;
  double* G = data.local + block.local_begin;
  double* inverse = G + local_inverse_at(n);
  const bool overlap = runs_overlap(block);
  double trace = 0;
  for (int r = 0; r < n; ++r) {
    const double* y = block.y + r * block.width;
    const double own = product_of_rows(y, y, block.width);
    if (overlap) scatter_row(block, r, false, memory);
    for (int c = 0; c <= r; ++c) {
      G[r * n + c] = G[c * n + r] =
          overlap ? product_with_memory(block, c, memory) : product_of_rows(y, block.y + c * block.width, block.width);
    }
    if (overlap) scatter_row(block, r, true, memory);
    const double compliance = data.compliance[block.row_begin + r];
    const bool degenerate = !(G[r * n + r] > kDegenerateBelow * own) && !(compliance > 0);
    G[r * n + r] = degenerate ? 0 : G[r * n + r] + compliance;
    inverse[r] = degenerate ? 0 : 1 / G[r * n + r];
    trace += G[r * n + r];
  }
  if (n >= 3) prepare_disc(G, n, 1, G + local_tangents_at(n));
  if (n >= 6) prepare_disc(G, n, 4, G + local_rolling_at(n));
  return trace;
}

// The row's impulses that nothing can answer are dropped.
LIPKIN_SOLVER_INLINE void drop_degenerate(const SweepData& data, const SweepBlock& block) {
  const double* inverse = data.local + block.local_begin + local_inverse_at(block.rows);
  for (int r = 0; r < block.rows; ++r)
    if (inverse[r] == 0) data.lambda[block.row_begin + r] = 0;
}

// Returns the largest trace of a block.
double prepare_blocks(const SweepData& data, double* memory) {
  double largest = 0;
  for (int i = 0; i < data.block_count; ++i) {
    largest = larger_of(largest, prepare_block(data, data.blocks[i], memory));
    drop_degenerate(data, data.blocks[i]);
  }
  return largest;
}

LIPKIN_SOLVER_INLINE void add_impulses(const SweepData& data, const SweepBlock& block) {
  const double* lambda = data.lambda + block.row_begin;
  if (block.rows == 1) {
    if (lambda[0] != 0) add_to_z(data, AnyShape<1>{block}, lambda);
  } else if (block.rows == 3) {
    add_to_z(data, AnyShape<3>{block}, lambda);
  } else {
    add_to_z(data, AnyShape<0>{block}, lambda);
  }
}

// z += Yᵀ Lambda.
void add_impulses_to_z(const SweepData& data) {
  for (int i = 0; i < data.block_count; ++i) add_impulses(data, data.blocks[i]);
}

// Both in one pass through memory.
double prepare_and_add(const SweepData& data, double* memory) {
  double largest = 0;
  for (int i = 0; i < data.block_count; ++i) {
    largest = larger_of(largest, prepare_block(data, data.blocks[i], memory));
    drop_degenerate(data, data.blocks[i]);
    add_impulses(data, data.blocks[i]);
  }
  return largest;
}

}  // namespace
}  // namespace lipkin
