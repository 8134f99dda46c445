#include "steppers/motion_step.hpp"

#include <algorithm>
#include <cmath>

#include "steppers/prescribed_step.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

constexpr double kTurn = 0.05;   // of any body in a step [rad]
constexpr double kTravel = 0.5;  // of a shape in a step, over its size

double size_of(const ShapeSphere& s) { return s.radius; }
double size_of(const ShapeBox& s) { return 0.5 * s.size.minCoeff(); }
double size_of(const ShapeCylinder& s) { return std::min(s.radius, 0.5 * s.length); }
double size_of(const ShapeCapsule& s) { return s.radius; }
double size_of(const ShapeFrustum& s) { return 0.5 * std::min(s.bottom_radius + s.top_radius, s.height); }
double size_of(const std::vector<Eigen::Vector3d>& points) {
  Eigen::Vector3d low = Eigen::Vector3d::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const Eigen::Vector3d& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  return 0.5 * (high - low).minCoeff();
}
double size_of(const ShapeHull& s) { return size_of(s.points); }
double size_of(const ShapeMesh& s) { return size_of(s.vertices); }
double size_of(const ShapePlane&) { return std::numeric_limits<double>::infinity(); }
double size_of(const ShapeCup&) { return std::numeric_limits<double>::infinity(); }
double size_of(const ShapeHeightField&) { return std::numeric_limits<double>::infinity(); }

}  // namespace

MotionStep::MotionStep(const ModelData& model) {
  for (const ContactShapeData& shape : model.contact_shapes)
    size_.push_back(std::visit([](const auto& geometry) { return size_of(geometry); }, shape.geometry));
}

// Most radians and most sizes per second, each over what a step may have of them [1/s].
double MotionStep::most_motion(const ModelData& model, const KinematicsWork& k) const {
  double turning = 0, travelling = 0;
  for (std::size_t i = 1; i < model.links.size(); ++i) turning = std::max(turning, norm(k.V_WL[i].w));
  for (std::size_t i = 0; i < size_.size(); ++i) {
    const ContactShapeData& shape = model.contact_shapes[i];
    if (shape.link == 0 || !(size_[i] > 0)) continue;
    const Motion<double>& V = k.V_WL[shape.link];
    const Vec3<double> velocity = V.v + cross(V.w, k.X_WL[shape.link].R * shape.X_LS.p);
    travelling = std::max(travelling, norm(velocity) / size_[i]);
  }
  return std::max(turning / kTurn, travelling / kTravel);
}

double MotionStep::choose(const ModelData& model, const StepOptions& options, const State& state,
                          Workspace& work) const {
  update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
  const double longest = 1 / most_motion(model, work.kinematics);
  double h = options.dt_max;
  while (h > longest && 0.5 * h >= options.dt_min) h *= 0.5;
  return step_for_prescribed_motions(model, state, h, options.dt_min, work);
}

}  // namespace lipkin
