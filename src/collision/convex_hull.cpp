#include "collision/convex_hull.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "collision/hull_builder.hpp"

namespace lipkin {

ConvexHull::ConvexHull(const std::vector<Vec3d>& points) {
  const std::vector<HullBuilder::Polygon> polygons = HullBuilder(points).polygons();
  std::map<int, int> renumbered;
  for (const HullBuilder::Polygon& polygon : polygons)
    for (const int corner : polygon.corners) renumbered.emplace(corner, 0);
  for (auto& [old_index, new_index] : renumbered) {
    new_index = static_cast<int>(vertices_.size());
    vertices_.push_back(points[static_cast<std::size_t>(old_index)]);
  }
  for (const HullBuilder::Polygon& polygon : polygons) {
    Face face{polygon.normal, polygon.offset, static_cast<int>(face_corners_.size()), 0};
    for (const int corner : polygon.corners) face_corners_.push_back(renumbered.at(corner));
    face.end = static_cast<int>(face_corners_.size());
    faces_.push_back(face);
  }
  index_neighbours();
}

void ConvexHull::index_neighbours() {
  std::vector<std::set<int>> sets(vertices_.size());
  for (const Face& face : faces_) {
    const std::span<const int> loop = corners(face);
    for (std::size_t k = 0; k < loop.size(); ++k) {
      const int a = loop[k], b = loop[(k + 1) % loop.size()];
      sets[static_cast<std::size_t>(a)].insert(b);
      sets[static_cast<std::size_t>(b)].insert(a);
    }
  }
  neighbour_begin_.assign(1, 0);
  for (const std::set<int>& set : sets) {
    neighbours_.insert(neighbours_.end(), set.begin(), set.end());
    neighbour_begin_.push_back(neighbours_.size());
  }
}

int ConvexHull::support_vertex(const Vec3d& d) const {
  int best = 0;
  double furthest = dot(vertices_[0], d);
  for (int i = 1; i < static_cast<int>(vertices_.size()); ++i) {
    const double along = dot(vertices_[static_cast<std::size_t>(i)], d);
    if (along > furthest) furthest = along, best = i;
  }
  return best;
}

void ConvexHull::flat_feature(const Vec3d& d, double sine, FlatFeature& feature) const {
  const auto facing = std::max_element(
      faces_.begin(), faces_.end(), [&](const Face& a, const Face& b) { return dot(a.normal, d) < dot(b.normal, d); });
  const auto add = [&](int v) { feature.add(vertices_[static_cast<std::size_t>(v)], static_cast<std::uint32_t>(v)); };
  if (dot(facing->normal, d) > 0 && norm(cross(facing->normal, d)) < sine) {
    const std::span<const int> loop = corners(*facing);
    // A face with more corners than fit keeps every second, third, ... of them.
    const std::size_t stride = (loop.size() + FlatFeature::kMaxCount - 1) / FlatFeature::kMaxCount;
    for (std::size_t k = 0; k < loop.size(); k += stride) add(loop[k]);
    return;
  }
  const int top = support_vertex(d);
  int partner = -1;
  double least = sine;
  for (const int v : neighbours(top)) {
    const Vec3d edge = vertices_[static_cast<std::size_t>(v)] - vertices_[static_cast<std::size_t>(top)];
    const double rise = std::abs(dot(edge, d)) / norm(edge);
    if (rise < least) least = rise, partner = v;
  }
  add(top);
  if (partner >= 0) add(partner);
}

}  // namespace lipkin
