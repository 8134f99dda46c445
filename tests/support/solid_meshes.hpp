// Closed meshes of known solids. All triangles counter-clockwise seen from outside.
#pragma once

#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "lipkin/model_builder.hpp"

namespace lipkin {

// Equal blocks at places of a lattice, as one surface: the faces between two of them are left out.
inline ShapeMesh block_mesh(const std::vector<std::array<int, 3>>& blocks, const Eigen::Vector3d& size) {
  const std::set<std::array<int, 3>> taken(blocks.begin(), blocks.end());
  std::map<std::array<int, 3>, int> index;
  ShapeMesh mesh;
  const auto corner = [&](std::array<int, 3> at) {
    const auto [known, is_new] = index.emplace(at, static_cast<int>(mesh.vertices.size()));
    if (is_new) mesh.vertices.push_back(Eigen::Vector3d(at[0], at[1], at[2]).cwiseProduct(size));
    return known->second;
  };
  for (const std::array<int, 3>& block : blocks)
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const int side : {0, 1}) {
        std::array<int, 3> beyond = block, base = block;
        beyond[axis] += 2 * side - 1;
        if (taken.count(beyond) > 0) continue;
        base[axis] += side;
        std::array<std::array<int, 3>, 4> face = {base, base, base, base};
        const std::size_t a = (axis + 1) % 3, b = (axis + 2) % 3;
        ++face[1][a], ++face[2][a], ++face[2][b], ++face[3][b];
        if (side == 0) std::swap(face[1], face[3]);
        mesh.triangles.push_back({corner(face[0]), corner(face[1]), corner(face[2])});
        mesh.triangles.push_back({corner(face[0]), corner(face[2]), corner(face[3])});
      }
  return mesh;
}

// A tube of radius r around a ring of radius R about z. Without a ring (R = 0): a ball.
inline ShapeMesh torus_mesh(double R, double r, int around, int across) {
  ShapeMesh mesh;
  const double last = R > 0 ? 2 * std::numbers::pi : std::numbers::pi;
  for (int i = 0; i < around; ++i)
    for (int k = 0; k < across; ++k) {
      const double u = 2 * std::numbers::pi * i / around;
      const double v = R > 0 ? last * k / across : -std::numbers::pi / 2 + last * (k + 0.5) / across;
      mesh.vertices.emplace_back((R + r * std::cos(v)) * std::cos(u), (R + r * std::cos(v)) * std::sin(u),
                                 r * std::sin(v));
    }
  for (int i = 0; i < around; ++i)
    for (int k = 0; k < across; ++k) {
      if (R == 0 && k + 1 == across) continue;
      const auto at = [&](int a, int b) { return (a % around) * across + b % across; };
      mesh.triangles.push_back({at(i, k), at(i + 1, k), at(i + 1, k + 1)});
      mesh.triangles.push_back({at(i, k), at(i + 1, k + 1), at(i, k + 1)});
    }
  if (R > 0) return mesh;
  const int south = static_cast<int>(mesh.vertices.size()), north = south + 1;
  mesh.vertices.emplace_back(0, 0, -r), mesh.vertices.emplace_back(0, 0, r);
  for (int i = 0; i < around; ++i) {
    const int next = (i + 1) % around;
    mesh.triangles.push_back({south, next * across, i * across});
    mesh.triangles.push_back({north, i * across + across - 1, next * across + across - 1});
  }
  return mesh;
}

// The lower half of a ball of the outer radius, hollow to the inner one, its rim at z = outer. Equal radii: the outer
// surface alone, open.
inline ShapeMesh bowl_mesh(double outer, double inner, int around, int down) {
  ShapeMesh mesh;
  const auto add_half = [&](double radius) {
    const int bottom = static_cast<int>(mesh.vertices.size());
    mesh.vertices.emplace_back(0, 0, outer - radius);
    for (int k = 1; k <= down; ++k)
      for (int i = 0; i < around; ++i) {
        const double u = 2 * std::numbers::pi * i / around, v = std::numbers::pi / 2 * k / down;
        mesh.vertices.emplace_back(radius * std::sin(v) * std::cos(u), radius * std::sin(v) * std::sin(u),
                                   outer - radius * std::cos(v));
      }
    return bottom;
  };
  const auto at = [&](int bottom, int k, int i) {
    return k == 0 ? bottom : bottom + 1 + (k - 1) * around + i % around;
  };
  const auto add_triangles = [&](int bottom, bool turned) {
    const auto add = [&](int a, int b, int c) {
      if (a != b && b != c && c != a) mesh.triangles.push_back(turned ? std::array{a, c, b} : std::array{a, b, c});
    };
    for (int k = 0; k < down; ++k)
      for (int i = 0; i < around; ++i) {
        add(at(bottom, k, i), at(bottom, k + 1, i + 1), at(bottom, k + 1, i));
        add(at(bottom, k, i), at(bottom, k, i + 1), at(bottom, k + 1, i + 1));
      }
  };
  const int shell = add_half(outer);
  add_triangles(shell, false);
  if (inner >= outer) return mesh;
  const int hollow = add_half(inner);
  add_triangles(hollow, true);
  for (int i = 0; i < around; ++i) {
    mesh.triangles.push_back({at(shell, down, i), at(shell, down, i + 1), at(hollow, down, i + 1)});
    mesh.triangles.push_back({at(shell, down, i), at(hollow, down, i + 1), at(hollow, down, i)});
  }
  return mesh;
}

}  // namespace lipkin
