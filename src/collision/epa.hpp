// The direction in which two overlapping cores come apart soonest: the expanding polytope algorithm (van den Bergen
// 2001). It only has to point near the right direction; separation.hpp makes it exact.
#pragma once

#include <array>
#include <vector>

#include "collision/gjk.hpp"

namespace lipkin {

class ExpandingPolytope {
 public:
  ExpandingPolytope();

  // Expands the tetrahedron that holds the origin. The unit normal from the first to the second core, or false where
  // the tetrahedron is flat.
  bool find_normal(const CorePair& pair, const Simplex& start, Vec3d& normal);

 private:
  struct Face {
    std::array<int, 3> corner;
    Vec3d normal;         // unit, outward
    double distance = 0;  // of its plane from the origin
  };
  struct Edge {
    int from, to;
  };

  const Vec3d& corner(int i) const { return corners_[static_cast<std::size_t>(i)]; }
  void add_face(int a, int b, int c);
  bool start_with(const Simplex& start);
  void replace_visible_by(int apex);
  void toggle(int from, int to);
  const Face& closest() const;

  std::vector<Vec3d> corners_;
  std::vector<Face> faces_;
  std::vector<Edge> horizon_;
};

}  // namespace lipkin
