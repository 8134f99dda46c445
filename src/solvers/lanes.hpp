// SIMD registers of doubles for the kernels of this room; included by kernels.cpp only, which is compiled once per
// instruction set. Everything has internal linkage: see docs/decisions/0002.
#pragma once

#define LIPKIN_SOLVER_INLINE static inline __attribute__((always_inline))
#define LIPKIN_SOLVER_MEMBER inline __attribute__((always_inline))

namespace lipkin {
namespace {

// Four also where there is room for eight: the kernels wait for latencies, not for width.
#if defined(__AVX__)
constexpr int kSolverLanes = 4;
#else
constexpr int kSolverLanes = 2;
#endif

template <int lanes>
struct Register {
  typedef double Values __attribute__((vector_size(8 * lanes)));
  typedef double Loose __attribute__((vector_size(8 * lanes), aligned(8), may_alias));
};

using Lanes = Register<kSolverLanes>::Values;
using Pair = Register<2>::Values;
typedef long long LaneIndices __attribute__((vector_size(8 * kSolverLanes)));

LIPKIN_SOLVER_INLINE Lanes load_lanes(const double* from) {
  return *reinterpret_cast<const Register<kSolverLanes>::Loose*>(from);
}
LIPKIN_SOLVER_INLINE void store_lanes(double* to, Lanes x) {
  *reinterpret_cast<Register<kSolverLanes>::Loose*>(to) = x;
}
LIPKIN_SOLVER_INLINE Pair load_pair(const double* from) { return *reinterpret_cast<const Register<2>::Loose*>(from); }
LIPKIN_SOLVER_INLINE void store_pair(double* to, Pair x) { *reinterpret_cast<Register<2>::Loose*>(to) = x; }
LIPKIN_SOLVER_INLINE Lanes all_lanes(double x) { return x - Lanes{}; }

LIPKIN_SOLVER_INLINE LaneIndices first_indices() {
  LaneIndices index = {};
  for (int k = 0; k < kSolverLanes; ++k) index[k] = k;
  return index;
}

// The lane whose index `lane` holds everywhere, in all lanes.
LIPKIN_SOLVER_INLINE Lanes copies_of_lane(Lanes x, LaneIndices lane) {
#if defined(__clang__)
  return all_lanes(x[lane[0]]);
#else
  return __builtin_shuffle(x, lane);
#endif
}

// Halves of a register; the compiler turns these into single moves.
LIPKIN_SOLVER_INLINE Register<4>::Values low_half(Register<8>::Values x) {
  return __builtin_shufflevector(x, x, 0, 1, 2, 3);
}
LIPKIN_SOLVER_INLINE Register<4>::Values high_half(Register<8>::Values x) {
  return __builtin_shufflevector(x, x, 4, 5, 6, 7);
}
LIPKIN_SOLVER_INLINE Register<2>::Values low_half(Register<4>::Values x) { return __builtin_shufflevector(x, x, 0, 1); }
LIPKIN_SOLVER_INLINE Register<2>::Values high_half(Register<4>::Values x) {
  return __builtin_shufflevector(x, x, 2, 3);
}

LIPKIN_SOLVER_INLINE double sum_lanes(Register<2>::Values x) { return x[0] + x[1]; }
LIPKIN_SOLVER_INLINE double sum_lanes(Register<4>::Values x) { return sum_lanes(low_half(x) + high_half(x)); }
LIPKIN_SOLVER_INLINE double sum_lanes(Register<8>::Values x) { return sum_lanes(low_half(x) + high_half(x)); }

// The sum of all lanes of both.
LIPKIN_SOLVER_INLINE double sum_with(Pair x, Pair rest) { return sum_lanes(x + rest); }
LIPKIN_SOLVER_INLINE double sum_with(Register<4>::Values x, Pair rest) {
  return sum_lanes(low_half(x) + high_half(x) + rest);
}

template <class Values>
LIPKIN_SOLVER_INLINE Values larger(Values a, Values b) {
  return a > b ? a : b;
}
LIPKIN_SOLVER_INLINE double largest_lane(Register<2>::Values x) { return x[0] > x[1] ? x[0] : x[1]; }
LIPKIN_SOLVER_INLINE double largest_lane(Register<4>::Values x) {
  return largest_lane(larger(low_half(x), high_half(x)));
}
LIPKIN_SOLVER_INLINE double largest_lane(Register<8>::Values x) {
  return largest_lane(larger(low_half(x), high_half(x)));
}

}  // namespace
}  // namespace lipkin
