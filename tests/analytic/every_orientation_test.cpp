// Ball joints have no singular orientation: neither on a grid over all of them, nor on the way of a tumbling chain.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "lipkin/dynamics.hpp"
#include "lipkin/scene.hpp"
#include "lipkin/simulation.hpp"
#include "support/busy_scene.hpp"
#include "support/figure.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

using test::figure;
using test::Random;

constexpr double kPi = std::numbers::pi;

Model ball_chain(int links) {
  ModelBuilder builder;
  std::string parent = kWorldName;
  for (int k = 0; k < links; ++k) {
    const std::string name = "link" + std::to_string(k);
    builder.add(test::body_with(name, 1, {0, 0, -0.15}, {0.01, 0.012, 0.004}));
    JointSpec joint = test::joint_of("ball" + std::to_string(k), JointType::kBall, parent, name);
    if (k > 0) joint.frame_in_parent.position = {0, 0, -0.3};
    joint.q = {std::cos(kPi / 4), std::sin(kPi / 4), 0, 0};
    joint.u = {1.0 + k, 6.0 - 2 * k, 3.0};
    builder.add(joint);
    parent = name;
  }
  return builder.build();
}

// Euler angles z-y-x over the whole range, the poles included where such angles lock.
std::vector<Eigen::Quaterniond> grid() {
  std::vector<Eigen::Quaterniond> all;
  constexpr int kSteps = 24;
  for (int i = 0; i < kSteps; ++i)
    for (int j = 0; j <= kSteps / 2; ++j)
      for (int k = 0; k < kSteps; ++k)
        all.push_back(Eigen::Quaterniond(Eigen::AngleAxisd(2 * kPi * i / kSteps, Eigen::Vector3d::UnitZ()) *
                                         Eigen::AngleAxisd(kPi * j / (kSteps / 2) - kPi / 2, Eigen::Vector3d::UnitY()) *
                                         Eigen::AngleAxisd(2 * kPi * k / kSteps, Eigen::Vector3d::UnitX())));
  return all;
}

// The mass matrix stays away from singular, accelerations stay bounded, and turning a little changes them a little.
TEST(EveryOrientation, OfTheMiddleLinkIsRegular) {
  const Model model = ball_chain(3);
  Dynamics dynamics(model);
  const State initial = initial_state(model);
  double smallest = 1e9, largest = 0, steepest = 0;
  const auto orientations = grid();
  for (const Eigen::Quaterniond& r : orientations) {
    std::vector<double> q = initial.q;
    const auto place = [&](const Eigen::Quaterniond& o) { q[4] = o.w(), q[5] = o.x(), q[6] = o.y(), q[7] = o.z(); };
    place(r);
    dynamics.set(q, initial.u);
    const Eigen::VectorXd a = dynamics.accelerations();
    smallest = std::min(smallest, dynamics.mass_matrix().selfadjointView<Eigen::Lower>().eigenvalues().minCoeff());
    largest = std::max(largest, a.cwiseAbs().maxCoeff());
    constexpr double kTurn = 1e-6;
    for (int k = 0; k < 3; ++k) {
      place(r * Eigen::Quaterniond(Eigen::AngleAxisd(kTurn, Eigen::Vector3d::Unit(k))));
      dynamics.set(q, initial.u);
      steepest = std::max(steepest, (dynamics.accelerations() - a).cwiseAbs().maxCoeff() / kTurn);
    }
    ASSERT_TRUE(a.allFinite());
  }
  figure("{} orientations: smallest eigenvalue of M {:.2e}, largest acceleration {:.1f}, steepest slope {:.1f} per rad",
         orientations.size(), smallest, largest, steepest);
  EXPECT_GT(smallest, 1e-4);          // the inertia about a link's own axis is 0.004, whatever the orientation
  EXPECT_LT(steepest, 10 * largest);  // no more than a smooth function of sines
}

// Which twelfths of a sphere the directions fall into: 4 quarters of longitude, 3 thirds of height.
int sector(const Eigen::Vector3d& n) {
  const int quarter = std::min(3, static_cast<int>((std::atan2(n.y(), n.x()) + kPi) / (kPi / 2)));
  return 3 * quarter + (n.z() > 1.0 / 3 ? 2 : n.z() > -1.0 / 3 ? 1 : 0);
}

