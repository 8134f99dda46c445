#include "collision/point_tree.hpp"

#include <algorithm>
#include <numeric>

namespace lipkin {

namespace {

constexpr std::size_t kLeafPoints = 8;
constexpr double kRounding = 1e-14;  // of the size

}  // namespace

PointTree::PointTree(std::span<const Vec3d> points) : index_(points.size()) {
  std::iota(index_.begin(), index_.end(), std::size_t{0});
  if (!points.empty()) add_node(points, 0, points.size());
  for (const std::size_t i : index_) {
    points_.push_back(points[i]);
    slack_ = std::max(slack_, kRounding * norm(points[i]));
  }
}

// Halves the points along the longest side of their box.
void PointTree::add_node(std::span<const Vec3d> points, std::size_t begin, std::size_t end) {
  const auto at = [&](std::size_t k) { return index_.begin() + static_cast<std::ptrdiff_t>(k); };
  Vec3d least = points[index_[begin]], most = least;
  for (std::size_t k = begin; k < end; ++k) {
    for (int axis = 0; axis < 3; ++axis) {
      least[axis] = std::min(least[axis], points[index_[k]][axis]);
      most[axis] = std::max(most[axis], points[index_[k]][axis]);
    }
  }
  const std::size_t node = nodes_.size();
  const bool is_leaf = end - begin <= kLeafPoints;
  nodes_.push_back({0.5 * (least + most), 0.5 * (most - least), begin, is_leaf ? end : begin, 0});
  if (!is_leaf) {
    const Vec3d& half = nodes_[node].half;
    int longest = 0;
    for (int axis = 1; axis < 3; ++axis)
      if (half[axis] > half[longest]) longest = axis;
    const std::size_t middle = begin + (end - begin) / 2;
    std::nth_element(at(begin), at(middle), at(end), [&](std::size_t i, std::size_t j) {
      return points[i][longest] != points[j][longest] ? points[i][longest] < points[j][longest] : i < j;
    });
    add_node(points, begin, middle);
    add_node(points, middle, end);
  }
  nodes_[node].next = nodes_.size();
}

}  // namespace lipkin
