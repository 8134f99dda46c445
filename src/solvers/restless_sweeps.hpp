// Sweeps for a large problem of which nearly all holds as the last step left it: a pile that has settled but for a few
// rattlers. Each sweep visits only the blocks whose laws are violated. What that does to the others is bounded: a block
// with rows Y that kept its impulses is violated by at most |Y| |dz| more than before, and only where that could be too
// much is it measured again. Where a good part is restless all blocks are swept and measured, which then costs less.
#pragma once

#include <vector>

#include "lipkin/solver.hpp"
#include "solvers/sweep_loop.hpp"
#include "solvers/sweep_set.hpp"

namespace lipkin {

class RestlessSweeps {
 public:
  // True where every law holds in the end, or the time or the iterations are used up; the report's residual is a bound.
  // An iteration is as much work as a sweep of all blocks; where few are allowed there is an end to the rounds too.
  // Otherwise too many blocks are restless; the impulses are no worse a start.
  // Nothing is swept where no law is violated by more than `allowed` [m/s].
  bool solve(SweepSet& set, const SolverOptions& options, double allowed, const SolveClock& clock, SolveReport& report);

 private:
  // The numbers of some blocks, rising, and copies of them beside each other.
  struct Chosen {
    std::vector<int> index;
    std::vector<SweepBlock> blocks;

    void gather(const SweepData& all);
    SweepData within(const SweepData& all) const;
  };

  // The pieces of z on which a block acts, kRunGrain long each, where it has two runs at most; else begin[0] is -1.
  struct Reach {
    int begin[2], end[2];
  };

  void choose_all();
  void choose_first(double least);
  void choose_again(double least);
  double restless_part_of_sample(const SweepData& all, double least);
  double restless_part() const;
  double sweep_all(SweepSet& set);
  double sweep_restless(const SweepSet& set, double tolerance);
  double moved_by(const double* z, std::size_t grain) const;
  double update_violations(const SweepSet& set, double tolerance);
  static Reach reach_of(const SweepBlock& block);
  void sum_pushes(const SweepData& all, std::size_t grain_count);
  double push_on(const SweepData& all, int i);
  void measure(const SweepData& all, Chosen& chosen);

  std::vector<double> violation_;  // per block: a bound [m/s]
  Chosen restless_, doubtful_;
  std::vector<int> measured_;
  std::vector<double> values_;       // per chosen block [m/s]
  std::vector<Reach> reaches_;       // per block; found as the first sweep is followed up
  std::vector<double> before_;       // z before the sweeps, where they change it
  std::vector<double> push_;         // per grain of z: |dz| of the last sweeps
  std::vector<double> push_before_;  // per grain: the sum of all before it
  double work_ = 0;                  // in sweeps of all blocks
};

}  // namespace lipkin
