#include "constraints/dof_row.hpp"

#include <algorithm>

namespace lipkin {

namespace {

bool carries(const ModelData& model, int link, int descendant) {
  while (descendant > link) descendant = model.links[descendant].parent;
  return descendant == link;
}

}  // namespace

DofRow::DofRow(const ModelData& model, const ZLayout& layout, const DofRef& dof) : dof_(dof) {
  visit_parts(
      model, dof, [&](int u_index, double c) { add_joint(u_index, c); }, [&](int link) { add_link(link); });
  find_paths(model, layout);
}

void DofRow::add_link(int link) {
  const auto same = [link](const LinkPart& part) { return part.link == link; };
  if (link > 0 && std::none_of(parts_.begin(), parts_.end(), same)) parts_.push_back({link, 0, Force<double>::zero()});
}

void DofRow::add_joint(int u_index, double coefficient) {
  const auto same = [&](const JointPart& part) { return part.u_index == u_index; };
  const auto found = std::find_if(joints_.begin(), joints_.end(), same);
  if (found != joints_.end())
    found->force += coefficient;
  else
    joints_.push_back({u_index, 0, coefficient});
}

// A closure has both of its links, as every contact has; a tendon only those that carry no other one.
void DofRow::find_paths(const ModelData& model, const ZLayout& layout) {
  std::vector<int> all;
  for (const LinkPart& part : parts_) all.push_back(part.link);
  for (const JointPart& part : joints_) all.push_back(layout.link_of_dof(part.u_index));
  for (const int link : all) {
    const auto is_below = [&](int other) { return other != link && carries(model, link, other); };
    const bool is_end = dof_.closure >= 0 || std::none_of(all.begin(), all.end(), is_below);
    if (is_end && std::find(links_.begin(), links_.end(), link) == links_.end()) links_.push_back(link);
  }
  const auto path_of = [&](int link) {
    if (std::find(links_.begin(), links_.end(), link) != links_.end()) return link;
    return *std::find_if(links_.begin(), links_.end(), [&](int end) { return carries(model, link, end); });
  };
  for (LinkPart& part : parts_) part.path = path_of(part.link);
  for (JointPart& part : joints_) part.path = path_of(layout.link_of_dof(part.u_index));
}

void DofRow::update(const ModelData& model, const KinematicsWork& kinematics) {
  if (parts_.empty()) return;
  for (LinkPart& part : parts_) part.force = Force<double>::zero();
  update_part(model, kinematics, dof_, 1);
}

void DofRow::update_part(const ModelData& model, const KinematicsWork& kinematics, const DofRef& dof,
                         double coefficient) {
  if (dof.is_in_tree()) return;
  if (dof.closure >= 0) {
    const ClosureData& closure = model.closures[dof.closure];
    SpatialRows rows;
    closure_coordinate_row(closure, closure_frames(closure, kinematics.X_WL.data()), kinematics, dof.k, rows);
    const auto part = [&](const double* f, int k) {
      return Vec3<double>{{coefficient * f[k * SpatialRows::kLanes], coefficient * f[(k + 1) * SpatialRows::kLanes],
                           coefficient * f[(k + 2) * SpatialRows::kLanes]}};
    };
    pull(closure.link_a, part(rows.f_a, 0), part(rows.f_a, 3));
    pull(closure.link_b, part(rows.f_b, 0), part(rows.f_b, 3));
    return;
  }
  const TendonData& tendon = model.tendons[dof.tendon];
  walk_tendon(tendon, kinematics.X_WL.data(), [&](int link, const Vec3<double>& p, const Vec3<double>& d) {
    pull(link, cross(p - kinematics.X_WL[link].p, coefficient * d), coefficient * d);
  });
  for (const TendonData::Term& term : tendon.terms)
    update_part(model, kinematics, term.dof, coefficient * term.coefficient);
}

void DofRow::pull(int link, const Vec3<double>& moment, const Vec3<double>& force) {
  if (link == 0) return;
  const auto part = std::find_if(parts_.begin(), parts_.end(), [link](const LinkPart& p) { return p.link == link; });
  part->force += Force<double>{moment, force};
}

}  // namespace lipkin
