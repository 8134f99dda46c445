#include "io/hulls/solid_cells.hpp"

#include <algorithm>
#include <cmath>

#include "io/hulls/polygon_clip.hpp"

namespace lipkin {
namespace {

// Cells that triangles go through, counted once for each triangle: what marking them costs.
constexpr double kMaxMarks = 8e6;
constexpr float kFar = 1e18F;

// Of all triangles together.
struct Extent {
  double area = 0, length = 0;  // [m^2], of their sides [m]
};

Extent extent_of(const ShapeMesh& mesh) {
  Extent sum;
  for (const std::array<int, 3>& t : mesh.triangles) {
    const auto side = [&](std::size_t k) -> Eigen::Vector3d {
      return mesh.vertices[static_cast<std::size_t>(t[(k + 1) % 3])] - mesh.vertices[static_cast<std::size_t>(t[k])];
    };
    sum.area += side(0).cross(side(1)).norm() / 2;
    sum.length += side(0).norm() + side(1).norm() + side(2).norm();
  }
  return sum;
}

// The lower envelope of the parabolas f(p) + (q - p)^2 at every q (Felzenszwalb and Huttenlocher, Distance Transforms
// of Sampled Functions, 2012, section 2).
class LowerEnvelope {
 public:
  void apply(std::vector<float>& f) {
    const std::size_t n = f.size();
    place_.clear(), from_.clear();
    for (std::size_t q = 0; q < n; ++q) {
      if (f[q] >= kFar) continue;
      float start = -kFar;
      while (!place_.empty() && (start = meet(f, place_.back(), q)) <= from_.back())
        place_.pop_back(), from_.pop_back();
      place_.push_back(q);
      from_.push_back(place_.size() == 1 ? -kFar : start);
    }
    if (place_.empty()) return;
    result_.resize(n);
    for (std::size_t q = 0, k = 0; q < n; ++q) {
      while (k + 1 < place_.size() && from_[k + 1] < static_cast<float>(q)) ++k;
      const float d = static_cast<float>(q) - static_cast<float>(place_[k]);
      result_[q] = d * d + f[place_[k]];
    }
    f.swap(result_);
  }

 private:
  static float meet(const std::vector<float>& f, std::size_t p, std::size_t q) {
    const auto x = static_cast<float>(p), y = static_cast<float>(q);
    return ((f[q] + y * y) - (f[p] + x * x)) / (2 * (y - x));
  }

