#include "io/hulls/convex_decomposition.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "io/hulls/boxed_solid.hpp"
#include "io/hulls/cut_choice.hpp"
#include "io/hulls/hull_points.hpp"
#include "model/convex_hull.hpp"
#include "model/shape_mass.hpp"

namespace lipkin {
namespace {

using Points = std::vector<Eigen::Vector3d>;

struct Hull {
  Points points;
  Eigen::Vector3d low, high;  // bounds [m]
  double depth = 0;           // how far it reaches beyond the solid [m]
};

struct Part {
  CutBox box;
  CellRange cells;
  std::vector<int> triangles;
  Hull hull;
  bool is_whole = false;  // cannot be cut
};

// Seen from outside counter-clockwise, as far as its volume tells.
ShapeMesh turned_outside_out(const ShapeMesh& mesh) {
  double volume = 0;
  for (const std::array<int, 3>& t : mesh.triangles) {
    const auto p = [&](std::size_t k) { return mesh.vertices[static_cast<std::size_t>(t[k])] - mesh.vertices[0]; };
    volume += p(0).dot(p(1).cross(p(2)));
  }
  ShapeMesh result = mesh;
  if (volume < 0)
    for (std::array<int, 3>& t : result.triangles) std::swap(t[1], t[2]);
  return result;
}

class Decomposer {
 public:
  Decomposer(const ShapeMesh& mesh, double tolerance, int max_hulls)
      : mesh_(turned_outside_out(mesh)),
        is_closed_(is_closed(mesh_)),
        cells_(mesh_),
        solid_(mesh_, cells_),
        choice_(mesh_, cells_),
        tolerance_(tolerance),
        max_hulls_(static_cast<std::size_t>(max_hulls)) {}

  Decomposition run(const Points& whole) {
    split_all(whole);
    merge_all();
    Decomposition result;
    result.tolerance = tolerance_;
    for (Hull& hull : hulls_) {
      result.depth = std::max(result.depth, hull.depth);
      result.hulls.push_back(std::move(hull.points));
    }
    return result;
  }

 private:
  // Until every hull is good enough or there are twice as many as wanted, which merging makes fewer.
  void split_all(const Points& whole) {
    Part first;
    first.cells.high = cells_.counts();
    first.triangles.resize(mesh_.triangles.size());
    std::iota(first.triangles.begin(), first.triangles.end(), 0);
    first.hull = measured(whole);
    std::vector<Part> parts = {std::move(first)};
    while (parts.size() < 2 * max_hulls_ && max_hulls_ > 1) {
      const auto worst = std::max_element(parts.begin(), parts.end(), [&](const Part& a, const Part& b) {
        return still_to_gain(a) < still_to_gain(b);
      });
      if (still_to_gain(*worst) <= tolerance_) break;
      split(static_cast<std::size_t>(worst - parts.begin()), parts);
    }
    for (Part& part : parts) hulls_.push_back(std::move(part.hull));
  }

  static double still_to_gain(const Part& part) { return part.is_whole ? 0 : part.hull.depth; }

  void split(std::size_t index, std::vector<Part>& parts) const {
    const std::optional<Cut> cut = choice_.best_cut(parts[index].cells);
    std::optional<Part> lower, upper;
    if (cut) {
      lower = piece(parts[index], *cut, false);
      upper = piece(parts[index], *cut, true);
    }
    if (!lower && !upper) {
      parts[index].is_whole = true;
      return;
    }
    parts[index] = std::move(lower ? *lower : *upper);
    if (lower && upper) parts.push_back(std::move(*upper));
  }

  std::optional<Part> piece(const Part& part, const Cut& cut, bool is_upper) const {
    Part result;
    result.box = part.box;
    result.cells = part.cells;
    (is_upper ? result.box.low : result.box.high)[cut.axis] = cut.at;
    (is_upper ? result.cells.low : result.cells.high)[static_cast<std::size_t>(cut.axis)] = cut.cell;
    result.triangles = solid_.triangles_in(result.box, part.triangles);
    const Points corners = solid_.corners_in(result.box, result.triangles);
    if (corners.size() < 3) return std::nullopt;
    Points points = hull_points(corners).points;
    if (points.empty() && is_closed_) return std::nullopt;  // a face between two pieces
    result.hull = measured(points.empty() ? thickened(corners) : points);
    return result;
  }

  // A flat piece of an open surface, made half a cell thick.
  Points thickened(const Points& corners) const {
    Eigen::Vector3d mean = Eigen::Vector3d::Zero();
    for (const Eigen::Vector3d& p : corners) mean += p / static_cast<double>(corners.size());
    Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
    for (const Eigen::Vector3d& p : corners) spread += (p - mean) * (p - mean).transpose();
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes(spread);
    Points points;
    for (const Eigen::Vector3d& p : corners)
      for (int axis = 0; axis < 3; ++axis)
        for (const double side : {-0.25, 0.25})
          points.push_back(p + side * cells_.size() * axes.eigenvectors().col(axis));
    return hull_points(points).points;
  }

  Hull measured(const Points& points) const {
    Hull hull{points, points[0], points[0], 0};
    for (const Eigen::Vector3d& p : points) hull.low = hull.low.cwiseMin(p), hull.high = hull.high.cwiseMax(p);
    hull.depth = depth(hull);
    return hull;
  }

