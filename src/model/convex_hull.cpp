#include "model/convex_hull.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace lipkin {

namespace {

using Points = std::vector<Eigen::Vector3d>;

// Nearer to a face than this share of the points' extent, a point lies in it: above the rounding of a plane through
// three points of that extent.
constexpr double kFlatness = 1e-12;
// A tetrahedron lower than this share of its extent encloses no volume that rounding would leave.
constexpr double kLeastHeight = 1e-9;

double extent_of(const Points& points) {
  Eigen::Vector3d low = points[0], high = points[0];
  for (const Eigen::Vector3d& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  return (high - low).maxCoeff();
}

template <class Measure>
int farthest(const Points& points, Measure&& measure) {
  int best = 0;
  for (std::size_t i = 1; i < points.size(); ++i)
    if (measure(points[i]) > measure(points[best])) best = static_cast<int>(i);
  return best;
}

struct Face {
  std::array<int, 3> corner;
  Eigen::Vector3d normal;  // unit, outward
  double offset = 0;       // normal . p <= offset inside

  double height(const Eigen::Vector3d& p) const { return normal.dot(p) - offset; }
};

Face face_through(const Points& points, int a, int b, int c) {
  const Eigen::Vector3d normal = (points[b] - points[a]).cross(points[c] - points[a]).normalized();
  return {{a, b, c}, normal, normal.dot(points[a])};
}

// Four points far from one another, as faces that look outward; empty where all points are flat.
std::vector<Face> first_tetrahedron(const Points& points, double extent) {
  const int a = farthest(points, [&](const Eigen::Vector3d& p) { return p.x(); });
  const int b = farthest(points, [&](const Eigen::Vector3d& p) { return (p - points[a]).squaredNorm(); });
  const Eigen::Vector3d line = (points[b] - points[a]).normalized();
  const auto from_line = [&](const Eigen::Vector3d& p) { return (p - points[a]).cross(line).norm(); };
  int c = farthest(points, from_line);
  if (!(from_line(points[c]) > kLeastHeight * extent)) return {};
  const Eigen::Vector3d normal = line.cross(points[c] - points[a]).normalized();
  const auto from_plane = [&](const Eigen::Vector3d& p) { return std::abs(normal.dot(p - points[a])); };
  const int d = farthest(points, from_plane);
  if (!(from_plane(points[d]) > kLeastHeight * extent)) return {};
  int first = a, second = b;
  if (normal.dot(points[d] - points[a]) > 0) std::swap(first, second);
  return {face_through(points, first, second, c), face_through(points, second, first, d),
          face_through(points, c, second, d), face_through(points, first, c, d)};
}

// Replaces the faces that the point sees by the cone from the point to the edge of what it sees.
void add_point(const Points& points, int i, double tolerance, std::vector<Face>& faces) {
  const auto sees = [&](const Face& face) { return face.height(points[i]) > tolerance; };
  if (std::none_of(faces.begin(), faces.end(), sees)) return;
  std::vector<Face> kept;
  std::set<std::pair<int, int>> edges;  // of the faces seen, in their direction
  for (const Face& face : faces) {
    if (!sees(face)) {
      kept.push_back(face);
      continue;
    }
    for (int k = 0; k < 3; ++k) edges.emplace(face.corner[k], face.corner[(k + 1) % 3]);
  }
  for (const auto& [from, to] : edges)
    if (!edges.contains({to, from})) kept.push_back(face_through(points, from, to, i));
  faces = std::move(kept);
}

}  // namespace

std::vector<std::array<int, 3>> convex_hull(const Points& points) {
  if (points.size() < 4) return {};
  const double extent = extent_of(points);
  if (!(extent > 0)) return {};
  std::vector<Face> faces = first_tetrahedron(points, extent);
  if (faces.empty()) return {};
  for (std::size_t i = 0; i < points.size(); ++i) add_point(points, static_cast<int>(i), kFlatness * extent, faces);
  std::vector<std::array<int, 3>> triangles;
  for (const Face& face : faces) triangles.push_back(face.corner);
  return triangles;
}

}  // namespace lipkin