struct Tumble {
  std::set<std::pair<int, int>> sectors;  // where the axis points, and where the x axis does
  double energy_error = 0, norm_error = 0, roughness = 0, steepest_pitch = 0;
};

// Roughness: how far an acceleration is from the cubic through its four neighbours dt apart, relative to the largest.
void watch(Simulation& simulation, double duration, double dt, Tumble& tumble) {
  Dynamics dynamics(simulation.model());
  const int last = simulation.model().body_count() - 1;
  std::vector<Eigen::VectorXd> a;
  double largest = 0;
  const double start = simulation.state().t;
  for (int n = 1; n * dt <= duration; ++n) {
    simulation.run(start + n * dt - simulation.state().t);
    dynamics.set(simulation.state());
    a.push_back(dynamics.accelerations());
    ASSERT_TRUE(a.back().allFinite());
    largest = std::max(largest, a.back().cwiseAbs().maxCoeff());
    const Eigen::Matrix3d R = dynamics.body_motion(last).pose.orientation.toRotationMatrix();
    tumble.sectors.insert({sector(R.col(2)), sector(R.col(0))});
    tumble.steepest_pitch = std::max(tumble.steepest_pitch, std::abs(R(2, 0)));
    const double energy = dynamics.energy().total();
    tumble.energy_error = std::max(tumble.energy_error, std::abs(energy - simulation.statistics().energy_initial));
    for (std::size_t k = 0; k < simulation.state().q.size(); k += 4) {
      const double* q = simulation.state().q.data() + k;
      const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      tumble.norm_error = std::max(tumble.norm_error, std::abs(norm - 1));
    }
    if (a.size() < 5) continue;
    const Eigen::VectorXd* p = a.data() + a.size() - 5;
    const Eigen::VectorXd cubic = (4 * (p[1] + p[3]) - (p[0] + p[4])) / 6;
    tumble.roughness = std::max(tumble.roughness, (p[2] - cubic).cwiseAbs().maxCoeff());
  }
  tumble.roughness /= largest;
}

TEST(EveryOrientation, OnTheWayOfATumblingChain) {
  Simulation simulation(test::scene_of(ball_chain(3), StepperKind::kDopri5));
  simulation.set_tolerances(1e-11, 1e-11);
  Tumble tumble;
  watch(simulation, 20, 1e-3, tumble);
  figure(
      "ball chain, 20 s: {} of 144 pairs of sectors seen, x axis up to {:.2f} deg steep, energy kept to {:.1e} J, "
      "quaternions to {:.1e}, roughness of the accelerations {:.1e}",
      tumble.sectors.size(), std::asin(tumble.steepest_pitch) * 180 / kPi, tumble.energy_error, tumble.norm_error,
      tumble.roughness);
  EXPECT_GT(tumble.sectors.size(), 100u);           // of those 132 or so that perpendicular axes can take
  EXPECT_GT(tumble.steepest_pitch, std::sin(1.5));  // through the poles of Euler angles
  EXPECT_LT(tumble.energy_error, 1e-7);
  EXPECT_LT(tumble.norm_error, 4e-16);
  EXPECT_LT(tumble.roughness, 1e-2);
}

TEST(EveryOrientation, InTheScene) {
  Simulation simulation(load_scene("ball-chain"));
  Tumble tumble;
  watch(simulation, 5, 2.5e-4, tumble);  // six light links whip faster
  figure("scene ball-chain, 5 s: energy kept to {:.1e} J, quaternions to {:.1e}, roughness {:.1e}", tumble.energy_error,
         tumble.norm_error, tumble.roughness);
  EXPECT_LT(tumble.energy_error, 1e-7);
  EXPECT_LT(tumble.norm_error, 4e-16);
  EXPECT_LT(tumble.roughness, 1e-2);
}

// Fixed steps keep quaternions unit too, over many steps.
TEST(EveryOrientation, QuaternionsStayUnitInEveryStepper) {
  for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kRk4}) {
    Simulation simulation(test::scene_of(ball_chain(4), stepper, 1e-4));
    double worst = 0;
    for (int n = 0; n < 20000; ++n) {
      simulation.step();
      for (std::size_t k = 0; k < simulation.state().q.size(); k += 4) {
        const double* q = simulation.state().q.data() + k;
        worst = std::max(worst, std::abs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1));
      }
    }
    EXPECT_LT(worst, 1e-15) << name_of(stepper);
  }
}

}  // namespace
}  // namespace lipkin
