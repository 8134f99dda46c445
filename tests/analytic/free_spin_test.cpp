// Bodies that tumble in free flight: energy to rounding, angular momentum at first order, whatever the spin.
#include <gtest/gtest.h>

#include <cmath>

#include "lipkin/lipkin.hpp"
#include "support/busy_scene.hpp"
#include "support/figure.hpp"

namespace lipkin {
namespace {

using test::figure;

// A brick, spinning near its unstable axis.
Model brick(double spin) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  BodySpec body;
  body.name = "brick";
  ShapeSpec shape;
  shape.geometry = ShapeBox{{0.24, 0.115, 0.05}};
  shape.density = 1800;
  body.shapes = {shape};
  builder.add(body);
  JointSpec free;
  free.name = "flight";
  free.type = JointType::kFree;
  free.parent = kWorldName;
  free.child = "brick";
  free.u = {0, 0, 0, 0.01 * spin, spin, 0.02 * spin};
  builder.add(free);
  return builder.build();
}

// About the centre of mass, per unit of mass.
Eigen::Vector3d angular_momentum(const BodyMotion& motion) {
  const Eigen::Vector3d square = Eigen::Vector3d(0.24, 0.115, 0.05).cwiseAbs2() / 12;
  const Eigen::Vector3d inertia(square[1] + square[2], square[0] + square[2], square[0] + square[1]);
  const Eigen::Matrix3d R = motion.pose.orientation.toRotationMatrix();
  return R * inertia.asDiagonal() * R.transpose() * motion.angular_velocity;
}

struct Flight {
  double energy_change;  // relative
  Eigen::Vector3d momentum_change;
  double momentum;
};

Flight fly(double spin, double dt, StepperKind stepper) {
  Simulation simulation(test::scene_of(brick(spin), stepper, dt));
  const double energy = simulation.energy().kinetic;
  const Eigen::Vector3d momentum = angular_momentum(simulation.body_motion(0));
  simulation.run(2);
  return {simulation.energy().kinetic / energy - 1, angular_momentum(simulation.body_motion(0)) - momentum,
          momentum.norm()};
}

TEST(FreeSpin, ATumblingBrickKeepsItsEnergy) {
  for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kMoreau}) {
    for (const double spin : {5.0, 50.0, 200.0}) {
      const Flight flight = fly(spin, 1e-3, stepper);
      figure("brick at {} rad/s for 2 s: energy changes by {:.1e}", spin, flight.energy_change);
      EXPECT_LE(std::abs(flight.energy_change), 1e-12);  // 2000 steps of rounding
    }
  }
}

TEST(FreeSpin, ItsMomentumTurnsAtFirstOrderOfTheStep) {
  const Flight coarse = fly(10, 2e-3, StepperKind::kEuler), fine = fly(10, 1e-3, StepperKind::kEuler);
  const double ratio = coarse.momentum_change.norm() / fine.momentum_change.norm();
  figure("angular momentum turns by {:.1e} and {:.1e} of itself at 2 and 1 ms",
         coarse.momentum_change.norm() / coarse.momentum, fine.momentum_change.norm() / fine.momentum);
  EXPECT_NEAR(std::log2(ratio), 1, 0.3);
}

}  // namespace
}  // namespace lipkin
