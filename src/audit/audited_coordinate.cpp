#include "audit/audited_coordinate.hpp"

#include <fmt/format.h>

#include "model/tendon_path.hpp"

namespace lipkin {

namespace {

double closure_rate(const ClosureData& c, int k, const AuditedMotion& motion) {
  const Transform<double>&A = motion.X_WL[c.link_a], &B = motion.X_WL[c.link_b];
  const Motion<double>&V_A = motion.V_WL[c.link_a], &V_B = motion.V_WL[c.link_b];
  const Mat3<double> F = A.R * c.X_AF.R, M = B.R * c.X_BM.R;
  const Vec3<double> p_M = B * c.X_BM.p, w = V_B.w - V_A.w;
  const auto slide = [&](int axis) {
    const Vec3<double> v = V_B.v + cross(V_B.w, p_M - B.p) - V_A.v - cross(V_A.w, p_M - A.p);
    return dot(F.column(axis), v);
  };
  switch (c.type) {
    case JointType::kPrismatic:
      return slide(2);
    case JointType::kCylindrical:
      return k == 1 ? slide(2) : dot(F.column(2), w);
    case JointType::kPlanar:
      return k < 2 ? slide(k) : dot(F.column(2), w);
    case JointType::kUniversal:
      return k == 0 ? dot(F.column(0), w) : dot(M.column(1), w);
    case JointType::kBall:
      return dot(M.column(k), w);
    case JointType::kFree:
      return k < 3 ? slide(k) : dot(M.column(k - 3), w);
    default:
      return dot(F.column(2), w);
  }
}

double tendon_rate(const ModelData& model, const TendonData& tendon, const AuditedMotion& motion) {
  double rate = 0;
  walk_tendon(tendon, motion.X_WL, [&](int link, const Vec3<double>& p, const Vec3<double>& d) {
    rate += dot(d, motion.V_WL[link].v + cross(motion.V_WL[link].w, p - motion.X_WL[link].p));
  });
  for (const TendonData::Term& term : tendon.terms) rate += term.coefficient * rate_of(model, term.dof, motion);
  return rate;
}

}  // namespace

bool is_length(const ModelData& model, const DofRef& dof) {
  if (dof.tendon >= 0) return true;
  for (const JointData& joint : model.joints) {
    const bool in_tree = joint.u_index >= 0 && dof.is_in_tree() && dof.u_index >= joint.u_index &&
                         dof.u_index < joint.u_index + u_count(joint.type);
    if (!in_tree && (dof.closure < 0 || joint.closure != dof.closure)) continue;
    const int k = in_tree ? dof.u_index - joint.u_index : dof.k;
    switch (joint.type) {
      case JointType::kPrismatic:
        return true;
      case JointType::kCylindrical:
        return k == 1;
      case JointType::kPlanar:
        return k < 2;
      case JointType::kFree:
        return k < 3;
      default:
        return false;
    }
  }
  return false;
}

double rate_of(const ModelData& model, const DofRef& dof, const AuditedMotion& motion) {
  if (dof.is_in_tree()) return motion.u[dof.u_index];
  if (dof.tendon >= 0) return tendon_rate(model, model.tendons[dof.tendon], motion);
  return closure_rate(model.closures[dof.closure], dof.k, motion);
}

std::string owner_of(const ModelData& model, int joint, const DofRef& dof) {
  return dof.tendon >= 0 ? fmt::format("tendon '{}'", model.tendons[dof.tendon].name)
                         : fmt::format("joint '{}'", model.joints[joint].name);
}

}  // namespace lipkin
