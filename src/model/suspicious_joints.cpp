// Joints that turn about gravity because nobody gave them an axis: what hangs on them stands still for ever.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/model_compiler.hpp"
#include "model/suspicious_parts.hpp"

namespace lipkin {
namespace {

// Parts that may move anything, wherever they are.
bool has_far_reaching_parts(const ModelData& model) {
  return !model.tendons.empty() || !model.controllers.empty() || !model.tyres.empty() || !model.gears.empty() ||
         !model.controls.empty();
}

bool is_moved(const ModelData& model, const JointData& joint, const std::vector<std::string>& set_paths) {
  const std::vector<bool> is_part = subtree_of(model, joint.link);
  const auto of_part = [&](int link) { return is_part[static_cast<std::size_t>(link)]; };
  if (is_acted_on(model, is_part)) return true;
  for (const ContactShapeData& shape : model.contact_shapes)
    if (of_part(shape.link)) return true;
  const auto drives = [&](const DofRef& dof) { return dof.u_index == joint.u_index; };
  const auto u = static_cast<std::size_t>(joint.u_index);
  if (model.stiffness[u] != 0 || model.initial_u[u] != 0) return true;
  for (const MotorData& motor : model.motors)
    if (drives(motor.dof)) return true;
  for (const ActuatorData& actuator : model.actuators)
    for (const DofPull& pull : actuator.pulls)
      if (drives(pull.dof)) return true;
  const std::string body = model.bodies[static_cast<std::size_t>(joint.child)].name;
  return std::any_of(set_paths.begin(), set_paths.end(), [&](const std::string& path) {
    return path.starts_with("joint." + joint.name + ".") || path.starts_with("gravity.") || path == "body." + body;
  });
}

// Whether nothing hangs on the link: what swings on it would turn it by its reaction.
bool carries_nothing(const ModelData& model, int link) {
  return std::none_of(model.links.begin() + 1, model.links.end(), [&](const Link& l) { return l.parent == link; });
}

}  // namespace

void look_at_idle_joints(const ModelData& model, const std::vector<std::string>& set_paths, const WrittenParts& written,
                         std::vector<Diagnostic>& found) {
  constexpr double kAlong = 1 - 1e-9, kOnAxis = 1e-6;
  const double g = norm(model.gravity);
  if (!(g > 0) || has_far_reaching_parts(model)) return;
  const std::vector<Transform<double>> X_WL = link_poses(model, model.initial_q.data());
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const JointData& joint = model.joints[j];
    if (joint.type != JointType::kRevolute || joint.link < 0 || written.joints_with_axis.contains(joint.name)) continue;
    const Link& link = model.links[static_cast<std::size_t>(joint.link)];
    const RigidInertia<double>& mass = model.rigid_inertia[static_cast<std::size_t>(joint.link)];
    if (link.parent != 0 || !is_revolute(link.kind) || !(mass.m > 0)) continue;
    const int axis = static_cast<int>(link.kind) - static_cast<int>(LinkKind::kRevoluteX);
    const Vec3<double> axis_W = X_WL[static_cast<std::size_t>(joint.link)].R.column(axis);
    if (std::abs(dot(axis_W, model.gravity)) < kAlong * g) continue;
    // Where the mass is at q = 0, along the axes in which the joint's own is given.
    const JointSpec& spec = model.parts->joints[j];
    const Transform<double>& X_LB = model.bodies[static_cast<std::size_t>(joint.child)].X_LB;
    const Vec3<double> com = inverse(X_LB) * ((1 / mass.m) * mass.h);
    const Eigen::Vector3d p_MC = spec.frame_in_child.orientation.inverse() *
                                 (Eigen::Vector3d(com[0], com[1], com[2]) - spec.frame_in_child.position);
    if (std::hypot(p_MC.x(), p_MC.y()) < kOnAxis || !carries_nothing(model, joint.link)) continue;
    if (is_moved(model, joint, set_paths)) continue;
    found.push_back(suspicion(
        spec.where,
        fmt::format("joint '{}' turns about z, along gravity, as its axis is left out: nothing moves it", joint.name),
        fmt::format("write axis: {}", std::abs(p_MC.x()) >= std::abs(p_MC.y()) ? "y" : "x")));
  }
}

}  // namespace lipkin
