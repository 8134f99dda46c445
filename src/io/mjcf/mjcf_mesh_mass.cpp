#include <fmt/format.h>

#include <cmath>

#include "io/mjcf/mjcf_mesh.hpp"
#include "model/convex_hull.hpp"

namespace lipkin {
namespace {

struct Facet {
  Eigen::Vector3d center, normal;
  double area = 0;
};

Facet facet_of(const std::array<Eigen::Vector3d, 3>& v) {
  Facet facet;
  facet.center = (v[0] + v[1] + v[2]) / 3;
  facet.normal = (v[1] - v[0]).cross(v[2] - v[0]);
  const double length = facet.normal.norm();
  facet.area = length / 2;
  if (length > kMjMinimum) facet.normal /= length;
  return facet;
}

std::array<Eigen::Vector3d, 3> corners(const ShapeMesh& mesh, const std::array<int, 3>& triangle) {
  return {at(mesh.vertices, triangle[0]), at(mesh.vertices, triangle[1]), at(mesh.vertices, triangle[2])};
}

// Second moments of a tetrahedron with one corner at the origin, or of a triangle, of the given measure: the mean of
// the products of coordinates is sum_ij (1 + delta_ij) v_i v_j / n with n = 20 or 12 (Tonon 2004).
Eigen::Matrix3d second_moments(const std::array<Eigen::Vector3d, 3>& v, double measure, double n) {
  const Eigen::Vector3d sum = v[0] + v[1] + v[2];
  Eigen::Matrix3d P = sum * sum.transpose();
  for (const Eigen::Vector3d& each : v) P += each * each.transpose();
  return measure / n * P;
}

MeshMass finished(double measure, const Eigen::Vector3d& com, const Eigen::Matrix3d& P) {
  MeshMass result;
  result.volume = measure;
  result.unit.mass = measure;
  result.unit.com = com;
  result.unit.inertia = P.trace() * Eigen::Matrix3d::Identity() - P;
  return result;
}

MeshMass shell_mass(const ShapeMesh& mesh, const Eigen::Vector3d& center, double area) {
  Eigen::Matrix3d P = Eigen::Matrix3d::Zero();
  for (const std::array<int, 3>& triangle : mesh.triangles) {
    std::array<Eigen::Vector3d, 3> v = corners(mesh, triangle);
    const double a = facet_of(v).area;
    for (Eigen::Vector3d& each : v) each -= center;
    P += second_moments(v, a, 12);
  }
  return finished(area, center, P);
}

MeshMass solid_mass(const ShapeMesh& mesh, const Eigen::Vector3d& center, bool is_signed) {
  const auto volume_over = [&](const Facet& facet, const Eigen::Vector3d& apex) {
    const double volume = (facet.center - apex).dot(facet.normal) * facet.area / 3;
    return is_signed ? volume : std::abs(volume);
  };
  double volume = 0;
  Eigen::Vector3d com = Eigen::Vector3d::Zero();
  for (const std::array<int, 3>& triangle : mesh.triangles) {
    const Facet facet = facet_of(corners(mesh, triangle));
    const double v = volume_over(facet, center);
    volume += v;
    com += v * (0.75 * facet.center + 0.25 * center);
  }
  if (!(std::abs(volume) > kMjMinimum)) return {};
  com /= volume;
  volume = 0;  // counted again from there: what a surface with hollows has depends on it
  Eigen::Matrix3d P = Eigen::Matrix3d::Zero();
  for (const std::array<int, 3>& triangle : mesh.triangles) {
    std::array<Eigen::Vector3d, 3> v = corners(mesh, triangle);
    const double part = volume_over(facet_of(v), com);
    volume += part;
    for (Eigen::Vector3d& each : v) each -= com;
    P += second_moments(v, part, 20);
  }
  return finished(volume, com, P);
}

}  // namespace

MeshMass mesh_mass(const ShapeMesh& mesh, MeshInertia how, const std::string& shown_name) {
  if (how == MeshInertia::kConvex) {
    ShapeMesh hull{mesh.vertices, convex_hull(mesh.vertices)};
    if (hull.triangles.empty()) throw InputError({shown_name}, "the mesh is flat: it has no volume");
    return mesh_mass(hull, MeshInertia::kExact, shown_name);
  }
  double area = 0;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  for (const std::array<int, 3>& triangle : mesh.triangles) {
    const Facet facet = facet_of(corners(mesh, triangle));
    area += facet.area;
    center += facet.area * facet.center;
  }
  if (!(area > kMjMinimum)) throw InputError({shown_name}, "the mesh has no surface: its triangles have no area");
  center /= area;
  const MeshMass result = how == MeshInertia::kShell ? shell_mass(mesh, center, area)
                                                     : solid_mass(mesh, center, how == MeshInertia::kExact);
  if (result.volume > kMjMinimum) return result;
  throw InputError({shown_name}, result.volume < 0 ? "the mesh has a negative volume: its triangles face inwards"
                                                   : "the mesh has no volume");
}

}  // namespace lipkin
