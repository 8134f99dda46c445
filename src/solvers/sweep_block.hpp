// What the sweep kernels see: blocks with their local part of the Delassus matrix, ready to be visited one by one.
#pragma once

#include <cstddef>

#include "solvers/problem.hpp"

namespace lipkin {

// One block. Its rows may be those of a Problem or what an elimination has left of them.
struct SweepBlock {
  const double* y = nullptr;  // rows x width
  const Run* runs = nullptr;
  LawKind law = LawKind::kBilateral;
  std::uint8_t rows = 0;
  std::uint16_t run_count = 0;
  int width = 0;
  int row_begin = 0;    // into b, compliance, lambda
  int local_begin = 0;  // of its local_size values in SweepData::local
  union {
    double lo = 0;  // interval
    double mu;      // contact
  };
  union {
    double hi = 0;   // interval
    double mu_spin;  // contact
  };
  double mu_roll = 0;
};
static_assert(sizeof(SweepBlock) <= 56);  // a large pile waits for memory: every pass reads all of them

// Calls visit with the number of every piece of z, kRunGrain long, on which a block acts.
template <class Visit>
void visit_grains(const SweepBlock& block, const Visit& visit) {
  for (int run = 0; run < block.run_count; ++run) {
    const int first = block.runs[run].begin / kRunGrain;
    const int last = (block.runs[run].begin + block.runs[run].length - 1) / kRunGrain;
    for (int grain = first; grain <= last; ++grain) visit(static_cast<std::size_t>(grain));
  }
}

// Two rows under a disc: the inverse of their part of G, and a bound of its eigenvalues.
struct DiscOperator {
  double i11, i12, i22, bound, inverse_bound;
};
inline constexpr int kDiscOperatorSize = 5;

// The local values of a block: its part of G row by row, one over each diagonal (0: the row is degenerate and dropped),
// and the disc operators of tangents and rolling.
constexpr int local_size(int rows) {
  return rows * rows + rows + (rows >= 3) * kDiscOperatorSize + (rows >= 6) * kDiscOperatorSize;
}
constexpr int local_inverse_at(int rows) { return rows * rows; }
constexpr int local_tangents_at(int rows) { return rows * rows + rows; }
constexpr int local_rolling_at(int rows) { return rows * rows + rows + kDiscOperatorSize; }

struct SweepData {
  const SweepBlock* blocks = nullptr;
  int block_count = 0;
  double* local = nullptr;
  const double* b = nullptr;
  const double* compliance = nullptr;
  double* lambda = nullptr;
  double* z = nullptr;
  double* moved = nullptr;  // per block: the largest change of a velocity in the last sweep [m/s]; null: nobody asks
};

struct SweepOptions {
  double relaxation = 1;    // over 1: over-relaxation
  bool row_by_row = false;  // tangents with the effective mass of each row alone, as the second paper does
};

// A row whose parts cancel (two bodies on one path that it moves alike; nothing left by an elimination) to less than
// this part of its own square is degenerate and dropped: it can move at a millionth of the speed that its bodies could,
// and what it asks for would take a million times that. Rounding leaves 1e-30 of a well-conditioned mechanism, and
// 1e-18 of a light cable with a heavy ball.
inline constexpr double kDegenerateBelow = 1e-12;

// The largest change of a sweep.
struct SweepChange {
  double velocity = 0;  // change of an impulse times the diagonal of G [m/s] or [rad/s]
  double impulse = 0;   // [N s] or [N m s]
};

}  // namespace lipkin
