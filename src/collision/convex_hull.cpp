#include "collision/convex_hull.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "lipkin/error.hpp"
#include "model/hull_builder.hpp"

namespace lipkin {

namespace {
constexpr std::size_t kClimbFrom = 64;  // corners; fewer are looked through one by one
}

ConvexHull::ConvexHull(const std::vector<Vec3d>& points) {
  const HullBuilder builder(points);
  if (builder.is_flat())
    throw InvalidArgument("hull: the points lie in a plane; expected at least 4 points that do not");
  const std::vector<HullBuilder::Polygon> polygons = builder.polygons();
  std::vector<std::array<int, 3>> triangles = builder.triangles();
  std::map<int, int> renumbered;
  for (const std::array<int, 3>& triangle : triangles)
    for (const int corner : triangle) renumbered.emplace(corner, 0);
  for (auto& [old_index, new_index] : renumbered) {
    new_index = static_cast<int>(vertices_.size());
    vertices_.push_back(points[static_cast<std::size_t>(old_index)]);
  }
  vertex_tree_ = PointTree(vertices_);
  std::vector<std::pair<int, int>> edges;
  for (const HullBuilder::Polygon& polygon : polygons) {
    Face face{polygon.normal, polygon.offset, static_cast<int>(face_corners_.size()), 0};
    for (const int corner : polygon.corners) face_corners_.push_back(renumbered.at(corner));
    face.end = static_cast<int>(face_corners_.size());
    faces_.push_back(face);
    const std::span<const int> loop = corners(face);
    for (std::size_t k = 0; k < loop.size(); ++k) edges.emplace_back(loop[k], loop[(k + 1) % loop.size()]);
  }
  edges_ = Links(vertices_.size(), edges);
  for (std::array<int, 3>& triangle : triangles)
    for (int& corner : triangle) corner = renumbered.at(corner);
  prepare_climbing(triangles);
}

ConvexHull::Links::Links(std::size_t vertex_count, const std::vector<std::pair<int, int>>& pairs) {
  std::vector<std::set<int>> sets(vertex_count);
  for (const auto& [a, b] : pairs) {
    sets[static_cast<std::size_t>(a)].insert(b);
    sets[static_cast<std::size_t>(b)].insert(a);
  }
  begin.assign(1, 0);
  for (const std::set<int>& set : sets) {
    ends.insert(ends.end(), set.begin(), set.end());
    begin.push_back(ends.size());
  }
}

void ConvexHull::prepare_climbing(const std::vector<std::array<int, 3>>& triangles) {
  std::vector<std::pair<int, int>> sides;
  for (const std::array<int, 3>& t : triangles)
    for (std::size_t k = 0; k < 3; ++k) sides.emplace_back(t[k], t[(k + 1) % 3]);
  slopes_ = Links(vertices_.size(), sides);
  for (int k = 0; k < 3; ++k) {
    starts_[static_cast<std::size_t>(2 * k)] = best_of_all(Vec3d::unit(k));
    starts_[static_cast<std::size_t>(2 * k + 1)] = best_of_all(-Vec3d::unit(k));
  }
}

int ConvexHull::best_of_all(const Vec3d& d) const {
  int best = 0;
  double furthest = dot(vertices_[0], d);
  for (int i = 1; i < static_cast<int>(vertices_.size()); ++i) {
    const double along = dot(vertices_[static_cast<std::size_t>(i)], d);
    if (along > furthest) furthest = along, best = i;
  }
  return best;
}

int ConvexHull::climb_from(int vertex, const Vec3d& d) const {
  double furthest = dot(vertices_[static_cast<std::size_t>(vertex)], d);
  for (bool higher = true; higher;) {
    higher = false;
    for (const int next : slopes_.of(vertex)) {
      const double along = dot(vertices_[static_cast<std::size_t>(next)], d);
      if (along > furthest) furthest = along, vertex = next, higher = true;
      if (higher) break;
    }
  }
  return vertex;
}

int ConvexHull::support_vertex(const Vec3d& d) const {
  if (vertices_.size() <= kClimbFrom) return best_of_all(d);
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(d[k]) > std::abs(d[axis])) axis = k;
  return climb_from(starts_[static_cast<std::size_t>(2 * axis + (d[axis] < 0 ? 1 : 0))], d);
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
