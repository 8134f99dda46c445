// The convex hull of a set of points: corners, polygonal faces, and who is next to whom.
#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "collision/convex.hpp"
#include "collision/point_tree.hpp"

namespace lipkin {

class ConvexHull {
 public:
  struct Face {
    Vec3d normal;            // unit, outward
    double offset = 0;       // normal . x = offset on the face [m]
    int begin = 0, end = 0;  // its corners, counter-clockwise seen from outside, in face_corners
  };

  // Throws InvalidArgument where the points lie in a plane.
  explicit ConvexHull(const std::vector<Vec3d>& points);

  std::span<const Vec3d> vertices() const { return vertices_; }
  const PointTree& vertex_tree() const { return vertex_tree_; }
  std::span<const Face> faces() const { return faces_; }
  std::span<const int> corners(const Face& face) const {
    return std::span(face_corners_)
        .subspan(static_cast<std::size_t>(face.begin), static_cast<std::size_t>(face.end - face.begin));
  }
  // The corners at the other ends of a corner's edges.
  std::span<const int> neighbours(int vertex) const { return edges_.of(vertex); }

  int support_vertex(const Vec3d& d) const;
  Vec3d support(const Vec3d& d) const { return vertices_[static_cast<std::size_t>(support_vertex(d))]; }
  void flat_feature(const Vec3d& d, double sine, FlatFeature& feature) const;

 private:
  // For every corner some others, in order.
  struct Links {
    std::vector<int> ends;
    std::vector<std::size_t> begin;

    Links() = default;
    Links(std::size_t vertex_count, const std::vector<std::pair<int, int>>& pairs);
    std::span<const int> of(int vertex) const {
      const auto v = static_cast<std::size_t>(vertex);
      return std::span(ends).subspan(begin[v], begin[v + 1] - begin[v]);
    }
  };

  int best_of_all(const Vec3d& d) const;
  int climb_from(int vertex, const Vec3d& d) const;
  void prepare_climbing(const std::vector<std::array<int, 3>>& triangles);

  std::vector<Vec3d> vertices_;
  PointTree vertex_tree_;
  std::vector<Face> faces_;
  std::vector<int> face_corners_;
  Links edges_;
  // Of hulls with many corners: the edges of the triangles, along which the way up never ends too early, and where to
  // start along each axis.
  Links slopes_;
  std::array<int, 6> starts_{};
};

}  // namespace lipkin
