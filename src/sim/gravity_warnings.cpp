#include "sim/gravity_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "model/model_compiler.hpp"
#include "model/model_suspicions.hpp"
#include "sim/step_warnings.hpp"

namespace lipkin {
namespace {

constexpr double kUsualStep = 1e-3;     // [s]
constexpr double kMetreSwings = 2;      // period of a pendulum of 1 m [s]
constexpr double kStepsToFollow = 200;  // in a swing, for the step that is advised

// Semi-implicit Euler conserves H - dt q' dH/dq / 2 of a swing instead of its energy H (Hairer, Lubich and Wanner 2006,
// IX.3), which goes up and down by w dt / 2 of itself: by a sixth with 20 steps a swing. A step of Runge-Kutta takes
// (w dt)^6 / 72 of the energy: with 6 of them a swing loses a tenth.
double fewest_steps(StepperKind stepper) { return stepper == StepperKind::kRk4 ? 6 : 20; }

bool is_turning(LinkKind kind) { return is_revolute(kind) || kind == LinkKind::kUniversal || kind == LinkKind::kBall; }

// A motor moves it whatever gravity does.
bool is_prescribed(const ModelData& model, const Link& link) {
  return std::any_of(model.motors.begin(), model.motors.end(), [&](const MotorData& motor) {
    return !motor.servo && !std::isfinite(motor.max_force) && motor.dof.u_index == link.u_index;
  });
}

// What each link carries, as one rigid body about the link's origin along its axes.
std::vector<Inertia6<double>> carried_inertias(const ModelData& model, const std::vector<Transform<double>>& X_WL) {
  std::vector<Inertia6<double>> all;
  for (const RigidInertia<double>& own : model.rigid_inertia) all.push_back(Inertia6<double>::rigid(own));
  for (std::size_t i = all.size(); i-- > 1;) {
    const auto parent = static_cast<std::size_t>(model.links[i].parent);
    if (parent > 0) all[parent] += to_parent(inverse(X_WL[parent]) * X_WL[i], all[i]);
  }
  return all;
}

// A direction across v.
Vec3<double> across(const Vec3<double>& v) {
  int k = 0;
  for (int i = 1; i < 3; ++i)
    if (std::abs(v[i]) < std::abs(v[k])) k = i;
  Vec3<double> unit = Vec3<double>::zero();
  unit[k] = 1;
  const Vec3<double> n = cross(v, unit);
  return (1 / norm(n)) * n;
}

// Of a physical pendulum, w^2 = m g L / J with L from the axis to the centre of mass; g is what gravity has across the
// axis. Infinite where nothing swings.
double period_of(const ModelData& model, std::size_t index, const Inertia6<double>& carried,
                 const Transform<double>& X_WL) {
  const Link& link = model.links[index];
  const Vec3<double> h{{carried.H(2, 1), carried.H(0, 2), carried.H(1, 0)}}, g = transpose_times(X_WL.R, model.gravity);
  constexpr double kCentred = 1e-9;  // a wheel, but for rounding [m]
  if (!(norm(h) > kCentred * carried.M(0, 0))) return std::numeric_limits<double>::infinity();
  Vec3<double> axis = across(h);
  const bool has_axis = is_revolute(link.kind);
  if (has_axis) {
    axis = Vec3<double>::zero();
    axis[static_cast<int>(link.kind) - static_cast<int>(LinkKind::kRevoluteX)] = 1;
  }
  const double rotor = has_axis ? model.armature[static_cast<std::size_t>(link.u_index)] : 0;
  const double pull = norm(cross(axis, h)) * (has_axis ? norm(cross(axis, g)) : norm(g));
  return 2 * std::numbers::pi * std::sqrt((dot(axis, carried.J * axis) + rotor) / pull);
}

const JointData* joint_of(const ModelData& model, std::size_t link) {
  const auto joint = std::find_if(model.joints.begin(), model.joints.end(),
                                  [&](const JointData& j) { return j.link == static_cast<int>(link); });
  return joint == model.joints.end() ? nullptr : &*joint;
}

class GravityWarnings {
 public:
  GravityWarnings(const Simulation& simulation, std::vector<Diagnostic>& warnings)
      : model_(simulation.model().data()),
        dt_(simulation.experiment().dt),
        fewest_(fewest_steps(simulation.experiment().stepper)),
        X_WL_(link_poses(model_, simulation.state().q.data())),
        warnings_(warnings) {}

