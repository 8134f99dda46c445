#include "model/cut_joints.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "model/eigen_convert.hpp"
#include "model/mechanism_size.hpp"
#include "model/model_compiler.hpp"

namespace lipkin {

namespace {

bool is_cut(const JointSpec& joint) {
  return !joint.closes_loop && joint.type != JointType::kFixed &&
         !(joint.type == JointType::kFree && joint.parent == kWorldName);
}

// A free joint for the child, at its centre of mass, where the model's initial coordinates put it.
JointSpec free_joint(const ModelData& model, const std::vector<Transform<double>>& poses, const JointData& joint) {
  const BodyData& body = model.bodies[joint.child];
  JointSpec spec;
  spec.name = "free " + body.name;
  spec.type = JointType::kFree;
  spec.child = body.name;
  spec.frame_in_child.position = body.mass_properties.com;
  const Pose X_WB = to_eigen(poses[body.link] * body.X_LB);
  const Eigen::Vector3d p = X_WB.position + X_WB.orientation * body.mass_properties.com;
  const Eigen::Quaterniond& r = X_WB.orientation;
  spec.q = {p.x(), p.y(), p.z(), r.w(), r.x(), r.y(), r.z()};
  return spec;
}

// The part of m r² that a free body has at least about every axis, r its distance from the joint or its radius of
// gyration; the mechanism's size for a point mass in its joint.
constexpr double kLeastInertia = 1e-9;

// What is smaller than this part of its mechanism is a point.
constexpr double kPointMass = 1e-6;

// What a rotor adds to a joint that is rows now.
void add_armature(const JointSpec& spec, const JointData& joint, ModelData& data) {
  for (int k = 0; k < u_count(spec.type) && !spec.armature.empty(); ++k) {
    const double armature = spec.armature.size() == 1 ? spec.armature.front() : spec.armature.at(k);
    if (armature == 0) continue;
    const auto same = [&](const RowSpringData& s) { return s.dof.closure == joint.closure && s.dof.k == k; };
    const auto found = std::find_if(data.row_springs.begin(), data.row_springs.end(), same);
    if (found != data.row_springs.end()) {
      found->armature = armature;
    } else {
      data.row_springs.push_back({{-1, -1, joint.closure, k}, 0, 0, 0, armature});
    }
  }
}

}  // namespace

void give_least_inertia(const Eigen::Vector3d& joint_in_body, double mechanism_size, BodySpec& body) {
  if (!body.mass_properties || body.mass_properties->mass == 0) return;
  MassProperties& m = *body.mass_properties;
  const double lever = (m.com - joint_in_body).squaredNorm(), gyration = m.inertia.diagonal().maxCoeff() / m.mass;
  const double own = std::max(lever, gyration), point = kPointMass * mechanism_size;
  const double size = own > point * point ? own : mechanism_size * mechanism_size;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(m.inertia);
  if (principal.eigenvalues().minCoeff() < kLeastInertia * m.mass * size)
    m.inertia += kLeastInertia * m.mass * size * Eigen::Matrix3d::Identity();
}

Model cut_joints(const Model& model) {
  const ModelData& data = model.data();
  const std::vector<Transform<double>> poses = link_poses(data, data.initial_q.data());
  const double size = mechanism_size(data);
  auto parts = std::make_shared<ModelParts>(*data.parts);
  for (std::size_t j = 0; j < data.parts->joints.size(); ++j) {
    JointSpec& joint = parts->joints[j];
    if (!is_cut(joint)) continue;
    if (joint.type == JointType::kFree)
      throw InputError(joint.where,
                       fmt::format("joint '{}' is free below '{}': maximal coordinates know free bodies of "
                                   "the world alone; expected the world as the parent of '{}'",
                                   joint.name, joint.parent, joint.child));
    JointSpec free = free_joint(data, poses, data.joints[j]);
    give_least_inertia(joint.frame_in_child.position, size, parts->bodies[data.joints[j].child]);
    joint.closes_loop = true;
    joint.q.clear();
    joint.u.clear();
    joint.armature.clear();
    parts->joints.push_back(std::move(free));
  }
  for (const RowSpringData& spring : data.row_springs)  // as long as they are at the start, in either coordinates
    if (spring.dof.tendon >= 0) parts->tendons[spring.dof.tendon].rest = {{spring.rest, spring.rest + spring.play}};
  auto cut = std::make_shared<ModelData>(compile_model(parts).data());
  for (std::size_t j = 0; j < data.parts->joints.size(); ++j) {
    if (!is_cut(data.parts->joints[j])) continue;
    add_armature(data.parts->joints[j], cut->joints[j], *cut);
    cut->bodies[data.joints[j].child].carrier = static_cast<int>(j);
  }
  return Model(std::move(cut));
}

}  // namespace lipkin
