#include "collision/epa.hpp"

#include <algorithm>

namespace lipkin {

namespace {
constexpr int kMaxCorners = 96;
}

ExpandingPolytope::ExpandingPolytope() {
  corners_.reserve(kMaxCorners + 4);
  faces_.reserve(4 * kMaxCorners);
  horizon_.reserve(4 * kMaxCorners);
}

void ExpandingPolytope::add_face(int a, int b, int c) {
  const Vec3d n = cross(corner(b) - corner(a), corner(c) - corner(a));
  const double length = norm(n);
  if (!(length > 0)) return;
  const Vec3d unit = (1 / length) * n;
  faces_.push_back({{a, b, c}, unit, dot(unit, corner(a))});
}

bool ExpandingPolytope::start_with(const Simplex& start) {
  if (start.count < 4) return false;
  corners_.clear(), faces_.clear();
  for (const Simplex::Corner& c : start.corner) corners_.push_back(c.w);
  const bool left_handed = dot(cross(corner(1) - corner(0), corner(2) - corner(0)), corner(3) - corner(0)) > 0;
  const int b = left_handed ? 2 : 1, c = left_handed ? 1 : 2;
  add_face(0, b, c), add_face(0, 3, b), add_face(b, 3, c), add_face(c, 3, 0);
  return faces_.size() == 4;
}

const ExpandingPolytope::Face& ExpandingPolytope::closest() const {
  return *std::min_element(faces_.begin(), faces_.end(),
                           [](const Face& a, const Face& b) { return a.distance < b.distance; });
}

// Edges between two faces that go are met twice, in opposite directions, and cancel.
void ExpandingPolytope::toggle(int from, int to) {
  const auto twin =
      std::find_if(horizon_.begin(), horizon_.end(), [&](const Edge& e) { return e.from == to && e.to == from; });
  if (twin == horizon_.end())
    horizon_.push_back({from, to});
  else
    horizon_.erase(twin);
}

void ExpandingPolytope::replace_visible_by(int apex) {
  horizon_.clear();
  std::size_t kept = 0;
  for (const Face& face : faces_) {
    if (dot(face.normal, corner(apex)) <= face.distance) {
      faces_[kept++] = face;
      continue;
    }
    for (std::size_t k = 0; k < 3; ++k) toggle(face.corner[k], face.corner[(k + 1) % 3]);
  }
  faces_.resize(kept);
  for (const Edge& e : horizon_) add_face(e.from, e.to, apex);
}

bool ExpandingPolytope::find_normal(const CorePair& pair, const Simplex& start, Vec3d& normal) {
  if (!start_with(start)) return false;
  const double tolerance = 1e-7 * pair.size();
  while (!faces_.empty()) {
    const Face face = closest();
    normal = -face.normal;  // the face of second - first furthest along its normal is furthest against this one
    // A closed polytope has 2 n - 4 triangles; more of them mean that rounding has torn it.
    if (corners_.size() >= kMaxCorners || faces_.size() > 2 * corners_.size()) return true;
    const Vec3d w = support_corner(pair, normal).w;
    if (dot(face.normal, w) - face.distance <= tolerance) return true;
    corners_.push_back(w);
    replace_visible_by(static_cast<int>(corners_.size()) - 1);
  }
  return false;
}

}  // namespace lipkin
