// A surface of triangles that know their neighbours: which edges and corners stick out, and which triangles make one
// flat face together.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "collision/geometry.hpp"
#include "collision/point_tree.hpp"

namespace lipkin {

class TriangleSurface {
 public:
  using Triangle = std::array<int, 3>;  // corners, counter-clockwise seen from outside

  // Corners at the same place become one; triangles without an area are left out. Throws InvalidArgument where a corner
  // does not exist or nothing is left.
  TriangleSurface(const std::vector<Vec3d>& vertices, const std::vector<Triangle>& triangles);

  int triangle_count() const { return static_cast<int>(triangles_.size()); }
  std::span<const Vec3d> vertices() const { return vertices_; }
  const PointTree& vertex_tree() const { return vertex_tree_; }
  const Triangle& triangle(int t) const { return triangles_[static_cast<std::size_t>(t)]; }
  Vec3d corner(int t, int k) const {
    return vertices_[static_cast<std::size_t>(triangle(t)[static_cast<std::size_t>(k)])];
  }
  Vec3d normal(int t) const {
    return unit_or(cross(corner(t, 1) - corner(t, 0), corner(t, 2) - corner(t, 0)), Vec3d::unit(2));
  }
  // Triangles that make one flat face share this number.
  int face(int t) const { return face_[static_cast<std::size_t>(t)]; }

  // In the plane of the triangle, from its edge k (from corner k to k + 1) away from it. Not of length 1.
  Vec3d away_from_edge(int t, int k) const;
  // May the surface touch something along the direction n (outward) with the inside of this edge, or with this corner?
  // Only where n lies between the normals of the triangles that meet there; an inner edge of a flat face never does.
  bool edge_faces(int t, int k, const Vec3d& n) const;
  bool corner_faces(int t, int k, const Vec3d& n) const;

 private:
  void weld(const std::vector<Vec3d>& vertices, std::vector<int>& renumbered);
  void find_neighbours();
  void find_faces();
  void find_rings();

  std::vector<Vec3d> vertices_;
  PointTree vertex_tree_;
  std::vector<Triangle> triangles_;
  std::vector<std::array<int, 3>> neighbour_;  // 3 t' + k' of the same edge in the other triangle, or -1
  std::vector<int> face_;
  std::vector<int> ring_;  // the corners that share an edge with each corner
  std::vector<std::size_t> ring_begin_;
};

}  // namespace lipkin
