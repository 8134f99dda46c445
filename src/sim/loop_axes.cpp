#include "sim/loop_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/eigen_convert.hpp"
#include "model/model_compiler.hpp"

namespace lipkin {
namespace {

constexpr double kParallel = 1e-6;  // sine of the angle

bool turns_about_axis(JointType type) {
  return type == JointType::kRevolute || type == JointType::kCylindrical || type == JointType::kScrew;
}

// The axes of frame F of a joint, in the world.
Eigen::Quaterniond axes_in_world(const ModelData& model, std::size_t joint,
                                 const std::vector<Transform<double>>& X_WL) {
  const Eigen::Quaterniond& R_PF = model.parts->joints[joint].frame_in_parent.orientation;
  const int parent = model.joints[joint].parent;
  if (parent < 0) return R_PF;
  const BodyData& body = model.bodies[static_cast<std::size_t>(parent)];
  return to_eigen(X_WL[static_cast<std::size_t>(body.link)] * body.X_LB).orientation * R_PF;
}

bool are_parallel(const Eigen::Vector3d& a, const Eigen::Vector3d& b) { return a.cross(b).norm() < kParallel; }

std::string written_axis(const Eigen::Vector3d& axis) {
  for (int k = 0; k < 3; ++k)
    if (are_parallel(axis, Eigen::Vector3d::Unit(k))) return std::string(1, "xyz"[k]);
  return fmt::format("[{:.4g}, {:.4g}, {:.4g}]", axis.x(), axis.y(), axis.z());
}

}  // namespace

std::vector<int> joints_around(const ModelData& model, const ClosureData& closure) {
  std::vector<int> joints;
  int a = closure.link_a, b = closure.link_b;
  while (a != b) {
    int& later = a > b ? a : b;  // a parent's index is smaller
    for (std::size_t j = 0; j < model.joints.size(); ++j)
      if (model.joints[j].link == later) joints.push_back(static_cast<int>(j));
    later = model.links[static_cast<std::size_t>(later)].parent;
  }
  return joints;
}

std::optional<OddAxis> odd_axis_of(const ModelData& model, int closure, const std::vector<Transform<double>>& X_WL) {
  std::vector<int> joints = joints_around(model, model.closures[static_cast<std::size_t>(closure)]);
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (model.joints[j].closure == closure) joints.push_back(static_cast<int>(j));
  std::erase_if(joints, [&](int j) { return !turns_about_axis(model.joints[static_cast<std::size_t>(j)].type); });
  std::vector<Eigen::Vector3d> axes;
  for (const int j : joints)
    axes.push_back(axes_in_world(model, static_cast<std::size_t>(j), X_WL) *
                   model.parts->joints[static_cast<std::size_t>(j)].axis.normalized());
  for (std::size_t odd = 0; odd < axes.size() && axes.size() > 2; ++odd) {
    const Eigen::Vector3d& other = axes[odd == 0 ? 1 : 0];
    const auto others_agree = [&] {
      for (std::size_t i = 0; i < axes.size(); ++i)
        if (i != odd && !are_parallel(axes[i], other)) return false;
      return true;
    };
    if (are_parallel(axes[odd], other) || !others_agree()) continue;
    const auto j = static_cast<std::size_t>(joints[odd]);
    const JointSpec& spec = model.parts->joints[j];
    return OddAxis{fmt::format("{} '{}'", spec.closes_loop ? "loop" : "joint", spec.name), spec.where,
                   written_axis(spec.axis.normalized()), written_axis(axes_in_world(model, j, X_WL).inverse() * other)};
  }
  return std::nullopt;
}

}  // namespace lipkin
