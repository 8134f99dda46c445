// Which blocks hang together: two blocks are coupled where both touch the same value of z.
#pragma once

#include <vector>

#include "solvers/sweep_block.hpp"

namespace lipkin {

// How many of a run's values the block's rows use: runs are padded with zeros at their end.
int used_length(const SweepBlock& block, int run);

class BlockGroups {
 public:
  // Groups of the given blocks, numbered in the order of their first block.
  void find(const std::vector<SweepBlock>& blocks, int z_count);

  int group_count() const { return static_cast<int>(begin_.size()) - 1; }
  // Blocks of a group in ascending order.
  const int* begin(int group) const { return members_.data() + begin_[static_cast<std::size_t>(group)]; }
  const int* end(int group) const { return members_.data() + begin_[static_cast<std::size_t>(group) + 1]; }
  // -1: no block touches it.
  int group_of_value(int z_index) const;

 private:
  int root_of(int block);
  void join(int a, int b);

  std::vector<int> parent_;          // per block
  std::vector<int> owner_;           // per value of z: a block that uses it, or -1
  std::vector<int> group_of_block_;  // per block
  std::vector<int> begin_, members_;
};

}  // namespace lipkin
