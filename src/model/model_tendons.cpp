// Tendons: what they run over and through, and what acts along them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "model/eigen_convert.hpp"
#include "model/model_compiler.hpp"
#include "model/tendon_path.hpp"

namespace lipkin {

void ModelCompiler::build_tendons() {
  for (const TendonSpec& spec : parts_.tendons) {
    const std::string owner = fmt::format("tendon '{}'", spec.name);
    TendonData tendon;
    tendon.name = spec.name;
    check_tendon(spec, owner);
    for (const TendonSpec::Term& term : spec.joints) {
      TendonData::Term data{{}, term.coefficient};
      require(std::isfinite(term.coefficient), spec.where, owner + ": a coefficient is not finite");
      if (!find_dof(term.joint, term.dof, owner, spec.where, data.dof)) continue;
      require(has_position(parts_.joints[joint_index_.at(term.joint)].type, term.dof), spec.where,
              fmt::format("{}: the rotations of joint '{}' have no position", owner, term.joint));
      tendon.terms.push_back(data);
    }
    const auto is_loop = [](const TendonData::Term& term) { return term.dof.closure >= 0; };
    require(spec.rest || spec.stiffness == 0 || std::none_of(tendon.terms.begin(), tendon.terms.end(), is_loop),
            spec.where, owner + ": needs 'rest' for its spring, since it runs over a joint that closes a loop");
    add_tendon_path(spec, owner, tendon);
    if (!failed()) check_tendon_links(tendon, owner, spec.where);
    warn_of_ends_inside(tendon, spec.where);
    tendon.coordinate_index = data_->closure_coordinate_count++;
    data_->tendons.push_back(std::move(tendon));
    add_tendon_rows(spec, static_cast<int>(data_->tendons.size()) - 1);
  }
}

void ModelCompiler::check_tendon(const TendonSpec& spec, const std::string& owner) {
  const auto check_at_least_0 = [&](const char* what, double value) {
    require(std::isfinite(value) && value >= 0, spec.where,
            fmt::format("{}: {} is {}; expected a number >= 0", owner, what, value));
  };
  check_at_least_0("stiffness", spec.stiffness);
  check_at_least_0("damping", spec.damping);
  check_at_least_0("friction", spec.friction);
  check_at_least_0("armature", spec.armature);
  require(spec.restitution >= 0 && spec.restitution <= 1, spec.where,
          fmt::format("{}: restitution is {}; expected a number from 0 to 1", owner, spec.restitution));
  require(!spec.joints.empty() || spec.upper > 0, spec.where,
          fmt::format("{}: upper is {} m; a string is longer than that", owner, spec.upper));
  require(spec.lower <= spec.upper, spec.where,
          fmt::format("{}: lower {} is above upper {}", owner, spec.lower, spec.upper));
  require(!spec.rest ||
              (std::isfinite((*spec.rest)[0]) && std::isfinite((*spec.rest)[1]) && (*spec.rest)[0] <= (*spec.rest)[1]),
          spec.where, owner + ": rest is not one number or two increasing ones");
  require(!spec.joints.empty() || !spec.path.empty(), spec.where, owner + " has neither joints nor a path");
}

void ModelCompiler::add_tendon_path(const TendonSpec& spec, const std::string& owner, TendonData& tendon) {
  TendonBranchData branch;
  int wrap = -1;
  const auto end_branch = [&]() {
    require(wrap < 0, spec.where, owner + ": what it wraps around needs a point behind it");
    require(branch.points.size() != 1, spec.where, owner + ": a branch of one point; expected two or more");
    if (branch.points.size() > 1) tendon.branches.push_back(branch);
    branch.points.clear();
  };
  for (const auto& part : spec.path) {
    if (const auto* pulley = std::get_if<TendonPulley>(&part)) {
      end_branch();
      require(std::isfinite(pulley->divisor) && pulley->divisor > 0, spec.where,
              fmt::format("{}: the divisor of a pulley is {}; expected a number > 0", owner, pulley->divisor));
      branch.weight = 1 / pulley->divisor;
    } else if (const auto* around = std::get_if<TendonWrap>(&part)) {
      require(!branch.points.empty() && wrap < 0, spec.where,
              owner + ": what it wraps around stands between two points, alone");
      wrap = static_cast<int>(tendon.wraps.size());
      tendon.wraps.push_back(wrap_of(*around, owner, spec.where));
    } else {
      branch.points.push_back({point_of(std::get<Attachment>(part), owner, spec.where), wrap});
      wrap = -1;
    }
  }
  require(spec.path.empty() || !std::holds_alternative<TendonPulley>(spec.path.back()), spec.where,
          owner + ": a pulley needs a branch behind it");
  end_branch();
}

TendonWrapData ModelCompiler::wrap_of(const TendonWrap& wrap, const std::string& owner, const SourceLocation& where) {
  TendonWrapData data;
  check_frame(owner, wrap.frame, where);
  require(std::isfinite(wrap.radius) && wrap.radius > 0, where,
          fmt::format("{}: wraps around a radius of {} m; expected a number > 0", owner, wrap.radius));
  const int body = find_body(wrap.body, owner, where);
  if (!failed()) {
    const Transform<double> X_LB = body < 0 ? Transform<double>::identity() : data_->bodies[body].X_LB;
    data.link = body < 0 ? 0 : data_->bodies[body].link;
    data.X_LG = X_LB * from_eigen(wrap.frame);
  }
  data.is_cylinder = wrap.shape == TendonWrap::Shape::kCylinder;
  data.radius = wrap.radius;
  data.has_side = wrap.side.has_value();
  if (wrap.side) data.side = point_of(*wrap.side, owner, where);
  return data;
}

void ModelCompiler::check_tendon_links(const TendonData& tendon, const std::string& owner,
                                       const SourceLocation& where) {
  std::set<int> links;
  for (const TendonBranchData& branch : tendon.branches)
    for (const TendonPointData& at : branch.points) links.insert(at.point.link);
  for (const TendonWrapData& wrap : tendon.wraps) links.insert(wrap.link);
  require(links.size() > 1 || !tendon.terms.empty(), where,
          owner + " runs between points that cannot move against each other");
  require(links.size() + 2 * tendon.terms.size() <= kMostTendonLinks, where,
          fmt::format("{} runs over {} bodies and {} joints; expected at most {} bodies, or half as many joints", owner,
                      links.size(), tendon.terms.size(), kMostTendonLinks));
}

void ModelCompiler::warn_of_ends_inside(const TendonData& tendon, const SourceLocation& where) {
  if (tendon.wraps.empty() || failed()) return;
  if (const auto end = end_inside(tendon, link_poses(*data_, data_->initial_q.data()).data()))
    warn(where, text_of(tendon, *end, "begins"));
}

void ModelCompiler::add_tendon_rows(const TendonSpec& spec, int index) {
  ModelData& m = *data_;
  const DofRef dof{-1, -1, -1, 0, index};
  if (failed()) return;
  if (spec.lower > -kInfinity || spec.upper < kInfinity)
    m.limits.push_back({-1, dof, spec.lower, spec.upper, spec.restitution});
  if (spec.friction > 0) m.joint_frictions.push_back({-1, dof, spec.friction});
  if (spec.stiffness == 0 && spec.damping == 0 && spec.armature == 0) return;
  RowSpringData spring{dof, spec.stiffness, 0, spec.damping, spec.armature, 0};
  if (spec.rest) {
    spring.rest = (*spec.rest)[0];
    spring.play = (*spec.rest)[1] - (*spec.rest)[0];
  } else {
    const std::vector<Transform<double>> poses = link_poses(m, m.initial_q.data());
    std::vector<double> closure_q(m.closure_coordinate_count, 0.0);
    spring.rest = tendon_length(m, m.tendons[index], m.initial_q.data(), closure_q.data(), poses.data());
  }
  m.row_springs.push_back(spring);
}

}  // namespace lipkin
