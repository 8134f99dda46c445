// A grid of cells that exist only where something is, in levels of cell sizes 2^level: shapes of very different sizes
// live beside each other, each in cells about as large as itself.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "collision/geometry.hpp"

namespace lipkin {

class CellGrid {
 public:
  struct Item {
    Vec3d centre;     // [m]
    double diameter;  // [m]
    int id;
  };

  // Two items can be nearer than the mean of their diameters only if they share a cell or lie in neighbouring cells of
  // the larger one's level.
  void build(std::span<const Item> items);

  // Calls visit(id, id) once for every pair of items that may be that near, in an order that depends on the items only.
  template <class Visit>
  void for_each_pair(Visit&& visit) const;

 private:
  struct Level {
    int exponent = 0;
    double cells_per_metre = 1;
  };
  struct Place {
    std::int64_t x, y, z;
  };

  static int exponent_of(double diameter);
  static Place place_of(const Vec3d& centre, double cells_per_metre);
  static std::uint64_t key_of(std::size_t level, const Place& place);
  int find_cell(std::uint64_t key) const;
  int find_or_add_cell(std::uint64_t key);
  void collect_levels(std::span<const Item> items);
  std::size_t level_index(int exponent) const;
  std::span<const int> items_in(int cell) const {
    const auto begin = static_cast<std::size_t>(cell_begin_[static_cast<std::size_t>(cell)]);
    return std::span(members_).subspan(
        begin, static_cast<std::size_t>(cell_begin_[static_cast<std::size_t>(cell) + 1]) - begin);
  }
  template <class Visit>
  void pairs_within_level(std::size_t item, Visit&& visit) const;
  template <class Visit>
  void pairs_with_coarser(std::size_t item, Visit&& visit) const;

  std::vector<Item> items_;
  std::vector<Level> levels_;  // by rising exponent
  std::vector<std::size_t> item_level_;
  std::vector<int> item_cell_;
  std::vector<std::uint64_t> cell_key_;
  std::vector<int> cell_begin_, members_;  // members_: positions in items_
  std::vector<int> slots_;                 // open addressing: cell or -1
};

template <class Visit>
void CellGrid::for_each_pair(Visit&& visit) const {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    pairs_within_level(i, visit);
    pairs_with_coarser(i, visit);
  }
}

template <class Visit>
void CellGrid::pairs_within_level(std::size_t item, Visit&& visit) const {
  for (const int other : items_in(item_cell_[item]))
    if (static_cast<std::size_t>(other) > item) visit(items_[item].id, items_[static_cast<std::size_t>(other)].id);
  const std::size_t level = item_level_[item];
  const Place p = place_of(items_[item].centre, levels_[level].cells_per_metre);
  for (int code = 14; code < 27; ++code) {  // the half of the neighbours that comes after the cell itself
    const int cell = find_cell(key_of(level, {p.x + code / 9 - 1, p.y + code / 3 % 3 - 1, p.z + code % 3 - 1}));
    if (cell < 0) continue;
    for (const int other : items_in(cell)) visit(items_[item].id, items_[static_cast<std::size_t>(other)].id);
  }
}

template <class Visit>
void CellGrid::pairs_with_coarser(std::size_t item, Visit&& visit) const {
  for (std::size_t level = item_level_[item] + 1; level < levels_.size(); ++level) {
    const Place p = place_of(items_[item].centre, levels_[level].cells_per_metre);
    for (int code = 0; code < 27; ++code) {
      const int cell = find_cell(key_of(level, {p.x + code / 9 - 1, p.y + code / 3 % 3 - 1, p.z + code % 3 - 1}));
      if (cell < 0) continue;
      for (const int other : items_in(cell)) visit(items_[item].id, items_[static_cast<std::size_t>(other)].id);
    }
  }
}

}  // namespace lipkin
