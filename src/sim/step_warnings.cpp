#include "sim/step_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lipkin/dynamics.hpp"
#include "model/eigen_convert.hpp"
#include "model/joint_units.hpp"
#include "model/model_compiler.hpp"
#include "sim/gravity_warnings.hpp"

namespace lipkin {
namespace {

constexpr double kPerPeriod = 20;  // steps that show a swing as it is

// A place on a body; the world where body < 0.
struct End {
  int body = -1;
  Eigen::Vector3d place = Eigen::Vector3d::Zero();  // in the body frame [m]
};

End end_of(const ModelData& model, const PointData& point) {
  if (point.body < 0) return {};
  return {point.body, to_eigen(inverse(model.bodies[static_cast<std::size_t>(point.body)].X_LB) * point.p_L)};
}

// How fast the ends part along a direction after a unit impulse that parts them: the inverse of the mass that a spring
// between them moves [1/kg].
double inverse_mass(Dynamics& dynamics, const End& a, const End& b, const Eigen::Vector3d& direction) {
  Eigen::VectorXd change = Eigen::VectorXd::Zero(dynamics.model().u_count());
  const Eigen::Vector3d none = Eigen::Vector3d::Zero();
  if (a.body >= 0) change += dynamics.impulse_response(a.body, a.place, -direction, none);
  if (b.body >= 0) change += dynamics.impulse_response(b.body, b.place, direction, none);
  double rate = 0;
  if (a.body >= 0) rate -= direction.dot(dynamics.point_jacobian(a.body, a.place) * change);
  if (b.body >= 0) rate += direction.dot(dynamics.point_jacobian(b.body, b.place) * change);
  return rate;
}

Eigen::Vector3d place_in_world(Dynamics& dynamics, const End& end) {
  if (end.body < 0) return end.place;
  const Pose pose = dynamics.body_motion(end.body).pose;
  return pose.position + pose.orientation * end.place;
}

// Whether steps of dt make a swing under k and c larger: with a = c w dt and b = k w dt^2, w the inverse mass, the
// steps of euler multiply it by the roots of z^2 - (2 - a - b) z + 1 - a, which leave the unit circle at 2 a + b = 4.
// On the imaginary axis rk4 goes to 2.83.
bool grows(StepperKind stepper, double dt, double k, double c, double w) {
  const double a = c * w * dt, b = k * w * dt * dt;
  if (stepper == StepperKind::kRk4) return b > 8 || a > 2.78;
  return 2 * a + b > 4;
}

class SpringWarnings {
 public:
  SpringWarnings(const Simulation& simulation, std::vector<Diagnostic>& warnings)
      : model_(simulation.model().data()),
        experiment_(simulation.experiment()),
        dynamics_(simulation.model()),
        warnings_(warnings) {
    dynamics_.set(simulation.state());
  }

  void look() {
    for (std::size_t i = 0; i < model_.springs.size(); ++i) {
      const SpringDamperData& spring = model_.springs[i];
      const End a = end_of(model_, spring.a), b = end_of(model_, spring.b);
      if (a.body < 0) continue_with(spring, i, b, End{-1, to_eigen(spring.a.p_L)});
      if (a.body >= 0) continue_with(spring, i, a, b.body < 0 ? End{-1, to_eigen(spring.b.p_L)} : b);
    }
  }

 private:
  void continue_with(const SpringDamperData& spring, std::size_t index, const End& a, const End& b) {
    const Eigen::Vector3d along = place_in_world(dynamics_, b) - place_in_world(dynamics_, a);
    if (!(along.norm() > 0)) return;
    const double w = inverse_mass(dynamics_, a, b, along.normalized());
    if (w > 0 && grows(experiment_.stepper, experiment_.dt, spring.stiffness, spring.damping, w))
      tell(fmt::format("spring '{}'", spring.name), model_.parts->springs[index].where, spring.stiffness,
           spring.damping, w);
  }

