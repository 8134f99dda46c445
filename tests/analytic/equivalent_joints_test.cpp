// Joints of several degrees of freedom against chains of simple ones with massless links between.
#include <gtest/gtest.h>

#include <cmath>

#include "lipkin/dynamics.hpp"
#include "lipkin/simulation.hpp"
#include "support/busy_scene.hpp"
#include "support/figure.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

using test::figure;
using test::Random;

const Eigen::Vector3d kX(1, 0, 0), kY(0, 1, 0), kZ(0, 0, 1);

struct Step {
  JointType type;
  Eigen::Vector3d axis;
};

// A body on a chain of joints at a skew place of a swinging base, and another body hanging on it.
Model on_a_base(const std::vector<Step>& chain, double pitch = 0) {
  Random random(77);
  ModelBuilder builder;
  BodySpec base, body, tail;
  base.name = "base", body.name = "body", tail.name = "tail";
  base.mass_properties = test::random_mass_properties(random);
  body.mass_properties = test::random_mass_properties(random);
  tail.mass_properties = test::random_mass_properties(random);
  JointSpec hinge = test::joint_of("hinge", JointType::kRevolute, kWorldName, "base");
  hinge.axis = {0.3, 1, 0.2};
  JointSpec last = test::joint_of("last", JointType::kRevolute, "body", "tail");
  last.frame_in_parent = test::random_pose(random, 0.5);
  const Pose X_PF = test::random_pose(random, 0.5), X_CM = test::random_pose(random, 0.5);
  builder.add(base), builder.add(body), builder.add(tail), builder.add(hinge), builder.add(last);
  std::string parent = "base";
  for (std::size_t k = 0; k < chain.size(); ++k) {
    const bool at_end = k + 1 == chain.size();
    const std::string name = at_end ? "body" : "massless" + std::to_string(k);
    if (!at_end) builder.add(test::body_with(name, 0, {0, 0, 0}, {0, 0, 0}));
    JointSpec joint = test::joint_of("step" + std::to_string(k), chain[k].type, parent, name);
    joint.axis = chain[k].axis;
    joint.pitch = pitch;
    if (k == 0) joint.frame_in_parent = X_PF;
    if (at_end) joint.frame_in_child = X_CM;
    builder.add(joint);
    parent = name;
  }
  return builder.build();
}

// Accelerations at random states; the coordinates of both are the same numbers in the same order.
double difference(const Model& one, const Model& other) {
  EXPECT_EQ(one.q_count(), other.q_count());
  Random random(3);
  double worst = 0;
  for (int n = 0; n < 50; ++n) {
    const test::RandomState s = test::random_state(random, one);
    Dynamics a(one), b(other);
    a.set(s.q, s.u), b.set(s.q, s.u);
    const Eigen::VectorXd da = a.accelerations(s.tau), db = b.accelerations(s.tau);
    worst = std::max(worst, (da - db).cwiseAbs().maxCoeff() / db.cwiseAbs().maxCoeff());
  }
  return worst;
}

TEST(EquivalentJoints, UniversalIsTwoHinges) {
  const double d = difference(on_a_base({{JointType::kUniversal, kZ}}),
                              on_a_base({{JointType::kRevolute, kX}, {JointType::kRevolute, kY}}));
  EXPECT_LT(d, 1e-11);
  figure("universal joint against two hinges {:.1e}", d);
}

TEST(EquivalentJoints, CylindricalIsAHingeAndASlide) {
  const Eigen::Vector3d axis(0.4, -0.7, 0.2);
  const double d = difference(on_a_base({{JointType::kCylindrical, axis}}),
                              on_a_base({{JointType::kRevolute, axis}, {JointType::kPrismatic, axis}}));
  EXPECT_LT(d, 1e-11);
  figure("cylindrical joint against hinge and slide {:.1e}", d);
}

TEST(EquivalentJoints, PlanarIsTwoSlidesAndAHinge) {
  const double d =
      difference(on_a_base({{JointType::kPlanar, kZ}}),
                 on_a_base({{JointType::kPrismatic, kX}, {JointType::kPrismatic, kY}, {JointType::kRevolute, kZ}}));
  EXPECT_LT(d, 1e-11);
  figure("planar joint against two slides and a hinge {:.1e}", d);
}

TEST(EquivalentJoints, FreeIsThreeSlidesAndABall) {
  const double d = difference(on_a_base({{JointType::kFree, kZ}}), on_a_base({{JointType::kPrismatic, kX},
                                                                              {JointType::kPrismatic, kY},
                                                                              {JointType::kPrismatic, kZ},
                                                                              {JointType::kBall, kZ}}));
  EXPECT_LT(d, 1e-11);
  figure("free joint against three slides and a ball {:.1e}", d);
}

TEST(EquivalentJoints, ScrewWithoutPitchIsAHinge) {
  const double d =
      difference(on_a_base({{JointType::kScrew, {1, 2, 3}}}), on_a_base({{JointType::kRevolute, {1, 2, 3}}}));
  EXPECT_LT(d, 1e-12);
}

// A ball joint has other coordinates than three hinges, but moves alike: followed over time, away from where the hinges
// lock.
TEST(EquivalentJoints, BallMovesLikeThreeHinges) {
  const Model ball = on_a_base({{JointType::kBall, kZ}});
  const Model hinges = on_a_base({{JointType::kRevolute, kX}, {JointType::kRevolute, kY}, {JointType::kRevolute, kZ}});
  Simulation a(test::scene_of(ball, StepperKind::kDopri5)), b(test::scene_of(hinges, StepperKind::kDopri5));
  a.set_tolerances(1e-12, 1e-12), b.set_tolerances(1e-12, 1e-12);
  State start = b.state();
  start.u[b.model().joint_u(b.model().joint("step1"))] = 1;  // about y, the same for both at zero
  b.restore(start);
  start = a.state();
  start.u[a.model().joint_u(a.model().joint("step0")) + 1] = 1;
  a.restore(start);
  a.run(0.3), b.run(0.3);
  const Pose end_a = a.body_motion(a.model().body("tail")).pose, end_b = b.body_motion(b.model().body("tail")).pose;
  EXPECT_LT((end_a.position - end_b.position).norm(), 1e-10);
  EXPECT_LT((end_a.orientation.toRotationMatrix() - end_b.orientation.toRotationMatrix()).norm(), 1e-10);
  figure("ball joint against three hinges after 0.3 s {:.1e} m", (end_a.position - end_b.position).norm());
}

}  // namespace
}  // namespace lipkin
