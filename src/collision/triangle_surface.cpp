#include "collision/triangle_surface.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "lipkin/error.hpp"

namespace lipkin {

namespace {

// Sine up to which two triangles count as one plane, and a direction as on the border of what an edge faces: poses and
// corners are rounded.
constexpr double kFlatNoise = 1e-7;

struct EdgeUse {
  int low, high;  // corners
  int use;        // 3 t + k
};

}  // namespace

TriangleSurface::TriangleSurface(const std::vector<Vec3d>& vertices, const std::vector<Triangle>& triangles) {
  std::vector<int> renumbered;
  weld(vertices, renumbered);
  for (const Triangle& t : triangles) {
    Triangle corners;
    for (std::size_t k = 0; k < 3; ++k) {
      if (t[k] < 0 || static_cast<std::size_t>(t[k]) >= vertices.size())
        throw InvalidArgument("mesh: a triangle has a corner that does not exist");
      corners[k] = renumbered[static_cast<std::size_t>(t[k])];
    }
    triangles_.push_back(corners);
    const int last = triangle_count() - 1;
    const Vec3d n = cross(corner(last, 1) - corner(last, 0), corner(last, 2) - corner(last, 0));
    if (!(squared_norm(n) > 0)) triangles_.pop_back();
  }
  if (triangles_.empty()) throw InvalidArgument("mesh: no triangle with an area");
  vertex_tree_ = PointTree(vertices_);
  find_neighbours();
  find_faces();
  find_rings();
}

void TriangleSurface::weld(const std::vector<Vec3d>& vertices, std::vector<int>& renumbered) {
  std::vector<int> order(vertices.size());
  std::iota(order.begin(), order.end(), 0);
  const auto place = [&](int i) {
    const Vec3d& p = vertices[static_cast<std::size_t>(i)];
    return std::tuple(p[0], p[1], p[2]);
  };
  std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return place(i) < place(j); });
  std::vector<int> first(vertices.size());  // of those at the same place
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool same = k > 0 && place(order[k]) == place(order[k - 1]);
    first[static_cast<std::size_t>(order[k])] = same ? first[static_cast<std::size_t>(order[k - 1])] : order[k];
  }
  renumbered.resize(vertices.size());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (first[i] == static_cast<int>(i)) {
      renumbered[i] = static_cast<int>(vertices_.size());
      vertices_.push_back(vertices[i]);
    } else {
      renumbered[i] = renumbered[static_cast<std::size_t>(first[i])];
    }
  }
}

void TriangleSurface::find_neighbours() {
  neighbour_.assign(triangles_.size(), {-1, -1, -1});
  std::vector<EdgeUse> uses;
  for (int t = 0; t < triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int a = triangle(t)[static_cast<std::size_t>(k)], b = triangle(t)[static_cast<std::size_t>((k + 1) % 3)];
      uses.push_back({std::min(a, b), std::max(a, b), 3 * t + k});
    }
  }
  std::sort(uses.begin(), uses.end(), [](const EdgeUse& x, const EdgeUse& y) {
    return std::tie(x.low, x.high, x.use) < std::tie(y.low, y.high, y.use);
  });
  const auto same_edge = [](const EdgeUse& x, const EdgeUse& y) { return x.low == y.low && x.high == y.high; };
  const auto join = [&](int use, int other) {
    neighbour_[static_cast<std::size_t>(use / 3)][static_cast<std::size_t>(use % 3)] = other;
  };
  for (std::size_t i = 0; i + 1 < uses.size(); ++i) {
    if (!same_edge(uses[i], uses[i + 1])) continue;
    join(uses[i].use, uses[i + 1].use);
    join(uses[i + 1].use, uses[i].use);
  }
}

void TriangleSurface::find_faces() {
  face_.assign(triangles_.size(), -1);
  std::vector<int> open;
  for (int start = 0; start < triangle_count(); ++start) {
    if (face_[static_cast<std::size_t>(start)] >= 0) continue;
    const Vec3d n = normal(start);
    face_[static_cast<std::size_t>(start)] = start;
    open.assign(1, start);
    while (!open.empty()) {
      const int t = open.back();
      open.pop_back();
      for (const int use : neighbour_[static_cast<std::size_t>(t)]) {
        if (use < 0 || face_[static_cast<std::size_t>(use / 3)] >= 0) continue;
        const Vec3d m = normal(use / 3);
        if (!(dot(n, m) > 0) || norm(cross(n, m)) > kFlatNoise) continue;
        face_[static_cast<std::size_t>(use / 3)] = start;
        open.push_back(use / 3);
      }
    }
  }
}

void TriangleSurface::find_rings() {
  std::vector<std::pair<int, int>> pairs;
  for (const Triangle& t : triangles_)
    for (std::size_t k = 0; k < 3; ++k) {
      pairs.emplace_back(t[k], t[(k + 1) % 3]);
      pairs.emplace_back(t[(k + 1) % 3], t[k]);
    }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  ring_begin_.assign(vertices_.size() + 1, 0);
  for (const auto& [a, b] : pairs) {
    ++ring_begin_[static_cast<std::size_t>(a) + 1];
    ring_.push_back(b);
  }
  std::partial_sum(ring_begin_.begin(), ring_begin_.end(), ring_begin_.begin());
}

Vec3d TriangleSurface::away_from_edge(int t, int k) const {
  const Vec3d a = corner(t, k), edge = corner(t, (k + 1) % 3) - a, inside = corner(t, (k + 2) % 3) - a;
  return (dot(inside, edge) / squared_norm(edge)) * edge - inside;
}

bool TriangleSurface::edge_faces(int t, int k, const Vec3d& n) const {
  const auto reaches_out = [&](int triangle_of_edge, int edge) {
    const Vec3d away = away_from_edge(triangle_of_edge, edge);
    return dot(n, away) >= -kFlatNoise * norm(away);
  };
  if (!reaches_out(t, k)) return false;
  const int use = neighbour_[static_cast<std::size_t>(t)][static_cast<std::size_t>(k)];
  if (use < 0) return dot(n, normal(t)) >= 0;
  if (face(use / 3) == face(t)) return false;
  return reaches_out(use / 3, use % 3) && dot(n, normal(t) + normal(use / 3)) >= 0;
}

bool TriangleSurface::corner_faces(int t, int k, const Vec3d& n) const {
  const auto v = static_cast<std::size_t>(triangle(t)[static_cast<std::size_t>(k)]);
  for (std::size_t i = ring_begin_[v]; i < ring_begin_[v + 1]; ++i) {
    const Vec3d edge = vertices_[static_cast<std::size_t>(ring_[i])] - vertices_[v];
    if (dot(n, edge) > kFlatNoise * norm(edge)) return false;
  }
  return dot(n, normal(t)) >= 0;
}

}  // namespace lipkin
