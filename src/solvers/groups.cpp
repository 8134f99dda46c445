#include "solvers/groups.hpp"

#include <algorithm>

namespace lipkin {

int used_length(const SweepBlock& block, int run) {
  const double* y = block.y;
  for (int k = 0; k < run; ++k) y += block.runs[k].length;
  for (int length = block.runs[run].length; length > 0; --length) {
    for (int r = 0; r < block.rows; ++r) {
      if (y[r * block.width + length - 1] != 0) return length;
    }
  }
  return 0;
}

int BlockGroups::root_of(int block) {
  while (parent_[block] != block) block = parent_[block] = parent_[parent_[block]];
  return block;
}

// The smaller index becomes the root, so that numbering does not depend on the order of joining.
void BlockGroups::join(int a, int b) {
  a = root_of(a);
  b = root_of(b);
  parent_[std::max(a, b)] = std::min(a, b);
}

void BlockGroups::find(const std::vector<SweepBlock>& blocks, int z_count) {
  const int block_count = static_cast<int>(blocks.size());
  parent_.resize(blocks.size());
  owner_.assign(static_cast<std::size_t>(z_count), -1);
  for (int i = 0; i < block_count; ++i) {
    parent_[i] = i;
    const SweepBlock& block = blocks[i];
    for (int run = 0; run < block.run_count; ++run) {
      const int begin = block.runs[run].begin, length = used_length(block, run);
      int joined = i;  // neighbours usually have the same owner
      for (int j = begin; j < begin + length; ++j) {
        if (owner_[j] >= 0 && owner_[j] != joined) join(i, joined = owner_[j]);
        owner_[j] = i;
      }
    }
  }
  group_of_block_.resize(blocks.size());
  begin_.assign(1, 0);
  for (int i = 0; i < block_count; ++i) {
    const int root = root_of(i);
    if (root == i) begin_.push_back(0);
    group_of_block_[i] = root == i ? static_cast<int>(begin_.size()) - 2 : group_of_block_[root];
    ++begin_[group_of_block_[i] + 1];
  }
  for (std::size_t g = 1; g < begin_.size(); ++g) begin_[g] += begin_[g - 1];
  members_.resize(blocks.size());
  for (int i = block_count - 1; i >= 0; --i) members_[--begin_[group_of_block_[i] + 1]] = i;
  // Counting down has moved every begin to its own place, one early.
  begin_.erase(begin_.begin());
  begin_.push_back(block_count);
}

int BlockGroups::group_of_value(int z_index) const {
  const int owner = owner_[static_cast<std::size_t>(z_index)];
  return owner < 0 ? -1 : group_of_block_[static_cast<std::size_t>(owner)];
}

}  // namespace lipkin
