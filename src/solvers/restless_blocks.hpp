// Where most of a large island has come to rest, a sweep need not visit it all: only the blocks that act on what the
// last sweep still moved.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/sweep_block.hpp"

namespace lipkin {

class RestlessBlocks {
 public:
  // Those of `all` that touch what a block of `swept` moved by more than `least` [m/s]; swept.moved says by how much.
  // Valid until the next call; `swept` may be the last answer.
  SweepData choose(const SweepData& all, const SweepData& swept, int z_count, double least);

  // Room for what so many blocks moved by.
  double* room_for(int block_count);

 private:
  std::vector<std::uint8_t> moves_;  // per grain of z
  std::vector<double> moved_;
  std::vector<SweepBlock> chosen_;
};

}  // namespace lipkin
