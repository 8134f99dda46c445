// A row on one coordinate: a velocity of the tree, what a loop leaves free, or the length of a tendon.
#pragma once

#include <span>

#include "constraints/z_layout.hpp"
#include "tree/closure_rows.hpp"
#include "tree/coordinates.hpp"

namespace lipkin {

class DofRow {
 public:
  DofRow(const ModelData& model, const ZLayout& layout, const DofRef& dof);

  const DofRef& dof() const { return dof_; }

  // Links whose paths hold all that it acts on: a tree joint's link (its path has the parent), both links of a closure,
  // the ends of the branches that a tendon pulls.
  std::span<const int> links() const { return links_; }

  // At the poses of `kinematics`; needed before rate() and visit() where the tree does not have the coordinate.
  void update(const ModelData& model, const KinematicsWork& kinematics);

  double rate(const double* u, const Motion<double>* V_WL) const {
    if (dof_.is_in_tree()) return u[dof_.u_index];
    double sum = 0;
    for (const LinkPart& part : parts_) sum += dot(V_WL[part.link], part.force);
    for (const JointPart& part : joints_) sum += part.force * u[part.u_index];
    return sum;
  }

  // What an impulse of one does, part by part: on_joint(u_index, impulse, path), on_link(link, moment about its origin
  // and force along world axes, path); path: which of links() has it on its way.
  template <class OnJoint, class OnLink>
  void visit(const OnJoint& on_joint, const OnLink& on_link) const {
    for (const JointPart& part : joints_) on_joint(part.u_index, part.force, part.path);
    for (const LinkPart& part : parts_) on_link(part.link, part.force, part.path);
  }

 private:
  struct LinkPart {
    int link, path;
    Force<double> force;
  };
  struct JointPart {
    int u_index, path;
    double force;
  };

  void add_link(int link);
  void add_joint(int u_index, double coefficient);
  void find_paths(const ModelData& model, const ZLayout& layout);
  void pull(int link, const Vec3<double>& moment, const Vec3<double>& force);
  void update_part(const ModelData& model, const KinematicsWork& kinematics, const DofRef& dof, double coefficient);

  DofRef dof_;
  std::vector<int> links_;
  std::vector<LinkPart> parts_;
  std::vector<JointPart> joints_;
};

}  // namespace lipkin
