// A constraint problem as the solvers see it: rows, laws and an operator; never a body.
//
//   z = Yᵀ Lambda,   gamma = b + Y z + C Lambda,   each block's law relates gamma and Lambda
//
// Rows are whitened: with M⁻¹ = Aᵀ A the constraints hand over Y = W Aᵀ, so that the Delassus matrix W M⁻¹ Wᵀ is Y Yᵀ,
// a row's vector serves both to read its gap velocity and to apply its impulse, and a row is zero outside the paths
// from the root to the bodies it touches. C is diagonal (compliance).
#pragma once

#include <cstdint>
#include <vector>

namespace lipkin {

// A piece of z. The length is a multiple of kRunGrain; where the path is shorter, y is zero there.
struct Run {
  int begin = 0;
  int length = 0;
};
inline constexpr int kRunGrain = 2;

enum class LawKind : std::uint8_t {
  kBilateral,  // gamma = 0
  kInterval,   // one row: Lambda in [lo, hi]; gamma > 0 only at lo, gamma < 0 only at hi
  kContact     // first row: the normal, Lambda_n >= 0, gamma_n >= 0, product zero. With 3 rows or more: two tangents in
               // the disc |Lambda_t| <= mu Lambda_n, against the slip. 4th row: |Lambda_s| <= mu_spin Lambda_n. 5th and
               // 6th: |Lambda_r| <= mu_roll Lambda_n as a disc.
};

// Rows that are solved together: 1 to 6 bilateral rows, one interval, or a contact of 1, 3, 4 or 6 rows.
struct Block {
  LawKind law = LawKind::kBilateral;
  int row_begin = 0, row_count = 0;  // into b, compliance and lambda
  int run_begin = 0, run_count = 0;  // into runs; runs of one block may overlap: their parts add up
  int width = 0;                     // sum of the run lengths
  std::size_t y_begin = 0;           // row r of the block: y[y_begin + r * width ...], run after run
  double lo = 0, hi = 0;             // interval [N s] or [N m s]
  double mu = 0, mu_spin = 0, mu_roll = 0;
};

struct Problem {
  int z_count = 0;  // with room for the grain of the last run
  std::vector<Block> blocks;
  std::vector<Run> runs;
  std::vector<double> y;           // all blocks; see Block
  std::vector<double> b;           // gap velocity without impulses, minus what is wanted [m/s] or [rad/s]
  std::vector<double> compliance;  // C >= 0 [m/(N s)]
  std::vector<double> lambda;      // in: the warm start; out: the impulses [N s]
  bool is_familiar = false;        // the warm start is a solution of the last step, for these very blocks
  double speed_before = 0;         // of the fastest coordinate before the step [m/s] or [rad/s]

  void clear();
};

}  // namespace lipkin
