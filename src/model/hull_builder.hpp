// Quickhull (Barber, Dobkin, Huhdanpaa 1996) for the few thousand points of a shape: triangles first, then coplanar
// triangles joined to polygons. Serves the mass of hull shapes and their contact alike.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "spatial/vec3.hpp"

namespace lipkin {

class HullBuilder {
 public:
  struct Polygon {
    Vec3<double> normal;
    double offset = 0;
    std::vector<int> corners;  // indices into the points, counter-clockwise seen from outside
  };

  // The points must live as long as the builder.
  explicit HullBuilder(const std::vector<Vec3<double>>& points);
  // All points lie in a plane, on a line or in one place: there are no triangles.
  bool is_flat() const { return triangles_.empty(); }
  std::vector<Polygon> polygons() const;
  // Corners counter-clockwise seen from outside; a face with more than three comes as several triangles.
  std::vector<std::array<int, 3>> triangles() const;

 private:
  struct Triangle {
    std::array<int, 3> corner;
    std::array<int, 3> neighbour;  // across the edge from corner k to corner k + 1
    Vec3<double> normal;
    double offset = 0;
    bool alive = true;
    std::vector<int> outside;  // points beyond the plane that no other triangle has
  };
  struct HorizonEdge {
    int from, to;  // in the direction of the triangle that goes
    int beyond;    // the triangle that stays
  };

  const Vec3<double>& point(int i) const { return points_[static_cast<std::size_t>(i)]; }
  Triangle& triangle(int i) { return triangles_[static_cast<std::size_t>(i)]; }
  double distance(const Triangle& t, int i) const { return dot(t.normal, point(i)) - t.offset; }
  int add_triangle(int a, int b, int c);
  void make_first_tetrahedron(const std::array<int, 4>& corners);
  std::optional<std::array<int, 4>> widest_four() const;
  bool grow_all();
  bool grow(int from);  // false: the surface is torn
  void find_horizon(int from, int apex);
  bool close_with(int apex, std::vector<int>& orphans);
  int furthest_outside(const Triangle& t) const;
  void hand_out(const std::vector<int>& orphans, std::size_t first_triangle);

  const std::vector<Vec3<double>>& points_;
  std::vector<Triangle> triangles_;
  std::vector<int> visible_;
  std::vector<HorizonEdge> horizon_;
  double noise_ = 0;  // a point this far beyond a plane counts as on it [m]
};

}  // namespace lipkin
