#include "collision/cell_grid.hpp"

#include <algorithm>
#include <bit>

namespace lipkin {

namespace {
constexpr std::uint64_t kMixer = 0x9e3779b97f4a7c15ULL;  // 2^64 over the golden ratio: Fibonacci hashing
}

int CellGrid::exponent_of(double diameter) {
  int exponent = 0;
  std::frexp(diameter, &exponent);  // diameter <= 2^exponent
  return exponent;
}

CellGrid::Place CellGrid::place_of(const Vec3d& centre, double cells_per_metre) {
  constexpr double kFar = 1e15;  // beyond it, and for what is not a number, one cell holds all
  const auto index = [&](double x) {
    const double cell = std::floor(x * cells_per_metre);
    return std::abs(cell) < kFar ? static_cast<std::int64_t>(cell) : std::int64_t{0};
  };
  return {index(centre[0]), index(centre[1]), index(centre[2])};
}

// Places 2^19 cells apart share a key: they are told apart by their distance later.
std::uint64_t CellGrid::key_of(std::size_t level, const Place& place) {
  constexpr std::uint64_t kMask = (1u << 19) - 1;
  const auto part = [&](std::int64_t x) { return static_cast<std::uint64_t>(x) & kMask; };
  return static_cast<std::uint64_t>(level) << 57 | part(place.x) << 38 | part(place.y) << 19 | part(place.z);
}

int CellGrid::find_cell(std::uint64_t key) const {
  const std::size_t mask = slots_.size() - 1;
  const int shift = 64 - std::countr_zero(slots_.size());
  for (std::size_t slot = key * kMixer >> shift;; slot = (slot + 1) & mask) {
    const int cell = slots_[slot];
    if (cell < 0 || cell_key_[static_cast<std::size_t>(cell)] == key) return cell;
  }
}

int CellGrid::find_or_add_cell(std::uint64_t key, std::size_t level) {
  const int found = find_cell(key);
  if (found >= 0) return found;
  const std::size_t mask = slots_.size() - 1;
  const int shift = 64 - std::countr_zero(slots_.size());
  std::size_t slot = key * kMixer >> shift;
  while (slots_[slot] >= 0) slot = (slot + 1) & mask;
  slots_[slot] = static_cast<int>(cell_key_.size());
  cell_key_.push_back(key);
  cell_level_.push_back(level);
  return slots_[slot];
}

void CellGrid::collect_levels(std::span<const Item> items) {
  levels_.clear();
  for (const Item& item : items) {
    const int exponent = exponent_of(item.diameter);
    auto at = std::find_if(levels_.begin(), levels_.end(), [&](const Level& l) { return l.exponent >= exponent; });
    if (at == levels_.end() || at->exponent != exponent) at = levels_.insert(at, {exponent});
    at->cell_size = std::max(at->cell_size, item.diameter);
  }
  constexpr std::size_t kMaxLevels = 64;  // fits the key; the finest go up where there are more
  if (levels_.size() > kMaxLevels) levels_.erase(levels_.begin(), levels_.end() - kMaxLevels);
  for (Level& level : levels_) level.cells_per_metre = 1 / level.cell_size;
}

std::size_t CellGrid::level_index(int exponent) const {
  const auto at = std::find_if(levels_.begin(), levels_.end(), [&](const Level& l) { return l.exponent >= exponent; });
  return static_cast<std::size_t>(at - levels_.begin());
}

void CellGrid::build(std::span<const Item> items) {
  collect_levels(items);
  slots_.assign(std::bit_ceil(4 * items.size() + 2), -1);
  cell_key_.clear(), cell_level_.clear();
  item_cell_.resize(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::size_t level = level_index(exponent_of(items[i].diameter));
    const Place place = place_of(items[i].centre, levels_[level].cells_per_metre);
    item_cell_[i] = find_or_add_cell(key_of(level, place), level);
  }
  cell_begin_.assign(cell_key_.size() + 1, 0);
  for (const int cell : item_cell_) ++cell_begin_[static_cast<std::size_t>(cell) + 1];
  for (std::size_t c = 0; c + 1 < cell_begin_.size(); ++c) cell_begin_[c + 1] += cell_begin_[c];
  items_.resize(items.size());
  // Filled from the back: each cell keeps the order of its items, and its end moves down to its begin.
  for (std::size_t i = items.size(); i-- > 0;)
    items_[static_cast<std::size_t>(--cell_begin_[static_cast<std::size_t>(item_cell_[i]) + 1])] = items[i];
  std::rotate(cell_begin_.begin(), cell_begin_.begin() + 1, cell_begin_.end());
  cell_begin_.back() = static_cast<int>(items.size());
}

}  // namespace lipkin
