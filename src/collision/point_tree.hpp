// Points of a shape in boxes within boxes, so that those beyond a plane are found without looking at all of them.
#pragma once

#include <span>
#include <vector>

#include "collision/geometry.hpp"

namespace lipkin {

class PointTree {
 public:
  PointTree() = default;
  explicit PointTree(std::span<const Vec3d> points);

  // Calls visit(index, point) for every point with d . p >= least, and for some that miss it by rounding; d is a unit
  // vector. In an order that depends on the points alone.
  template <class Visit>
  void visit_beyond(const Vec3d& d, double least, const Visit& visit) const {
    const double limit = least - slack_;
    for (std::size_t i = 0; i < nodes_.size();) {
      const Node& node = nodes_[i];
      const Vec3d& h = node.half;
      const double reach = std::abs(d[0]) * h[0] + std::abs(d[1]) * h[1] + std::abs(d[2]) * h[2];
      if (dot(d, node.centre) + reach < limit) {
        i = node.next;
        continue;
      }
      for (std::size_t k = node.begin; k < node.end; ++k)
        if (dot(d, points_[k]) >= limit) visit(index_[k], points_[k]);
      ++i;
    }
  }

 private:
  // In the order of a walk through the tree.
  struct Node {
    Vec3d centre, half;      // of a box around its points
    std::size_t begin, end;  // its points, where it is a leaf; none otherwise
    std::size_t next;        // the node behind everything below this one
  };

  void add_node(std::span<const Vec3d> points, std::size_t begin, std::size_t end);

  std::vector<Node> nodes_;
  std::vector<std::size_t> index_;
  std::vector<Vec3d> points_;  // in the order of index_
  double slack_ = 0;           // more than rounding [m]
};

}  // namespace lipkin
