// How long tendons are, and where they pull.
#pragma once

#include <limits>

#include "model/model_data.hpp"
#include "model/tendon_wrap.hpp"

namespace lipkin {

// Whether a velocity is the rate of a coordinate; not so for the rotations of ball and free joints.
bool has_coordinate(const DofRef& dof, const ModelData& model);

// The value of one coordinate, NaN where the tree has none; closure_q: coordinates of closures and tendons at the same
// q.
inline double coordinate_of(const DofRef& dof, const ModelData& model, const double* q, const double* closure_q) {
  if (dof.is_in_tree()) return dof.q_index < 0 ? std::numeric_limits<double>::quiet_NaN() : q[dof.q_index];
  if (dof.tendon >= 0) return closure_q[model.tendons[dof.tendon].coordinate_index];
  return closure_q[model.closures[dof.closure].coordinate_index + dof.k];
}

// What a row on a coordinate acts on: on_joint(u_index, coefficient) for velocities of the tree, on_link(link) for
// links, 0 and repetitions among them.
template <class OnJoint, class OnLink>
void visit_parts(const ModelData& model, const DofRef& dof, const OnJoint& on_joint, const OnLink& on_link,
                 double coefficient = 1) {
  if (dof.is_in_tree()) return on_joint(dof.u_index, coefficient);
  if (dof.closure >= 0) {
    on_link(model.closures[dof.closure].link_a);
    on_link(model.closures[dof.closure].link_b);
    return;
  }
  const TendonData& tendon = model.tendons[dof.tendon];
  for (const TendonData::Term& term : tendon.terms)
    visit_parts(model, term.dof, on_joint, on_link, coefficient * term.coefficient);
  for (const TendonBranchData& branch : tendon.branches)
    for (const TendonPointData& at : branch.points) on_link(at.point.link);
  for (const TendonWrapData& wrap : tendon.wraps) on_link(wrap.link);
}

// Where the string of a tendon touches what it wraps around, in the world; see touch_sphere.
std::optional<TendonTouch> tendon_touch(const TendonWrapData& wrap, const Transform<double>* X_WL,
                                        const Vec3<double>& p_a, const Vec3<double>& p_b);

// An end of a string that lies inside of what the string should go around, and so goes straight through it.
struct EndInside {
  int point = 0;     // of the path, counted from 0 through all branches
  double depth = 0;  // [m]
  bool of_cylinder = false;
};

// The first of them. Not where the string is to pass within.
std::optional<EndInside> end_inside(const TendonData& tendon, const Transform<double>* X_WL);

// "tendon 'rope': point 2 of its path WHERE 0.01 m inside of the cylinder that it should go around", and what follows.
std::string text_of(const TendonData& tendon, const EndInside& end, std::string_view where);

// Length of all branches, each counted by its weight [m]. pull(link, p, d): the length grows at the rate d · v where
// the point p of the link moves with v; world axes. A string on a surface is a geodesic, so that moving where it
// touches changes nothing to first order: the places count as points of the body.
template <class Pull>
double walk_tendon(const TendonData& tendon, const Transform<double>* X_WL, const Pull& pull) {
  double length = 0;
  for (const TendonBranchData& branch : tendon.branches) {
    const auto straight = [&](int link_a, const Vec3<double>& p_a, int link_b, const Vec3<double>& p_b) {
      const Vec3<double> d = p_b - p_a;
      const double distance = norm(d);
      if (distance == 0) return;
      length += branch.weight * distance;
      pull(link_b, p_b, (branch.weight / distance) * d);
      pull(link_a, p_a, (-branch.weight / distance) * d);
    };
    int link_a = 0;
    Vec3<double> p_a = Vec3<double>::zero();
    for (std::size_t i = 0; i < branch.points.size(); ++i) {
      const TendonPointData& at = branch.points[i];
      const Vec3<double> p = X_WL[at.point.link] * at.point.p_L;
      const TendonWrapData* wrap = at.wrap >= 0 ? &tendon.wraps[at.wrap] : nullptr;
      if (const auto touch = wrap ? tendon_touch(*wrap, X_WL, p_a, p) : std::nullopt) {
        straight(link_a, p_a, wrap->link, touch->first);
        length += branch.weight * touch->length;
        straight(wrap->link, touch->last, at.point.link, p);
      } else if (i > 0) {
        straight(link_a, p_a, at.point.link, p);
      }
      link_a = at.point.link;
      p_a = p;
    }
  }
  return length;
}

// The tendon's coordinate: length of its branches, and what its joints add. closure_q: of closures at the same q.
double tendon_length(const ModelData& model, const TendonData& tendon, const double* q, const double* closure_q,
                     const Transform<double>* X_WL);

}  // namespace lipkin
