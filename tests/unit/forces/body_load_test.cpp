// The total force and moment on a body against the change of its momentum from step to step.
#include <gtest/gtest.h>

#include <array>

#include "lipkin/simulation.hpp"

namespace lipkin {
namespace {

struct Momentum {
  Eigen::Vector3d linear, angular;  // angular: about the body's centre of mass
};

Momentum momentum_of(const Simulation& simulation, int body) {
  const Model& model = simulation.model();
  const BodyMotion motion = simulation.body_motion(body);
  const Eigen::Matrix3d R = motion.pose.orientation.toRotationMatrix();
  const Eigen::Vector3d w = motion.angular_velocity;
  return {model.body_mass(body) * (motion.velocity + w.cross(R * model.body_com(body))),
          R * model.body_inertia(body) * R.transpose() * w};
}

std::array<double, 6> load_of(Simulation& simulation, const std::string& body) {
  std::vector<std::string> names;
  for (const char* what : {"fx", "fy", "fz", "nx", "ny", "nz"}) names.push_back("body." + body + "." + what);
  EXPECT_EQ(simulation.set_watches(names), std::vector<std::string>(6));
  std::array<double, 6> load;
  std::copy_n(simulation.watched().begin(), 6, load.begin());
  return load;
}

// Centred differences over two steps of 0.1 ms: what is left is their own error, h^2/6 times the third derivative of
// the momentum, some (10 rad/s)^3 of it.
void expect_change_of_momentum(const char* scene) {
  Simulation simulation(load_scene(scene));
  simulation.set_stepper(StepperKind::kRk4);
  simulation.set_dt(1e-4);
  for (int i = 0; i < 3000; ++i) simulation.step();
  for (int body = 0; body < simulation.model().body_count(); ++body) {
    const Checkpoint here = simulation.checkpoint();
    const Momentum before = momentum_of(simulation, body);
    simulation.step();
    const std::array<double, 6> load = load_of(simulation, simulation.model().body_name(body));
    simulation.step();
    const Momentum after = momentum_of(simulation, body);
    simulation.restore(here);
    const double h = 2e-4, scale = 1 + before.linear.norm() + before.angular.norm();
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(load[k], (after.linear[k] - before.linear[k]) / h, 1e-4 * scale) << scene << " " << body;
      EXPECT_NEAR(load[3 + k], (after.angular[k] - before.angular[k]) / h, 1e-4 * scale) << scene << " " << body;
    }
  }
}

TEST(BodyLoad, IsTheChangeOfMomentum) {
  for (const char* scene : {"double-pendulum", "spherical-pendulum", "lagrange-top"}) expect_change_of_momentum(scene);
}

// Its angular momentum stays though it tumbles: the moment is zero where neither of its terms is.
TEST(BodyLoad, VanishesForAFreeTop) {
  Simulation simulation(load_scene("torque-free-top"));
  for (int i = 0; i < 100; ++i) simulation.step();
  const std::array<double, 6> load = load_of(simulation, simulation.model().body_name(0));
  const double turning =
      simulation.body_motion(0).angular_velocity.squaredNorm() * simulation.model().body_inertia(0).norm();
  for (const double component : load) EXPECT_NEAR(component, 0, 1e-12 * turning);  // round-off
}

}  // namespace
}  // namespace lipkin