  void tell(const std::string& part, const SourceLocation& where, double k, double c, double w) {
    double step = k > 0 ? 2 * std::numbers::pi / std::sqrt(k * w) / kPerPeriod : experiment_.dt;
    if (c > 0) step = std::min(step, 0.5 / (c * w));
    double largest = experiment_.dt;
    while (grows(experiment_.stepper, largest, k, c, w)) largest *= 0.99;
    const std::string swing =
        k > 0 ? fmt::format("swings with a period of {:.2g} s", 2 * std::numbers::pi / std::sqrt(k * w))
              : fmt::format("slows what it damps within {:.2g} s", 1 / (c * w));
    warnings_.push_back({where,
                         fmt::format("{} {}: steps above {:.1g} s let that grow without bound, and they are {:g} s",
                                     part, swing, rounded_down(largest), experiment_.dt),
                         fmt::format("write dt: {:g}", rounded_down(step)), Severity::kWarning});
  }

  const ModelData& model_;
  const Experiment& experiment_;
  Dynamics dynamics_;
  std::vector<Diagnostic>& warnings_;
};

// Springs that pull with what they were at the begin of a step. Where loops hold their ends, the mass that they move is
// another; where there are very many, the look takes as long as the run.
void warn_of_springs(const Simulation& simulation, std::vector<Diagnostic>& warnings) {
  constexpr double kMost = 1e6;
  const ModelData& model = simulation.model().data();
  const bool is_held = !model.closures.empty() || !model.gears.empty() || !model.distances.empty() ||
                       !model.motors.empty() || !model.massless_joints.empty();
  const double work = static_cast<double>(model.springs.size()) * model.u_count;
  if (model.springs.empty() || is_held || work > kMost) return;
  SpringWarnings(simulation, warnings).look();
}

void warn_of_fast_motors(const Simulation& simulation, std::vector<Diagnostic>& warnings) {
  constexpr double kFast = 0.5;  // [rad] in a step
  const ModelData& model = simulation.model().data();
  const double dt = simulation.experiment().dt;
  for (std::size_t i = 0; i < model.motors.size(); ++i) {
    const MotorSpec& motor = model.parts->motors[i];
    const double* speed = std::get_if<double>(&motor.target.source);
    if (motor.kind != MotorKind::kVelocity || motor.joint.empty() || !speed || std::abs(*speed) * dt <= kFast) continue;
    const auto joint = std::find_if(model.joints.begin(), model.joints.end(),
                                    [&](const JointData& j) { return j.name == motor.joint; });
    if (joint == model.joints.end() || !is_angle(joint->type, static_cast<std::size_t>(motor.dof))) continue;
    warnings.push_back({motor.target.where,
                        fmt::format("motor '{}' turns joint '{}' by {:.3g} rad in each step of {:g} s", motor.name,
                                    motor.joint, *speed * dt, dt),
                        fmt::format("speeds are in rad/s: {:g} rpm are {:g}*2*pi/60; for {:g} rad/s write dt: {:g}",
                                    *speed, *speed, *speed, rounded_down(0.1 / std::abs(*speed))),
                        Severity::kWarning});
  }
}

}  // namespace

double rounded_down(double x) {
  const double digit = std::pow(10, std::floor(std::log10(x)));
  return std::floor(x / digit * (1 + 1e-12)) * digit;
}

void warn_of_long_steps(const Simulation& simulation, std::vector<Diagnostic>& warnings) {
  const Experiment& e = simulation.experiment();
  if (chooses_steps(e) || !(e.dt > 0) || !(e.duration >= e.dt)) return;
  if (e.duration > e.dt) warn_of_fast_motors(simulation, warnings);                       // nothing grows in one step
  if (simulation.state().q.size() != simulation.model().data().initial_q.size()) return;  // cut into bodies
  warn_of_gravity(simulation, warnings);
  if (e.duration > e.dt) warn_of_springs(simulation, warnings);
}

}  // namespace lipkin
