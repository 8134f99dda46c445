#include "io/hulls/cut_choice.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "model/convex_hull.hpp"

namespace lipkin {
namespace {

constexpr int kEvenCuts = 8;      // along an axis, before the best is refined
constexpr int kFaceCuts = 8;      // along the largest faces across an axis
constexpr double kUneven = 0.02;  // what the difference of two pieces counts beside their sum

// From a corner of the grid to the signed volumes of tetrahedra over the triangles.
double enclosed_volume(const std::vector<Eigen::Vector3d>& points) {
  double six = 0;
  for (const std::array<int, 3>& t : convex_hull(points)) {
    const auto p = [&](std::size_t k) { return points[static_cast<std::size_t>(t[k])] - points[0]; };
    six += p(0).dot(p(1).cross(p(2)));
  }
  return six / 6;
}

// Adds the corners of the hull of points in a plane z, given with rising y and for each the least and greatest x:
// the chains on both sides (Andrew 1979).
class OutlinePoints {
 public:
  void add_row(double y, double least, double most) {
    push(left_, {least, y}, 1);
    push(right_, {most, y}, -1);
  }
  void take(double z, std::vector<Eigen::Vector3d>& points) {
    for (std::vector<Eigen::Vector2d>* chain : {&left_, &right_}) {
      for (const Eigen::Vector2d& p : *chain) points.emplace_back(p.x(), p.y(), z);
      chain->clear();
    }
  }

 private:
  static void push(std::vector<Eigen::Vector2d>& chain, const Eigen::Vector2d& p, double side) {
    while (chain.size() >= 2) {
      const Eigen::Vector2d along = chain.back() - chain[chain.size() - 2], on = p - chain.back();
      if (side * (along.x() * on.y() - along.y() * on.x()) < 0) break;
      chain.pop_back();
    }
    chain.push_back(p);
  }
  std::vector<Eigen::Vector2d> left_, right_;
};

// For the rows of cells in a range: from where to where they are solid; from > to: nowhere.
class SolidRuns {
 public:
  struct Run {
    int from = 1 << 20, to = -1;
    void include(const Run& other) { from = std::min(from, other.from), to = std::max(to, other.to); }
  };

  SolidRuns(const SolidCells& cells, const CellRange& range) : range_(range) {
    for (int k = range.low[2]; k < range.high[2]; ++k)
      for (int j = range.low[1]; j < range.high[1]; ++j) runs_.push_back(find(cells, range, j, k));
  }

  // Of the up to four rows around a line of the lattice.
  Run around(int j, int k) const {
    Run run;
    for (const int b : {k - 1, k})
      for (const int a : {j - 1, j})
        if (a >= range_.low[1] && a < range_.high[1] && b >= range_.low[2] && b < range_.high[2])
          run.include(runs_[static_cast<std::size_t>((b - range_.low[2]) * (range_.high[1] - range_.low[1]) + a -
                                                     range_.low[1])]);
    return run;
  }

 private:
  static Run find(const SolidCells& cells, const CellRange& range, int j, int k) {
    Run run;
    for (run.from = range.low[0]; run.from < range.high[0] && !cells.is_solid(run.from, j, k);) ++run.from;
    if (run.from == range.high[0]) return {};
    for (run.to = range.high[0]; !cells.is_solid(run.to - 1, j, k);) --run.to;
    return run;
  }

  CellRange range_;
  std::vector<Run> runs_;
};

}  // namespace

CutChoice::CutChoice(const ShapeMesh& mesh, const SolidCells& cells) : cells_(cells) {
  for (int axis = 0; axis < 3; ++axis) collect_faces(mesh, axis);
}

void CutChoice::collect_faces(const ShapeMesh& mesh, int axis) {
  std::map<double, double> area_at;
  const double noise = 1e-7 * cells_.size();
  for (const std::array<int, 3>& t : mesh.triangles) {
    const auto corner = [&](std::size_t k) { return mesh.vertices[static_cast<std::size_t>(t[k])]; };
    const double x = corner(0)[axis];
    if (std::abs(corner(1)[axis] - x) > noise || std::abs(corner(2)[axis] - x) > noise) continue;
    area_at[x] += (corner(1) - corner(0)).cross(corner(2) - corner(0))[axis] / 2;
  }
  const auto a = static_cast<std::size_t>(axis);
  faces_[a].resize(static_cast<std::size_t>(cells_.counts()[a]) + 1);
  for (const auto& [x, area] : area_at) {
    const int bound = cells_.cell_along(axis, x) + (area > 0 ? 1 : 0);  // the face's cells stay with what they bound
    Face& face = faces_[a][static_cast<std::size_t>(bound)];
    if (std::abs(area) > face.area) face = {x, std::abs(area)};
  }
}

std::vector<int> CutChoice::candidates(const CellRange& range, int axis) const {
  const auto a = static_cast<std::size_t>(axis);
  std::vector<int> by_area;
  std::set<int> chosen;
  const int extent = range.high[a] - range.low[a], stride = std::max(1, extent / kEvenCuts);
  for (int cell = range.low[a] + stride; cell < range.high[a]; cell += stride) chosen.insert(cell);
  for (int cell = range.low[a] + 1; cell < range.high[a]; ++cell)
    if (faces_[a][static_cast<std::size_t>(cell)].area > 0) by_area.push_back(cell);
  std::stable_sort(by_area.begin(), by_area.end(), [&](int p, int q) {
    return faces_[a][static_cast<std::size_t>(p)].area > faces_[a][static_cast<std::size_t>(q)].area;
  });
  by_area.resize(std::min<std::size_t>(by_area.size(), kFaceCuts));
  chosen.insert(by_area.begin(), by_area.end());
  return {chosen.begin(), chosen.end()};
}

double CutChoice::hull_volume(const CellRange& range) const {
  const SolidRuns runs(cells_, range);
  std::vector<Eigen::Vector3d> points;
  OutlinePoints outline;
  for (int k = range.low[2]; k <= range.high[2]; ++k) {
    for (int j = range.low[1]; j <= range.high[1]; ++j)
      if (const SolidRuns::Run run = runs.around(j, k); run.from <= run.to) outline.add_row(j, run.from, run.to);
    outline.take(k, points);
  }
  return points.empty() ? 0 : enclosed_volume(points);
}

Cut CutChoice::cut_at(const CellRange& range, int axis, int cell) const {
  const auto a = static_cast<std::size_t>(axis);
  CellRange lower = range, upper = range;
  lower.high[a] = upper.low[a] = cell;
  const double below = hull_volume(lower), above = hull_volume(upper);
  const Face& face = faces_[a][static_cast<std::size_t>(cell)];
  return {axis, cell, face.area > 0 ? face.at : cells_.bound(axis, cell),
          below + above + kUneven * std::abs(below - above)};
}

std::optional<Cut> CutChoice::best_cut(const CellRange& range) const {
  std::optional<Cut> best;
  const auto offer = [&](int axis, int cell) {
    const Cut cut = cut_at(range, axis, cell);
    if (!best || cut.cost < best->cost) best = cut;
  };
  for (int axis = 0; axis < 3; ++axis)
    for (const int cell : candidates(range, axis)) offer(axis, cell);
  if (!best) return best;
  const auto a = static_cast<std::size_t>(best->axis);
  for (int stride = (range.high[a] - range.low[a]) / kEvenCuts / 2; stride >= 1; stride /= 2)
    for (const int cell : {best->cell - stride, best->cell + stride})
      if (cell > range.low[a] && cell < range.high[a]) offer(static_cast<int>(a), cell);
  return best;
}

}  // namespace lipkin
