#include "io/import/ground.hpp"

#include <cmath>
#include <limits>

#include "model/model_compiler.hpp"
#include "model/model_data.hpp"

namespace lipkin {
namespace {

constexpr const char* kGroundMaterial = "ground plane";
constexpr double kClearance = 1e-3;  // [m]

// How far a shape reaches below its own origin, its frame turned by R.
struct ReachDown {
  const Mat3<double>& R;

  double operator()(const ShapeSphere& s) const { return s.radius; }
  double operator()(const ShapeBox& s) const {
    return 0.5 * (std::abs(R(2, 0)) * s.size.x() + std::abs(R(2, 1)) * s.size.y() + std::abs(R(2, 2)) * s.size.z());
  }
  double operator()(const ShapeCylinder& s) const {
    return std::abs(R(2, 2)) * s.length / 2 + s.radius * std::hypot(R(2, 0), R(2, 1));
  }
  double operator()(const ShapeCapsule& s) const { return std::abs(R(2, 2)) * s.length / 2 + s.radius; }
  double operator()(const ShapeFrustum& s) const {
    const double tilt = std::hypot(R(2, 0), R(2, 1));
    return std::max(s.bottom_radius * tilt, s.top_radius * tilt - R(2, 2) * s.height);
  }
  double operator()(const ShapeHull& s) const { return reach(s.points); }
  double operator()(const ShapeMesh& s) const { return reach(s.vertices); }
  template <typename Endless>
  double operator()(const Endless&) const {
    return -std::numeric_limits<double>::infinity();
  }

  double reach(const std::vector<Eigen::Vector3d>& points) const {
    double lowest = std::numeric_limits<double>::infinity();
    for (const Eigen::Vector3d& p : points)
      lowest = std::min(lowest, R(2, 0) * p.x() + R(2, 1) * p.y() + R(2, 2) * p.z());
    return -lowest;
  }
};

// The lowest points of what touches [m]; infinity: there is nothing.
struct LowestPoints {
  double floating = std::numeric_limits<double>::infinity();
  double held = std::numeric_limits<double>::infinity();  // by the world, but not fixed to it
};

bool floats(const ModelData& model, int link) {
  while (model.links[static_cast<std::size_t>(link)].parent != 0)
    link = model.links[static_cast<std::size_t>(link)].parent;
  return model.links[static_cast<std::size_t>(link)].kind == LinkKind::kFree;
}

LowestPoints lowest_points(const ModelData& model) {
  const std::vector<Transform<double>> poses = link_poses(model, model.initial_q.data());
  LowestPoints lowest;
  for (const ContactShapeData& shape : model.contact_shapes) {
    if (shape.link == 0) continue;
    const Transform<double> X_WS = poses[static_cast<std::size_t>(shape.link)] * shape.X_LS;
    double& point = floats(model, shape.link) ? lowest.floating : lowest.held;
    point = std::min(point, X_WS.p[2] - std::visit(ReachDown{X_WS.R}, shape.geometry));
  }
  return lowest;
}

void lift(JointSpec& joint, double height) {
  if (joint.q.empty()) joint.q = {0, 0, 0, 1, 0, 0, 0};
  const Eigen::Vector3d up = joint.frame_in_parent.orientation.conjugate() * Eigen::Vector3d(0, 0, height);
  for (int k = 0; k < 3; ++k) joint.q[static_cast<std::size_t>(k)] += up[k];
}

}  // namespace

void add_ground(ModelBuilder& builder, const Model& model) {
  const LowestPoints lowest = lowest_points(model.data());
  MaterialSpec material;
  material.name = kGroundMaterial;
  material.friction = 1;
  builder.add(material);
  ShapeSpec plane;
  plane.geometry = ShapePlane{};
  plane.contact = kGroundMaterial;
  if (std::isfinite(lowest.held))
    plane.pose.position.z() = std::min(0.0, std::min(lowest.held, lowest.floating) - kClearance);
  builder.add_world_shape(std::move(plane));
}

std::optional<double> ground_height(const Model& model) {
  for (const ShapeSpec& shape : model.data().parts->world_shapes) {
    const Eigen::Vector3d up = shape.pose.orientation * Eigen::Vector3d::UnitZ();
    if (std::holds_alternative<ShapePlane>(shape.geometry) && !shape.contact.empty() &&
        up.isApprox(Eigen::Vector3d::UnitZ()))
      return shape.pose.position.z();
  }
  return std::nullopt;
}

Model standing_on_ground(const Model& model) {
  const LowestPoints lowest = lowest_points(model.data());
  if (!std::isfinite(lowest.floating) || std::isfinite(lowest.held)) return model;
  const double height = ground_height(model).value_or(0) + kClearance - lowest.floating;
  auto parts = std::make_shared<ModelParts>(*model.data().parts);
  for (JointSpec& joint : parts->joints)
    if (joint.type == JointType::kFree && joint.parent == kWorldName) lift(joint, height);
  return compile_model(std::move(parts));
}

}  // namespace lipkin
