#include "model/hull_builder.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "lipkin/error.hpp"

namespace lipkin {

namespace {

// A tetrahedron lower than this share of its length encloses no volume that rounding would leave.
constexpr double kLeastHeight = 1e-9;
// A point this share of the size beyond a plane counts as on it: rounding, and the most that is tried.
constexpr double kNoise = 1e-12, kMostNoise = 1e-5;

int next(int k) { return (k + 1) % 3; }

Vec3<double> unit_or(const Vec3<double>& v, const Vec3<double>& fallback) {
  const double length = norm(v);
  return length > 0 ? (1 / length) * v : fallback;
}

// Joins what is connected.
class Groups {
 public:
  explicit Groups(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  int root(int i) {
    while (parent_[static_cast<std::size_t>(i)] != i) i = parent_[static_cast<std::size_t>(i)];
    return i;
  }
  void join(int i, int j) {
    const int a = root(i), b = root(j);
    parent_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<int> parent_;
};

// The loop of edges (from -> to) that starts at the smallest corner.
std::vector<int> closed_loop(const std::map<int, int>& successor) {
  std::vector<int> loop;
  if (successor.empty()) return loop;
  const int start = successor.begin()->first;
  int at = start;
  do {
    loop.push_back(at);
    const auto it = successor.find(at);
    if (it == successor.end()) break;
    at = it->second;
  } while (at != start && loop.size() <= successor.size());
  return loop;
}

}  // namespace

HullBuilder::HullBuilder(const std::vector<Vec3<double>>& points) : points_(points) {
  const std::optional<std::array<int, 4>> corners = widest_four();
  if (!corners) return;
  double size = 0;
  for (const Vec3<double>& p : points) size = std::max(size, norm(p - points.front()));
  // Points that nearly coincide may tear the surface: then what is nearer together counts as one plane.
  for (noise_ = kNoise * size; noise_ < kMostNoise * size; noise_ *= 10) {
    triangles_.clear();
    make_first_tetrahedron(*corners);
    if (grow_all()) return;
  }
  throw InternalError("hull: the horizon is not a loop");
}

bool HullBuilder::grow_all() {
  for (std::size_t i = 0; i < triangles_.size(); ++i)
    while (triangles_[i].alive && !triangles_[i].outside.empty())
      if (!grow(static_cast<int>(i))) return false;
  return true;
}

int HullBuilder::add_triangle(int a, int b, int c) {
  Triangle t;
  t.corner = {a, b, c};
  t.neighbour = {-1, -1, -1};
  t.normal = unit_or(cross(point(b) - point(a), point(c) - point(a)), Vec3<double>::unit(2));
  t.offset = dot(t.normal, point(a));
  triangles_.push_back(std::move(t));
  return static_cast<int>(triangles_.size()) - 1;
}

// The first point, the one furthest from it, the one furthest from their line, the one furthest from their plane; none
// where that is no distance.
std::optional<std::array<int, 4>> HullBuilder::widest_four() const {
  if (points_.size() < 4) return std::nullopt;
  std::array<int, 4> four{0, 0, 0, 0};
  const auto furthest = [&](auto&& measure) {
    int best = 0;
    for (int i = 1; i < static_cast<int>(points_.size()); ++i)
      if (measure(point(i)) > measure(point(best))) best = i;
    return best;
  };
  const Vec3<double>& a = point(0);
  four[1] = furthest([&](const Vec3<double>& p) { return norm(p - a); });
  const Vec3<double> ab = unit_or(point(four[1]) - a, Vec3<double>::unit(0));
  four[2] = furthest([&](const Vec3<double>& p) { return norm(cross(p - a, ab)); });
  const double length = norm(point(four[1]) - a);
  if (!(norm(cross(point(four[2]) - a, ab)) > kLeastHeight * length)) return std::nullopt;
  const Vec3<double> n = unit_or(cross(ab, point(four[2]) - a), Vec3<double>::unit(2));
  four[3] = furthest([&](const Vec3<double>& p) { return std::abs(dot(p - a, n)); });
  const double thickness = std::abs(dot(point(four[3]) - a, n));
  if (!(thickness > kLeastHeight * length)) return std::nullopt;
  if (dot(point(four[3]) - a, n) > 0) std::swap(four[1], four[2]);
  return four;
}

void HullBuilder::make_first_tetrahedron(const std::array<int, 4>& corners) {
  const auto [a, b, c, d] = corners;
  add_triangle(a, b, c), add_triangle(a, d, b), add_triangle(b, d, c), add_triangle(c, d, a);
  triangles_[0].neighbour = {1, 2, 3};
  triangles_[1].neighbour = {3, 2, 0};
  triangles_[2].neighbour = {1, 3, 0};
  triangles_[3].neighbour = {2, 1, 0};
  std::vector<int> all(points_.size());
  std::iota(all.begin(), all.end(), 0);
  hand_out(all, 0);
}

void HullBuilder::hand_out(const std::vector<int>& orphans, std::size_t first_triangle) {
  for (const int i : orphans) {
    for (std::size_t t = first_triangle; t < triangles_.size(); ++t) {
      if (!(distance(triangles_[t], i) > noise_)) continue;
      triangles_[t].outside.push_back(i);
      break;
    }
  }
}

int HullBuilder::furthest_outside(const Triangle& t) const {
  return *std::max_element(t.outside.begin(), t.outside.end(),
                           [&](int i, int j) { return distance(t, i) < distance(t, j); });
}

bool HullBuilder::grow(int from) {
  const int apex = furthest_outside(triangle(from));
  find_horizon(from, apex);
  std::vector<int> orphans;
  for (const int v : visible_) {
    Triangle& t = triangle(v);
    for (const int i : t.outside)
      if (i != apex) orphans.push_back(i);
    t.outside.clear();
    t.outside.shrink_to_fit();
  }
  return close_with(apex, orphans);
}

// Everything the apex sees, reached from one triangle: connected, so that its border is one loop.
void HullBuilder::find_horizon(int from, int apex) {
  visible_.assign(1, from);
  triangle(from).alive = false;
  horizon_.clear();
  for (std::size_t next_visible = 0; next_visible < visible_.size(); ++next_visible) {
    const int v = visible_[next_visible];
    for (int k = 0; k < 3; ++k) {
      const auto edge = static_cast<std::size_t>(k);
      const int n = triangle(v).neighbour[edge];
      if (!triangle(n).alive) continue;
      // What lies in one plane with the apex goes too: a triangle from an edge in line with it would have no normal.
      if (distance(triangle(n), apex) > -noise_) {
        triangle(n).alive = false;
        visible_.push_back(n);
      }
    }
  }
  for (const int v : visible_) {
    const Triangle& t = triangle(v);
    for (int k = 0; k < 3; ++k) {
      const int n = t.neighbour[static_cast<std::size_t>(k)];
      if (triangle(n).alive)
        horizon_.push_back({t.corner[static_cast<std::size_t>(k)], t.corner[static_cast<std::size_t>(next(k))], n});
    }
  }
}

bool HullBuilder::close_with(int apex, std::vector<int>& orphans) {
  const std::size_t first = triangles_.size();
  std::map<int, int> starting_at;  // horizon corner -> the new triangle whose edge starts there
  for (const HorizonEdge& e : horizon_) {
    const int t = add_triangle(e.from, e.to, apex);
    if (!starting_at.emplace(e.from, t).second) return false;  // two loops that meet in a corner
    triangle(t).neighbour[0] = e.beyond;
    Triangle& beyond = triangle(e.beyond);
    for (std::size_t k = 0; k < 3; ++k)
      if (beyond.corner[k] == e.to && beyond.corner[(k + 1) % 3] == e.from) beyond.neighbour[k] = t;
  }
  for (std::size_t t = first; t < triangles_.size(); ++t) {
    const auto follower = starting_at.find(triangles_[t].corner[1]);
    if (follower == starting_at.end()) return false;
    if (triangle(follower->second).neighbour[2] >= 0) return false;
    triangles_[t].neighbour[1] = follower->second;
    triangle(follower->second).neighbour[2] = static_cast<int>(t);
  }
  hand_out(orphans, first);
  return true;
}

std::vector<std::array<int, 3>> HullBuilder::triangles() const {
  std::vector<std::array<int, 3>> result;
  for (const Triangle& t : triangles_)
    if (t.alive) result.push_back(t.corner);
  return result;
}

std::vector<HullBuilder::Polygon> HullBuilder::polygons() const {
  constexpr double kSamePlane = 1e-9;  // sine between the normals
  Groups groups(triangles_.size());
  const auto each_edge = [&](auto&& visit) {
    for (std::size_t t = 0; t < triangles_.size(); ++t)
      for (std::size_t k = 0; triangles_[t].alive && k < 3; ++k) visit(static_cast<int>(t), k);
  };
  each_edge([&](int t, std::size_t k) {
    const Triangle& a = triangles_[static_cast<std::size_t>(t)];
    const Triangle& b = triangles_[static_cast<std::size_t>(a.neighbour[k])];
    if (dot(a.normal, b.normal) > 0 && norm(cross(a.normal, b.normal)) < kSamePlane) groups.join(t, a.neighbour[k]);
  });
  std::map<int, std::map<int, int>> borders;
  each_edge([&](int t, std::size_t k) {
    const Triangle& a = triangles_[static_cast<std::size_t>(t)];
    if (groups.root(t) != groups.root(a.neighbour[k])) borders[groups.root(t)][a.corner[k]] = a.corner[(k + 1) % 3];
  });
  std::vector<Polygon> result;
  for (const auto& [root, border] : borders) {
    const Triangle& t = triangles_[static_cast<std::size_t>(root)];
    result.push_back({t.normal, t.offset, closed_loop(border)});
  }
  return result;
}

}  // namespace lipkin
