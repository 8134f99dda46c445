// Springs, bushings and joint springs: their forces are the gradient of their energy, their dampers take the power they
// should, and what acts between bodies leaves momentum alone.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "forces/elements.hpp"
#include "lipkin/dynamics.hpp"
#include "model/model_data.hpp"
#include "support/figure.hpp"
#include "support/random_tree.hpp"
#include "support/sample_models.hpp"
#include "tree/local_coordinates.hpp"

namespace lipkin {
namespace {

using test::figure;
using test::Random;
using test::RandomState;

Eigen::VectorXd vector_of(const std::vector<double>& v) {
  return Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
}

// All generalized forces of the model together: what the accelerations are there for, inertia and gravity taken off.
Eigen::VectorXd generalized_forces(Dynamics& dynamics) {
  const Eigen::VectorXd a = dynamics.accelerations_full();
  return dynamics.inverse_dynamics({a.data(), static_cast<std::size_t>(a.size())});
}

// Minus the gradient of the elastic energy along the velocities, by differences of order 4.
Eigen::VectorXd energy_gradient(const Model& model, Dynamics& dynamics, const RandomState& s) {
  constexpr double kStep = 1e-3;
  const ModelData& data = model.data();
  Eigen::VectorXd force(model.u_count());
  for (int k = 0; k < model.u_count(); ++k) {
    const Eigen::VectorXd along = Eigen::VectorXd::Unit(model.u_count(), k);
    const auto energy = [&](double h) {
      std::vector<double> q(s.q.size());
      retract<double>(data.links.data(), static_cast<int>(data.links.size()), s.q.data(), h, along.data(), q.data());
      dynamics.set(q, s.u);
      return dynamics.energy().elastic;
    };
    force[k] = -(8 * (energy(kStep) - energy(-kStep)) - (energy(2 * kStep) - energy(-2 * kStep))) / (12 * kStep);
  }
  dynamics.set(s.q, s.u);
  return force;
}

// At several states at rest: the largest difference of forces from the gradient, relative to the largest force.
double gradient_difference(Random& random, const Model& model, int states = 10) {
  Dynamics dynamics(model);
  double worst = 0;
  for (int n = 0; n < states; ++n) {
    RandomState s = test::random_state(random, model);
    std::fill(s.u.begin(), s.u.end(), 0.0);
    dynamics.set(s.q, s.u);
    const Eigen::VectorXd expected = energy_gradient(model, dynamics, s), force = generalized_forces(dynamics);
    worst = std::max(worst, (force - expected).cwiseAbs().maxCoeff() / std::max(1.0, expected.cwiseAbs().maxCoeff()));
  }
  return worst;
}

// Differences of order 4 at 1e-3 of functions that vary over 1 rad or 1 m.
constexpr double kDifferences = 1e-8;

test::TreeParts two_bodies(Random& random) {
  test::TreeParts parts;
  parts.gravity = {0, 0, 0};
  for (const char* name : {"one", "two"}) {
    BodySpec body;
    body.name = name;
    body.mass_properties = test::random_mass_properties(random);
    parts.bodies.push_back(body);
    JointSpec joint = test::joint_of(std::string("free_") + name, JointType::kFree, kWorldName, name);
    joint.frame_in_child = test::random_pose(random, 0.3);
    parts.joints.push_back(joint);
  }
  return parts;
}

SpringDamperSpec random_spring(Random& random, const std::string& a, const std::string& b, double damping) {
  SpringDamperSpec spring;
  spring.name = "spring";
  spring.a = {"", a, random.vector(0.4)};
  spring.b = {"", b, random.vector(0.4)};
  spring.stiffness = 40;
  spring.damping = damping;
  spring.rest_length = 0.7;
  return spring;
}

BushingSpec random_bushing(Random& random, const std::string& a, const std::string& b, double damping) {
  BushingSpec bushing;
  bushing.name = "bushing";
  bushing.body_a = a;
  bushing.body_b = b;
  bushing.frame_in_a = test::random_pose(random, 0.4);
  bushing.frame_in_b = test::random_pose(random, 0.4);
  bushing.stiffness = {30, 50, 10};
  bushing.angular_stiffness = {3, 1, 2};
  bushing.damping = damping * Eigen::Vector3d(1, 2, 3);
  bushing.angular_damping = damping * Eigen::Vector3d(0.3, 0.2, 0.1);
  return bushing;
}

// Net force and net moment about the world's origin on two free bodies, from the motion they cause.
double net_wrench(Dynamics& dynamics) {
  const Eigen::VectorXd Q = generalized_forces(dynamics);
  Eigen::Matrix<double, 6, 1> net = Eigen::Matrix<double, 6, 1>::Zero();
  // Power of Q in a rigid motion of the whole: six directions.
  const Model& model = dynamics.model();
  Eigen::MatrixXd J(12, 12);
  J << dynamics.body_jacobian(model.body("one")), dynamics.body_jacobian(model.body("two"));
  for (int k = 0; k < 6; ++k) {
    Eigen::VectorXd motion(12);
    for (int b = 0; b < 2; ++b) {
      const Eigen::Vector3d p = dynamics.body_motion(model.body(b == 0 ? "one" : "two")).pose.position;
      const Eigen::Vector3d w = k < 3 ? Eigen::Vector3d(Eigen::Vector3d::Unit(k)) : Eigen::Vector3d::Zero();
      const Eigen::Vector3d v = k < 3 ? Eigen::Vector3d(w.cross(p)) : Eigen::Vector3d(Eigen::Vector3d::Unit(k - 3));
      motion.segment<6>(6 * b) << w, v;
    }
    net[k] = Q.dot(J.partialPivLu().solve(motion));
  }
  return net.norm() / std::max(1.0, Q.norm());
}

TEST(SpringDamper, ForceIsTheGradientOfItsEnergy) {
  Random random(1);
  double worst = 0;
  for (int n = 0; n < 20; ++n) {
    ModelBuilder builder = test::builder_of(two_bodies(random));
    builder.add(random_spring(random, n % 2 ? "one" : kWorldName, "two", 0));
    worst = std::max(worst, gradient_difference(random, builder.build()));
  }
  EXPECT_LT(worst, kDifferences);
  figure("spring: force against the gradient of its energy {:.1e}", worst);
}

TEST(SpringDamper, ConservesMomentumAndDampsItsOwnRate) {
  Random random(2);
  for (int n = 0; n < 50; ++n) {
    ModelBuilder builder = test::builder_of(two_bodies(random));
    SpringDamperSpec spring = random_spring(random, "one", "two", 1.5);
    spring.stiffness = 0;
    builder.add(spring);
    const Model model = builder.build();
    const RandomState s = test::random_state(random, model);
    Dynamics dynamics(model);
    dynamics.set(s.q, s.u);
    EXPECT_LT(net_wrench(dynamics), 1e-12);
    const double rate = dynamics.variable("spring.spring.rate");
    EXPECT_NEAR(generalized_forces(dynamics).dot(vector_of(s.u)), -1.5 * rate * rate, 1e-11 * (1 + rate * rate));
    EXPECT_NEAR(dynamics.variable("spring.spring.force"), 1.5 * rate, 1e-12 * (1 + std::abs(rate)));
  }
}

// Length, rate and tension by hand: points at (0, 0, 0) and (3, 4, 0), the second moving at (1, 0, 0).
TEST(SpringDamper, ClosedForm) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  builder.add(test::body_with("ball", 2, {0, 0, 0}, {1, 1, 1}));
  JointSpec joint = test::joint_of("free", JointType::kFree, kWorldName, "ball");
  joint.q = {3, 4, 0, 1, 0, 0, 0};
  joint.u = {1, 0, 0, 0, 0, 0};
  builder.add(joint);
  SpringDamperSpec spring;
  spring.name = "spring";
  spring.b.body = "ball";
  spring.stiffness = 10;
  spring.damping = 5;
  spring.rest_length = 4;
  builder.add(spring);
  Dynamics dynamics(builder.build());
  EXPECT_DOUBLE_EQ(dynamics.variable("spring.spring.length"), 5);
  EXPECT_DOUBLE_EQ(dynamics.variable("spring.spring.rate"), 0.6);
  EXPECT_DOUBLE_EQ(dynamics.variable("spring.spring.force"), 13);
  EXPECT_DOUBLE_EQ(dynamics.energy().elastic, 5);
  const Eigen::VectorXd a = dynamics.accelerations_full();
  EXPECT_NEAR(a[0], -13 * 0.6 / 2, 1e-14);
  EXPECT_NEAR(a[1], -13 * 0.8 / 2, 1e-14);
}

TEST(SpringDamper, RestLengthDefaultsToTheInitialDistanceAndCoincidingPointsDoNotPull) {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  builder.add(test::body_with("ball", 2, {0, 0, 0}, {1, 1, 1}));
  JointSpec joint = test::joint_of("free", JointType::kFree, kWorldName, "ball");
  joint.q = {3, 4, 0, 1, 0, 0, 0};
  builder.add(joint);
  SpringDamperSpec spring;
  spring.name = "spring";
  spring.b.body = "ball";
  spring.stiffness = 10;
  builder.add(spring);
  Dynamics dynamics(builder.build());
  EXPECT_EQ(dynamics.variable("spring.spring.force"), 0);
  dynamics.set(std::vector<double>{0, 0, 0, 1, 0, 0, 0}, std::vector<double>(6, 1.0));
  EXPECT_TRUE(dynamics.accelerations_full().allFinite());
  EXPECT_EQ(dynamics.variable("spring.spring.length"), 0);
}

TEST(Bushing, ForceIsTheGradientOfItsEnergyAtEveryRotation) {
  Random random(3);
  double worst = 0;
  for (int n = 0; n < 20; ++n) {
    ModelBuilder builder = test::builder_of(two_bodies(random));
    builder.add(random_bushing(random, n % 2 ? "one" : kWorldName, "two", 0));
    worst = std::max(worst, gradient_difference(random, builder.build()));
  }
  EXPECT_LT(worst, kDifferences);
  figure("bushing: force against the gradient of its energy {:.1e}", worst);
}

TEST(Bushing, ConservesMomentumAndDampsTheRelativeMotion) {
  Random random(4);
  for (int n = 0; n < 50; ++n) {
    ModelBuilder builder = test::builder_of(two_bodies(random));
    const BushingSpec bushing = random_bushing(random, "one", "two", 1);
    builder.add(bushing);
    const Model model = builder.build();
    const RandomState s = test::random_state(random, model);
    Dynamics dynamics(model);
    dynamics.set(s.q, s.u);
    EXPECT_LT(net_wrench(dynamics), 1e-12);
    const Eigen::VectorXd moving = generalized_forces(dynamics), u = vector_of(s.u);
    const BodyMotion a = dynamics.body_motion(model.body("one")), b = dynamics.body_motion(model.body("two"));
    const Eigen::Quaterniond R_WP = a.pose.orientation * bushing.frame_in_a.orientation;
    const Eigen::Vector3d p_Q = b.pose.position + b.pose.orientation * bushing.frame_in_b.position;
    const auto at_Q = [&](const BodyMotion& m) {
      return Eigen::Vector3d(m.velocity + m.angular_velocity.cross(p_Q - m.pose.position));
    };
    const Eigen::Vector3d v = R_WP.conjugate() * (at_Q(b) - at_Q(a));
    const Eigen::Vector3d w = R_WP.conjugate() * (b.angular_velocity - a.angular_velocity);
    dynamics.set(s.q, std::vector<double>(s.u.size(), 0.0));
    const Eigen::VectorXd still = generalized_forces(dynamics);
    const double power = -bushing.damping.dot(v.cwiseProduct(v)) - bushing.angular_damping.dot(w.cwiseProduct(w));
    EXPECT_NEAR((moving - still).dot(u), power, 1e-11 * std::abs(power));
  }
}

TEST(Bushing, HoldsStillWhereItsFramesMeet) {
  Random random(5);
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  builder.add(test::body_with("block", 1, {0, 0, 0}, {1, 2, 3}));
  const Pose pose = test::random_pose(random, 1);
  JointSpec joint = test::joint_of("free", JointType::kFree, kWorldName, "block");
  joint.q = {pose.position.x(),    pose.position.y(),    pose.position.z(),   pose.orientation.w(),
             pose.orientation.x(), pose.orientation.y(), pose.orientation.z()};
  builder.add(joint);
  BushingSpec bushing = random_bushing(random, kWorldName, "block", 1);
  bushing.frame_in_b = {};
  bushing.frame_in_a = pose;
  builder.add(bushing);
  Dynamics dynamics(builder.build());
  EXPECT_LT(dynamics.accelerations_full().norm(), 1e-12);
  EXPECT_LT(dynamics.energy().elastic, 1e-24);
}

// Every joint type, with rests away from zero.
TEST(JointSpring, ForceIsTheGradientOfItsEnergy) {
  Random random(6);
  for (const JointType type : test::TreeOptions{}.types) {
    test::TreeOptions options;
    options.types = {type};
    double worst = 0;
    for (int n = 0; n < 5; ++n) {
      test::TreeParts parts = test::random_tree(random, 2 * u_count(type), options);
      parts.gravity.setZero();
      for (JointSpec& joint : parts.joints) {
        for (int k = 0; k < u_count(joint.type); ++k) {
          joint.stiffness.push_back(random.uniform(1, 20));
          joint.rest.push_back(random.uniform(-0.5, 0.5));
        }
      }
      worst = std::max(worst, gradient_difference(random, test::build(parts)));
    }
    EXPECT_LT(worst, kDifferences) << name_of(type);
    figure("joint spring, {:11}: force against the gradient of its energy {:.1e}", name_of(type), worst);
  }
}

TEST(JointDamper, TakesDampingTimesSquaredSpeed) {
  Random random(7);
  for (int n = 0; n < 30; ++n) {
    test::TreeParts parts = test::random_tree(random, 1 + n);
    std::vector<double> damping;
    for (JointSpec& joint : parts.joints)
      for (int k = 0; k < u_count(joint.type); ++k) joint.damping.push_back(random.uniform(0, 3));
    const Model model = test::build(parts);
    const RandomState s = test::random_state(random, model);
    Dynamics dynamics(model);
    dynamics.set(s.q, s.u);
    double power = 0;
    for (const JointSpec& joint : parts.joints) {
      const int first = joint.type == JointType::kFixed ? 0 : model.joint_u(model.joint(joint.name));
      for (std::size_t k = 0; k < joint.damping.size(); ++k) {
        const double u = s.u[first + k];
        power -= joint.damping[k] * u * u;
      }
    }
    EXPECT_NEAR(generalized_forces(dynamics).dot(vector_of(s.u)), power, 1e-9 * (1 + std::abs(power)));
  }
}

// A value given once serves all degrees of freedom.
TEST(JointDamper, OneValueForAll) {
  JointSpec joint = test::joint_of("joint", JointType::kBall, kWorldName, "body");
  joint.damping = {2};
  joint.u = {1, -2, 3};
  Dynamics dynamics(test::single_body(test::body_with("body", 1, {0, 0, 0}, {1, 1, 1}), joint));
  const Eigen::VectorXd a = dynamics.accelerations_full();
  EXPECT_LT((a - Eigen::Vector3d(-2, 4, -6)).norm(), 1e-14);
}

TEST(RotationVector, InvertsTheExponential) {
  Random random(8);
  for (const double size : {0.0, 1e-14, 1e-9, 1e-3, 1.0, 3.0, 3.14}) {
    const Eigen::Vector3d theta = size * random.unit_vector();
    const Quaternion<double> q = quaternion_exp(Vec3<double>{{theta.x(), theta.y(), theta.z()}});
    const Quaternion<double> opposite = {-q.w, -q.x, -q.y, -q.z};
    for (const Quaternion<double>& same : {q, opposite}) {
      const Vec3<double> back = rotation_vector(same);
      EXPECT_LT((Eigen::Vector3d(back[0], back[1], back[2]) - theta).norm(), 1e-14 * (1e-3 + size) + 1e-30);
    }
  }
}

}  // namespace
}  // namespace lipkin
