// Triangle meshes and height fields: a surface, and a way to find the triangles in a box.
#pragma once

#include <array>
#include <vector>

#include "collision/triangle_surface.hpp"

namespace lipkin {

struct AlignedBox {
  Vec3d low, high;  // [m]

  bool meets(const AlignedBox& other) const {
    for (int k = 0; k < 3; ++k)
      if (low[k] > other.high[k] || high[k] < other.low[k]) return false;
    return true;
  }
};

// Triangles in a tree of boxes.
class TriangleMesh {
 public:
  explicit TriangleMesh(TriangleSurface surface);

  const TriangleSurface& surface() const { return surface_; }

  // Calls visit(t) for the triangles whose boxes meet the box, in a fixed order.
  template <class Visit>
  void for_each_in(const AlignedBox& box, Visit&& visit) const {
    std::array<int, kMaxDepth> open;
    int open_count = 0;
    open[static_cast<std::size_t>(open_count++)] = 0;
    while (open_count > 0) {
      const Node& node = nodes_[static_cast<std::size_t>(open[static_cast<std::size_t>(--open_count)])];
      if (!node.box.meets(box)) continue;
      if (node.count == 0) {
        open[static_cast<std::size_t>(open_count++)] = node.first;
        open[static_cast<std::size_t>(open_count++)] = node.first + 1;
        continue;
      }
      for (int i = node.first; i < node.first + node.count; ++i) visit(order_[static_cast<std::size_t>(i)]);
    }
  }

 private:
  struct Node {
    AlignedBox box;
    int first = 0, count = 0;  // triangles in order_; count 0: the two children from `first` on
  };
  static constexpr int kMaxDepth = 128;  // halving: far more than any number of triangles needs

  AlignedBox box_of(int triangle) const;
  void split(int node, int first, int count);

  TriangleSurface surface_;
  std::vector<Node> nodes_;
  std::vector<int> order_;
};

// The ground z <= height(x, y): columns x rows samples, row by row, over size_x by size_y around the origin. Each cell
// is cut from its corner at low x and y to the opposite one.
class HeightField {
 public:
  HeightField(int columns, int rows, double size_x, double size_y, const std::vector<double>& heights);

  const TriangleSurface& surface() const { return surface_; }

  // The triangle above or below a point, -1 beside the field.
  int triangle_at(double x, double y) const;

  template <class Visit>
  void for_each_in(const AlignedBox& box, Visit&& visit) const {
    const auto [left, right] = cells(box.low[0], box.high[0], size_x_, columns_ - 1);
    const auto [front, back] = cells(box.low[1], box.high[1], size_y_, rows_ - 1);
    for (int row = front; row <= back; ++row) {
      for (int column = left; column <= right; ++column) {
        const int t = 2 * (row * (columns_ - 1) + column);
        visit(t), visit(t + 1);
      }
    }
  }

 private:
  static std::pair<int, int> cells(double low, double high, double size, int count);
  static TriangleSurface make_surface(int columns, int rows, double size_x, double size_y,
                                      const std::vector<double>& heights);

  int columns_, rows_;
  double size_x_, size_y_;
  TriangleSurface surface_;
};

}  // namespace lipkin
