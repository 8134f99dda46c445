// Lipkin's own scenes are what they say.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "lipkin/dynamics.hpp"
#include "lipkin/scene.hpp"
#include "lipkin/simulation.hpp"

namespace lipkin {
namespace {

TEST(Scenes, AllLoadWithoutAWarning) {
  const std::vector<SceneInfo> scenes = list_scenes();
  ASSERT_GE(scenes.size(), 12u);
  for (const SceneInfo& info : scenes) {
    const Scene scene = load_scene(info.name);
    EXPECT_EQ(scene.name, info.name);
    EXPECT_EQ(scene.description, info.description);
    EXPECT_FALSE(scene.description.empty()) << info.name;
    EXPECT_GT(scene.model.output_count(), 0) << info.name;
    for (const Diagnostic& warning : scene.warnings) ADD_FAILURE() << warning.text();
  }
}

TEST(Scenes, AllRun) {
  for (const SceneInfo& info : list_scenes()) {
    Scene scene = load_scene(info.name, {{"experiment.duration", "0.05"}});
    if (!is_built(scene.experiment.stepper)) continue;
    Simulation simulation(std::move(scene));
    simulation.run(0.05);
    for (const double value : simulation.outputs()) EXPECT_TRUE(std::isfinite(value)) << info.name;
  }
}

// chain-N of the benchmarks: 1 kg, 1 m rods of radius 0.05 along x, axes alternating y, z.
TEST(Scenes, ChainHasRodsWithAxesInTurn) {
  const Model model = load_scene("chain", {{"n", "7"}}).model;
  ASSERT_EQ(model.u_count(), 7);
  Dynamics dynamics(model);
  dynamics.set(initial_state(model));
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(model.body_mass(i), 1);
    EXPECT_EQ(model.body_com(i), Eigen::Vector3d(0.5, 0, 0));
    const double transverse = (3 * 0.05 * 0.05 + 1) / 12;
    const Eigen::Matrix3d inertia = Eigen::Vector3d(0.5 * 0.05 * 0.05, transverse, transverse).asDiagonal();
    EXPECT_TRUE(model.body_inertia(i).isApprox(inertia, 1e-15));  // rounding
    const Eigen::Vector3d axis = dynamics.body_jacobian(i).block<3, 1>(0, i);
    EXPECT_EQ(axis, i % 2 == 0 ? Eigen::Vector3d(0, 1, 0) : Eigen::Vector3d(0, 0, 1)) << i;
    EXPECT_EQ(dynamics.body_motion(i).pose.position, Eigen::Vector3d(i, 0, 0));
  }
}

struct Limb {
  std::string name, axes;
  double x, y, z, length, mass;
};

// The benchmark's humanoid: a floating torso of 20 kg and five limbs.
TEST(Scenes, HumanoidHasTheBenchmarksLimbs) {
  const Model model = load_scene("humanoid-tree").model;
  ASSERT_EQ(model.u_count(), 36);
  EXPECT_EQ(model.joint_type(0), JointType::kFree);
  EXPECT_EQ(model.body_mass(0), 20);
  EXPECT_EQ(model.body_com(0), Eigen::Vector3d(0.01, 0, 0.15));
  Dynamics dynamics(model);
  dynamics.set(initial_state(model));
  int body = 1;
  for (const Limb& limb :
       {Limb{"leg1_", "zxyyyx", 0, 0.1, 0, 0.4, 2}, Limb{"leg2_", "zxyyyx", 0, -0.1, 0, 0.4, 2},
        Limb{"arm1_", "yxzyzyx", 0, 0.25, 0.3, 0.3, 1}, Limb{"arm2_", "yxzyzyx", 0, -0.25, 0.3, 0.3, 1},
        Limb{"neck", "zyxy", 0, 0, 0.4, 0.1, 0.8}}) {
    const double direction = limb.name == "neck" ? 1 : -1;
    Eigen::Vector3d origin(limb.x, limb.y, limb.z);
    for (std::size_t i = 0; i < limb.axes.size(); ++i, ++body) {
      SCOPED_TRACE(limb.name + std::to_string(i + 1));
      EXPECT_EQ(model.body_name(body), limb.name + std::to_string(i + 1));
      EXPECT_EQ(model.joint_parent(body), i == 0 ? 0 : body - 1);
      if (i > 0) origin.z() += direction * (i < 3 ? 0.05 : limb.length);
      EXPECT_TRUE(dynamics.body_motion(body).pose.position.isApprox(origin, 1e-15));  // rounding
      const double length = i < 2 ? 0.05 : limb.length;
      EXPECT_EQ(model.body_mass(body), limb.mass);
      EXPECT_EQ(model.body_com(body), Eigen::Vector3d(0, 0, direction * 0.5 * length));
      const double transverse = limb.mass * (3 * 0.05 * 0.05 + length * length) / 12;
      const Eigen::Matrix3d inertia =
          Eigen::Vector3d(transverse, transverse, 0.5 * limb.mass * 0.05 * 0.05).asDiagonal();
      EXPECT_TRUE(model.body_inertia(body).isApprox(inertia, 1e-15));
      const Eigen::Vector3d axis = dynamics.body_jacobian(body).block<3, 1>(0, model.joint_u(body));
      EXPECT_EQ(axis, Eigen::Vector3d::Unit(limb.axes[i] - 'x'));
    }
  }
  EXPECT_EQ(body, model.body_count());
}

// Ball joints have no orientation in which they fail. Each of the twelve kinds of Euler angles does, where one entry of
// the rotation matrix is 1 or -1 (J. Diebel, "Representing Attitude", 2006): every joint passes near them all.
TEST(Scenes, BallChainPassesThroughEveryOrientationAndKeepsItsEnergy) {
  Simulation simulation(load_scene("ball-chain"));
  std::vector<Eigen::Matrix3d> largest(static_cast<std::size_t>(simulation.model().joint_count()),
                                       Eigen::Matrix3d::Zero());
  simulation.run(simulation.experiment().duration, 0.005, [&](const Simulation& now) {
    for (std::size_t joint = 0; joint < largest.size(); ++joint) {
      const double* q = &now.state().q[4 * joint];
      const Eigen::Matrix3d R = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
      largest[joint] = largest[joint].cwiseMax(R.cwiseAbs());
      EXPECT_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-14);  // rounding, no drift
    }
    return true;
  });
  for (const Eigen::Matrix3d& entries : largest) EXPECT_GT(entries.minCoeff(), 0.99);  // within 8 degrees
  const Statistics& statistics = simulation.statistics();
  // At worst the tolerance of 1e-10 per step adds up over some 15,000 steps.
  EXPECT_NEAR(statistics.energy_final, statistics.energy_initial, 1.5e-6 * statistics.energy_initial);
}

}  // namespace
}  // namespace lipkin
