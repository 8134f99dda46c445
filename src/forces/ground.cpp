#include "forces/ground.hpp"

#include <algorithm>
#include <cmath>

namespace lipkin {

namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

// Planes steeper than this are walls, not ground.
constexpr double kLeastUpward = 0.1;

// Each: how far along `up` from p (both in the shape's frame) the surface lies; kNothing where it does not.
struct SurfaceAbove {
  Vec3<double> p, up;

  double operator()(const ShapePlane&) const { return up[2] >= kLeastUpward ? -p[2] / up[2] : kNothing; }

  // The upper end of the line's part within the box (slab method).
  double operator()(const ShapeBox& box) const {
    double low = kNothing, high = -kNothing;
    for (int k = 0; k < 3; ++k) {
      const double half = 0.5 * box.size[k];
      if (std::abs(up[k]) < 1e-12) {
        if (std::abs(p[k]) > half) return kNothing;
        continue;
      }
      const double a = (-half - p[k]) / up[k], b = (half - p[k]) / up[k];
      low = std::max(low, std::min(a, b));
      high = std::min(high, std::max(a, b));
    }
    return low <= high ? high : kNothing;
  }

  // The two triangles of a cell meet along the diagonal from its first corner, as they do for contacts.
  double operator()(const ShapeHeightField& field) const {
    const double u = (p[0] / field.size_x + 0.5) * (field.columns - 1);
    const double v = (p[1] / field.size_y + 0.5) * (field.rows - 1);
    if (!(u >= 0 && u <= field.columns - 1 && v >= 0 && v <= field.rows - 1)) return kNothing;
    const int column = std::min(static_cast<int>(u), field.columns - 2);
    const int row = std::min(static_cast<int>(v), field.rows - 2);
    const double* low = &field.heights[static_cast<std::size_t>(row) * field.columns + column];
    const double* high = low + field.columns;
    const double du = u - column, dv = v - row;
    const double z = dv > du ? low[0] + du * (high[1] - high[0]) + dv * (high[0] - low[0])
                             : low[0] + du * (low[1] - low[0]) + dv * (high[1] - low[1]);
    return z - p[2];
  }

  template <class Other>
  double operator()(const Other&) const {
    return kNothing;
  }
};

}  // namespace

std::optional<double> ground_above(const ModelData& model, const Vec3<double>& p, double reach) {
  double highest = kNothing;
  for (const GroundData& ground : model.ground) {
    const SurfaceAbove line{transpose_times(ground.X_WS.R, p - ground.X_WS.p),
                            transpose_times(ground.X_WS.R, model.up)};
    const double above = std::visit(line, ground.geometry);
    if (above <= reach) highest = std::max(highest, above);
  }
  return highest > kNothing ? std::optional<double>(highest) : std::nullopt;
}

}  // namespace lipkin