  void look() {
    if (norm(model_.gravity) > 0 && !look_at_swings() && !look_at_falls()) look_at_step();
  }

 private:
  // In loops the joints hold each other: what each would do alone tells nothing.
  bool look_at_swings() {
    if (!model_.closures.empty() || !model_.distances.empty() || !model_.gears.empty()) return false;
    const std::vector<Inertia6<double>> carried = carried_inertias(model_, X_WL_);
    double shortest = fewest_ * dt_;
    const JointData* fastest = nullptr;
    for (std::size_t i = 1; i < model_.links.size(); ++i) {
      if (!is_turning(model_.links[i].kind) || is_prescribed(model_, model_.links[i])) continue;
      const double period = period_of(model_, i, carried[i], X_WL_[i]);
      if (!(period < shortest)) continue;
      shortest = period;
      fastest = joint_of(model_, i);
    }
    if (fastest)
      tell(place_of(*fastest), fmt::format("joint '{}' swings with a period of {:.2g} s", fastest->name, shortest),
           std::min(kUsualStep, rounded_down(shortest / kStepsToFollow)));
    return fastest;
  }

  // Through more than all of itself: what it falls onto may be on its other side by then.
  bool look_at_falls() {
    for (const JointData& joint : model_.joints) {
      if (joint.type != JointType::kFree || joint.link < 0) continue;
      double size = 0;
      for (const ContactShapeData& shape : model_.contact_shapes)
        if (shape.link == joint.link) size = std::max(size, extent(shape.geometry).largest);
      if (!(size > 0) || fall() <= size) continue;
      const std::string& body = model_.bodies[static_cast<std::size_t>(joint.child)].name;
      tell(place_of(joint), fmt::format("body '{}' is {:.2g} m large and falls {:.2g} m in a step", body, size, fall()),
           std::min(kUsualStep, rounded_down(std::sqrt(size / norm(model_.gravity)) / kStepsToFollow)));
      return true;
    }
    return false;
  }

  // Wheels and bodies that lie on others have no period of their own; a machine of a metre has one all the same.
  void look_at_step() {
    constexpr double kRounding = 1e-9;
    if (dt_ * fewest_ < kMetreSwings * (1 - kRounding)) return;
    for (const JointData& joint : model_.joints) {
      if (joint.link < 0 || !may_turn_or_touch(joint)) continue;
      return tell(place_of(joint), fmt::format("what is free falls {:.2g} m in a step", fall()), kUsualStep);
    }
  }

  bool may_turn_or_touch(const JointData& joint) const {
    return is_turning(model_.links[static_cast<std::size_t>(joint.link)].kind) ||
           std::any_of(model_.contact_shapes.begin(), model_.contact_shapes.end(),
                       [&](const ContactShapeData& shape) { return shape.link == joint.link; });
  }

  double fall() const { return norm(model_.gravity) * dt_ * dt_ / 2; }

  const SourceLocation& place_of(const JointData& joint) const {
    return model_.parts->joints[static_cast<std::size_t>(&joint - model_.joints.data())].where;
  }

  void tell(const SourceLocation& where, const std::string& motion, double step) {
    warnings_.push_back({where, fmt::format("{}, and the steps are {:g} s", motion, dt_),
                         fmt::format("dt is in seconds, and 1 ms is 0.001: write dt: {:g}", step), Severity::kWarning});
  }

  const ModelData& model_;
  double dt_, fewest_;
  std::vector<Transform<double>> X_WL_;
  std::vector<Diagnostic>& warnings_;
};

}  // namespace

void warn_of_gravity(const Simulation& simulation, std::vector<Diagnostic>& warnings) {
  GravityWarnings(simulation, warnings).look();
}

}  // namespace lipkin