  // The greatest distance from the solid in a hull: row by row of cells, between the planes of the hull's faces.
  double depth(const Hull& hull) const {
    struct Plane {
      Eigen::Vector3d normal;
      double offset;
    };
    std::vector<Plane> planes;
    const double least_area = 1e-10 * (hull.high - hull.low).squaredNorm();  // smaller ones are points in a line
    for (const std::array<int, 3>& t : convex_hull(hull.points)) {
      const auto p = [&](std::size_t k) { return hull.points[static_cast<std::size_t>(t[k])]; };
      const Eigen::Vector3d normal = (p(1) - p(0)).cross(p(2) - p(0));
      if (normal.norm() > least_area) planes.push_back({normal, normal.dot(p(0))});
    }
    const auto middle = [&](int axis, int cell) { return cells_.bound(axis, cell) + cells_.size() / 2; };
    double deepest = 0;
    for (int k = cells_.cell_along(2, hull.low.z()); k <= cells_.cell_along(2, hull.high.z()); ++k)
      for (int j = cells_.cell_along(1, hull.low.y()); j <= cells_.cell_along(1, hull.high.y()); ++j) {
        double from = hull.low.x(), to = hull.high.x();
        for (const Plane& plane : planes) {
          const double room = plane.offset - plane.normal.y() * middle(1, j) - plane.normal.z() * middle(2, k);
          const double slope = plane.normal.x();
          if (slope > 0) to = std::min(to, room / slope);
          if (slope < 0) from = std::max(from, room / slope);
          if (slope == 0 && room < 0) to = from - 1;
        }
        for (int i = cells_.cell_along(0, from); i <= cells_.cell_along(0, to); ++i)
          if (middle(0, i) >= from && middle(0, i) <= to) deepest = std::max(deepest, cells_.depth_outside(i, j, k));
      }
    return deepest;
  }

  struct Pair {
    std::size_t a, b;
    Hull hull;  // of both
  };

  // The pair that loses least first, as long as it stays good enough or there are too many.
  void merge_all() {
    is_gone_.assign(hulls_.size(), false);
    for (std::size_t b = 1; b < hulls_.size(); ++b) add_pairs(b, b, false);
    while (true) {
      const auto left = static_cast<std::size_t>(std::count(is_gone_.begin(), is_gone_.end(), false));
      if (pairs_.empty() && left > max_hulls_)  // pieces far from each other
        for (std::size_t b = 1; b < hulls_.size(); ++b) add_pairs(b, b, true);
      if (pairs_.empty() || !merge_best(left > max_hulls_)) break;
    }
    std::vector<Hull> kept;
    for (std::size_t i = 0; i < hulls_.size(); ++i)
      if (!is_gone_[i]) kept.push_back(std::move(hulls_[i]));
    hulls_ = std::move(kept);
  }

  // Of hull `a` and those before `end` that are left.
  void add_pairs(std::size_t a, std::size_t end, bool also_far) {
    if (is_gone_[a]) return;
    for (std::size_t b = 0; b < end; ++b)
      if (b != a && !is_gone_[b] && (also_far || are_close(hulls_[a], hulls_[b])))
        pairs_.push_back({std::min(a, b), std::max(a, b), merged(hulls_[a], hulls_[b])});
  }

  bool merge_best(bool even_if_worse) {
    const auto best = std::min_element(pairs_.begin(), pairs_.end(),
                                       [](const Pair& p, const Pair& q) { return p.hull.depth < q.hull.depth; });
    const std::size_t a = best->a, b = best->b;
    if (best->hull.depth > std::max({tolerance_, hulls_[a].depth, hulls_[b].depth}) && !even_if_worse) return false;
    hulls_[a] = std::move(best->hull);
    is_gone_[b] = true;
    std::erase_if(pairs_, [&](const Pair& p) { return p.a == a || p.b == a || p.a == b || p.b == b; });
    add_pairs(a, hulls_.size(), false);
    return true;
  }

  bool are_close(const Hull& a, const Hull& b) const {
    const Eigen::Vector3d gap = (a.low - b.high).cwiseMax(b.low - a.high);
    return gap.maxCoeff() <= cells_.size();
  }

  Hull merged(const Hull& a, const Hull& b) const {
    Points both = a.points;
    both.insert(both.end(), b.points.begin(), b.points.end());
    return measured(hull_points(both).points);
  }

  ShapeMesh mesh_;
  bool is_closed_;
  SolidCells cells_;
  BoxedSolid solid_;
  CutChoice choice_;
  double tolerance_;
  std::size_t max_hulls_;
  std::vector<Hull> hulls_;
  std::vector<Pair> pairs_;    // that could be one
  std::vector<bool> is_gone_;  // merged into another
};

}  // namespace

Decomposition decompose(const ShapeMesh& mesh, const DecompositionOptions& options, const std::string& shown_name) {
  const HullPoints whole = hull_of(mesh, shown_name);
  Eigen::Vector3d low = whole.points[0], high = low;
  for (const Eigen::Vector3d& p : whole.points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  const double tolerance = options.tolerance * (high - low).norm();
  return Decomposer(mesh, tolerance, options.max_hulls).run(whole.points);
}

}  // namespace lipkin
