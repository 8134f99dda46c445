#include "collision/triangle_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lipkin/error.hpp"

namespace lipkin {

TriangleMesh::TriangleMesh(TriangleSurface surface) : surface_(std::move(surface)) {
  order_.resize(static_cast<std::size_t>(surface_.triangle_count()));
  std::iota(order_.begin(), order_.end(), 0);
  nodes_.emplace_back();
  split(0, 0, surface_.triangle_count());
}

AlignedBox TriangleMesh::box_of(int triangle) const {
  AlignedBox box{surface_.corner(triangle, 0), surface_.corner(triangle, 0)};
  for (int corner = 1; corner < 3; ++corner) {
    const Vec3d p = surface_.corner(triangle, corner);
    for (int k = 0; k < 3; ++k) box.low[k] = std::min(box.low[k], p[k]), box.high[k] = std::max(box.high[k], p[k]);
  }
  return box;
}

// Halves the triangles along the longest side of their box.
void TriangleMesh::split(int node, int first, int count) {
  constexpr int kLeafSize = 4;
  AlignedBox box = box_of(order_[static_cast<std::size_t>(first)]);
  for (int i = first + 1; i < first + count; ++i) {
    const AlignedBox other = box_of(order_[static_cast<std::size_t>(i)]);
    for (int k = 0; k < 3; ++k)
      box.low[k] = std::min(box.low[k], other.low[k]), box.high[k] = std::max(box.high[k], other.high[k]);
  }
  nodes_[static_cast<std::size_t>(node)] = {box, first, count};
  if (count <= kLeafSize) return;
  int longest = 0;
  for (int k = 1; k < 3; ++k)
    if (box.high[k] - box.low[k] > box.high[longest] - box.low[longest]) longest = k;
  const auto place = [&](int t) {
    return surface_.corner(t, 0)[longest] + surface_.corner(t, 1)[longest] + surface_.corner(t, 2)[longest];
  };
  const auto begin = order_.begin() + first;
  std::nth_element(begin, begin + count / 2, begin + count,
                   [&](int s, int t) { return std::pair(place(s), s) < std::pair(place(t), t); });
  const int children = static_cast<int>(nodes_.size());
  nodes_.resize(nodes_.size() + 2);
  nodes_[static_cast<std::size_t>(node)] = {box, children, 0};
  split(children, first, count / 2);
  split(children + 1, first + count / 2, count - count / 2);
}

HeightField::HeightField(int columns, int rows, double size_x, double size_y, const std::vector<double>& heights)
    : columns_(columns),
      rows_(rows),
      size_x_(size_x),
      size_y_(size_y),
      surface_(make_surface(columns, rows, size_x, size_y, heights)) {}

TriangleSurface HeightField::make_surface(int columns, int rows, double size_x, double size_y,
                                          const std::vector<double>& heights) {
  if (columns < 2 || rows < 2 || heights.size() != static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows))
    throw InvalidArgument("height field: expected rows * columns heights, at least 2 of each");
  if (!(std::isfinite(size_x) && size_x > 0 && std::isfinite(size_y) && size_y > 0))
    throw InvalidArgument("height field: the sizes must be numbers > 0 [m]");
  std::vector<Vec3d> vertices;
  std::vector<TriangleSurface::Triangle> triangles;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const double z = heights[vertices.size()];
      if (!std::isfinite(z)) throw InvalidArgument("height field: every height must be finite [m]");
      vertices.push_back({{(column / (columns - 1.0) - 0.5) * size_x, (row / (rows - 1.0) - 0.5) * size_y, z}});
      if (row + 1 == rows || column + 1 == columns) continue;
      const int low = row * columns + column, high = low + columns;
      triangles.push_back({low, low + 1, high + 1});
      triangles.push_back({low, high + 1, high});
    }
  }
  return TriangleSurface(vertices, triangles);
}

int HeightField::triangle_at(double x, double y) const {
  const double u = (x / size_x_ + 0.5) * (columns_ - 1), v = (y / size_y_ + 0.5) * (rows_ - 1);
  if (!(u >= 0 && u <= columns_ - 1 && v >= 0 && v <= rows_ - 1)) return -1;
  const int column = std::min(static_cast<int>(u), columns_ - 2), row = std::min(static_cast<int>(v), rows_ - 2);
  return 2 * (row * (columns_ - 1) + column) + (v - row > u - column ? 1 : 0);
}

std::pair<int, int> HeightField::cells(double low, double high, double size, int count) {
  const auto cell = [&](double x) {
    return static_cast<int>(std::clamp(std::floor((x / size + 0.5) * count), -1.0, static_cast<double>(count)));
  };
  return {std::max(cell(low), 0), std::min(cell(high), count - 1)};
}

}  // namespace lipkin
