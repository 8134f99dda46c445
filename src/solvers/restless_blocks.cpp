#include "solvers/restless_blocks.hpp"

#include <algorithm>

namespace lipkin {

double* RestlessBlocks::room_for(int block_count) {
  moved_.resize(std::max(moved_.size(), static_cast<std::size_t>(block_count)));
  return moved_.data();
}

SweepData RestlessBlocks::choose(const SweepData& all, const SweepData& swept, int z_count, double least) {
  moves_.assign(static_cast<std::size_t>(z_count / kRunGrain + 1), 0);
  for (int i = 0; i < swept.block_count; ++i)
    if (!(swept.moved[i] <= least)) visit_grains(swept.blocks[i], [&](std::size_t grain) { moves_[grain] = 1; });
  chosen_.clear();
  for (int i = 0; i < all.block_count; ++i) {
    bool touches = false;
    visit_grains(all.blocks[i], [&](std::size_t grain) { touches = touches || moves_[grain]; });
    if (touches) chosen_.push_back(all.blocks[i]);
  }
  SweepData restless = all;
  restless.blocks = chosen_.data();
  restless.block_count = static_cast<int>(chosen_.size());
  restless.moved = swept.moved;
  return restless;
}

}  // namespace lipkin