  std::vector<std::size_t> place_;
  std::vector<float> from_, result_;
};

// The cells from the lowest to the highest point along an axis.
std::array<int, 2> span_of(const PolygonPoints& polygon, int axis, int count) {
  double low = polygon[0][axis], high = low;
  for (const Eigen::Vector3d& p : polygon) low = std::min(low, p[axis]), high = std::max(high, p[axis]);
  const auto cell = [&](double x) { return std::clamp(static_cast<int>(std::floor(x)), 0, count - 1); };
  return {cell(low), cell(high)};
}

}  // namespace

SolidCells::SolidCells(const ShapeMesh& mesh) {
  choose_size(mesh);
  cells_.assign(static_cast<std::size_t>(counts_[0]) * static_cast<std::size_t>(counts_[1]) *
                    static_cast<std::size_t>(counts_[2]),
                Cell::kUnknown);
  for (const std::array<int, 3>& t : mesh.triangles)
    mark({mesh.vertices[static_cast<std::size_t>(t[0])], mesh.vertices[static_cast<std::size_t>(t[1])],
          mesh.vertices[static_cast<std::size_t>(t[2])]});
  flood();
  measure();
}

void SolidCells::choose_size(const ShapeMesh& mesh) {
  Eigen::Vector3d low = mesh.vertices[0], high = low;
  for (const std::array<int, 3>& t : mesh.triangles)
    for (const int k : t) {
      low = low.cwiseMin(mesh.vertices[static_cast<std::size_t>(k)]);
      high = high.cwiseMax(mesh.vertices[static_cast<std::size_t>(k)]);
    }
  const double longest = (high - low).maxCoeff();
  const Extent extent = extent_of(mesh);
  int along = kMostAlong;
  const auto marks = [&] {
    const double cells = along / longest;  // per length [1/m]
    return 3 * cells * (cells * extent.area + extent.length);
  };
  while (along > 4 && marks() > kMaxMarks) along /= 2;
  size_ = longest / along;
  // A whole cell of outside all around, and faces of the mesh in the middle of cells rather than between them.
  origin_ = low - Eigen::Vector3d::Constant(1.5 * size_);
  for (int a = 0; a < 3; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    counts_[axis] = static_cast<int>(std::ceil((high[a] - low[a]) / size_ - 1e-9)) + 3;
  }
}

int SolidCells::cell_along(int axis, double x) const {
  const double cell = std::floor((x - origin_[axis]) / size_);
  return static_cast<int>(std::clamp(cell, 0.0, counts_[static_cast<std::size_t>(axis)] - 1.0));
}

// Layer by layer, row by row, cell by cell.
void SolidCells::mark(const std::array<Eigen::Vector3d, 3>& corners) {
  PolygonPoints whole, layer, row, half;
  for (const Eigen::Vector3d& p : corners) whole.push_back((p - origin_) / size_);
  const std::array<int, 2> layers = span_of(whole, 2, counts_[2]);
  for (int k = layers[0]; k <= layers[1]; ++k) {
    clip(whole, 2, k, 1, half), clip(half, 2, k + 1, -1, layer);
    if (layer.empty()) continue;
    const std::array<int, 2> rows = span_of(layer, 1, counts_[1]);
    for (int j = rows[0]; j <= rows[1]; ++j) {
      clip(layer, 1, j, 1, half), clip(half, 1, j + 1, -1, row);
      if (row.empty()) continue;
      const std::array<int, 2> run = span_of(row, 0, counts_[0]);
      for (int i = run[0]; i <= run[1]; ++i) cells_[index(i, j, k)] = Cell::kSurface;
    }
  }
}

void SolidCells::flood() {
  std::vector<std::array<int, 3>> to_visit = {{0, 0, 0}};
  cells_[0] = Cell::kOutside;
  while (!to_visit.empty()) {
    const std::array<int, 3> from = to_visit.back();
    to_visit.pop_back();
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const int step : {-1, 1}) {
        std::array<int, 3> to = from;
        to[axis] += step;
        if (to[axis] < 0 || to[axis] >= counts_[axis]) continue;
        Cell& cell = cells_[index(to[0], to[1], to[2])];
        if (cell != Cell::kUnknown) continue;
        cell = Cell::kOutside;
        to_visit.push_back(to);
      }
  }
  std::replace(cells_.begin(), cells_.end(), Cell::kUnknown, Cell::kInside);
}

void SolidCells::measure() {
  distance_.resize(cells_.size());
  for (std::size_t c = 0; c < cells_.size(); ++c) distance_[c] = cells_[c] == Cell::kOutside ? kFar : 0;
  for (int axis = 0; axis < 3; ++axis) measure_along(axis);
  for (float& d : distance_) d = std::sqrt(d);
}

void SolidCells::measure_along(int axis) {
  const int a = (axis + 1) % 3, b = (axis + 2) % 3;
  const auto count = [&](int k) { return counts_[static_cast<std::size_t>(k)]; };
  std::vector<float> line(static_cast<std::size_t>(count(axis)));
  LowerEnvelope envelope;
  std::array<int, 3> at{};
  const auto cell = [&](std::size_t q) -> float& {
    at[static_cast<std::size_t>(axis)] = static_cast<int>(q);
    return distance_[index(at[0], at[1], at[2])];
  };
  for (int j = 0; j < count(b); ++j)
    for (int i = 0; i < count(a); ++i) {
      at[static_cast<std::size_t>(a)] = i, at[static_cast<std::size_t>(b)] = j;
      for (std::size_t q = 0; q < line.size(); ++q) line[q] = cell(q);
      envelope.apply(line);
      for (std::size_t q = 0; q < line.size(); ++q) cell(q) = line[q];
    }
}

}  // namespace lipkin
