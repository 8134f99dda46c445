// The convex hull of a set of points: corners, polygonal faces, and who is next to whom.
#pragma once

#include <span>
#include <vector>

#include "collision/convex.hpp"

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
  std::span<const Face> faces() const { return faces_; }
  std::span<const int> corners(const Face& face) const {
    return std::span(face_corners_)
        .subspan(static_cast<std::size_t>(face.begin), static_cast<std::size_t>(face.end - face.begin));
  }
  std::span<const int> neighbours(int vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    return std::span(neighbours_).subspan(neighbour_begin_[v], neighbour_begin_[v + 1] - neighbour_begin_[v]);
  }

  int support_vertex(const Vec3d& d) const;
  Vec3d support(const Vec3d& d) const { return vertices_[static_cast<std::size_t>(support_vertex(d))]; }
  void flat_feature(const Vec3d& d, double sine, FlatFeature& feature) const;

 private:
  void index_neighbours();

  std::vector<Vec3d> vertices_;
  std::vector<Face> faces_;
  std::vector<int> face_corners_;
  std::vector<int> neighbours_;
  std::vector<std::size_t> neighbour_begin_;
};

}  // namespace lipkin
