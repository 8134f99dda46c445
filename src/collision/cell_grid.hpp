// A grid of cells that exist only where something is, in levels of sizes that differ by about a factor of two: shapes
// of very different sizes live beside each other, each in cells about as large as itself.
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

  // Calls visit(id, id) once for every pair of items that are that near, in an order that depends on the items only.
  template <class Visit>
  void for_each_pair(Visit&& visit) const;

 private:
  struct Level {
    int exponent = 0;      // holds diameters from 2^(exponent - 1) to 2^exponent
    double cell_size = 0;  // the largest of them [m]
    double cells_per_metre = 1;
  };
  struct Place {
    std::int64_t x, y, z;
  };

  static int exponent_of(double diameter);
  static Place place_of(const Vec3d& centre, double cells_per_metre);
  static std::uint64_t key_of(std::size_t level, const Place& place);
  int find_cell(std::uint64_t key) const;
  int find_or_add_cell(std::uint64_t key, std::size_t level);
  void collect_levels(std::span<const Item> items);
  std::size_t level_index(int exponent) const;
  std::span<const Item> items_in(int cell) const {
    const auto begin = static_cast<std::size_t>(cell_begin_[static_cast<std::size_t>(cell)]);
    return std::span(items_).subspan(begin,
                                     static_cast<std::size_t>(cell_begin_[static_cast<std::size_t>(cell) + 1]) - begin);
  }
  template <class Visit>
  static void visit_if_near(const Item& a, const Item& b, Visit&& visit) {
    const double near = 0.5 * (a.diameter + b.diameter);
    if (squared_norm(a.centre - b.centre) <= near * near) visit(a.id, b.id);
  }
  template <class Visit>
  void pairs_within_level(std::size_t cell, Visit&& visit) const;
  template <class Visit>
  void pairs_with_coarser(const Item& item, std::size_t level, Visit&& visit) const;

  std::vector<Level> levels_;  // by rising exponent
  std::vector<int> item_cell_;
  std::vector<Item> items_;  // cell by cell
  std::vector<int> cell_begin_;
  std::vector<std::uint64_t> cell_key_;
  std::vector<std::size_t> cell_level_;
  std::vector<int> slots_;  // open addressing: cell or -1
};

template <class Visit>
void CellGrid::for_each_pair(Visit&& visit) const {
  for (std::size_t cell = 0; cell < cell_key_.size(); ++cell) {
    pairs_within_level(cell, visit);
    for (const Item& item : items_in(static_cast<int>(cell)))
      for (std::size_t level = cell_level_[cell] + 1; level < levels_.size(); ++level)
        pairs_with_coarser(item, level, visit);
  }
}

template <class Visit>
void CellGrid::pairs_within_level(std::size_t cell, Visit&& visit) const {
  const std::span<const Item> own = items_in(static_cast<int>(cell));
  for (std::size_t i = 0; i < own.size(); ++i)
    for (std::size_t j = i + 1; j < own.size(); ++j) visit_if_near(own[i], own[j], visit);
  const std::size_t level = cell_level_[cell];
  const Place p = place_of(own[0].centre, levels_[level].cells_per_metre);
  for (int code = 14; code < 27; ++code) {  // the half of the neighbours that comes after the cell itself
    const int next = find_cell(key_of(level, {p.x + code / 9 - 1, p.y + code / 3 % 3 - 1, p.z + code % 3 - 1}));
    if (next < 0) continue;
    for (const Item& a : own)
      for (const Item& b : items_in(next)) visit_if_near(a, b, visit);
  }
}

template <class Visit>
void CellGrid::pairs_with_coarser(const Item& item, std::size_t level, Visit&& visit) const {
  const Place p = place_of(item.centre, levels_[level].cells_per_metre);
  for (int code = 0; code < 27; ++code) {
    const int cell = find_cell(key_of(level, {p.x + code / 9 - 1, p.y + code / 3 % 3 - 1, p.z + code % 3 - 1}));
    if (cell < 0) continue;
    for (const Item& other : items_in(cell)) visit_if_near(item, other, visit);
  }
}

}  // namespace lipkin
