// The same mechanism described in other ways: frames turned, bodies merged, parts in another order.
#include <gtest/gtest.h>

#include <algorithm>

#include "lipkin/dynamics.hpp"
#include "model/eigen_convert.hpp"
#include "model/model_data.hpp"
#include "support/figure.hpp"
#include "support/random_tree.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

using test::Random;
using test::RandomState;
using test::TreeParts;

Pose operator*(const Pose& A, const Pose& B) {
  return {A.position + A.orientation * B.position, (A.orientation * B.orientation).normalized()};
}

Pose inverse(const Pose& A) { return {A.orientation.conjugate() * -A.position, A.orientation.conjugate()}; }

// The same body seen from a frame that stands at X_BN in its old one.
void turn_body(TreeParts& parts, BodySpec& body, const Pose& X_BN) {
  const Pose X_NB = inverse(X_BN);
  MassProperties& m = *body.mass_properties;
  const Eigen::Matrix3d R = X_NB.orientation.toRotationMatrix();
  m.com = X_NB.position + R * m.com;
  m.inertia = R * m.inertia * R.transpose();
  m.inertia = (0.5 * (m.inertia + m.inertia.transpose())).eval();
  body.added_inertia.reset();
  for (JointSpec& joint : parts.joints) {
    if (joint.parent == body.name) joint.frame_in_parent = X_NB * joint.frame_in_parent;
    if (joint.child == body.name) joint.frame_in_child = X_NB * joint.frame_in_child;
  }
}

Eigen::VectorXd accelerations(const Model& model, const RandomState& s) {
  Dynamics dynamics(model);
  dynamics.set(s.q, s.u);
  return dynamics.accelerations(s.tau);
}

double relative_difference(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

TEST(LinkFrames, BodyFramesDoNotMatter) {
  Random random(1);
  double worst = 0;
  for (int n = 0; n < 100; ++n) {
    test::TreeOptions options;
    options.added_inertia = false;
    TreeParts parts = test::random_tree(random, 1 + n % 30, options);
    const Model original = test::build(parts);
    for (BodySpec& body : parts.bodies) turn_body(parts, body, test::random_pose(random, 0.5));
    const Model turned = test::build(parts);
    const RandomState s = test::random_state(random, original);
    worst = std::max(worst, relative_difference(accelerations(turned, s), accelerations(original, s)));
  }
  EXPECT_LT(worst, 1e-10);  // rounding times the condition of M
  test::figure("body frames turned and moved: accelerations differ by {:.1e}", worst);
}

// Turning a joint's frames and its axis together changes nothing for the joints that move along an axis.
TEST(LinkFrames, JointFramesDoNotMatterForAxisJoints) {
  Random random(2);
  double worst = 0;
  for (int n = 0; n < 100; ++n) {
    test::TreeOptions options;
    options.types = {JointType::kRevolute, JointType::kPrismatic, JointType::kScrew, JointType::kCylindrical};
    TreeParts parts = test::random_tree(random, 1 + n % 20, options);
    const Model original = test::build(parts);
    for (JointSpec& joint : parts.joints) {
      const Eigen::Quaterniond turn = random.quaternion();
      joint.frame_in_parent.orientation = joint.frame_in_parent.orientation * turn;
      joint.frame_in_child.orientation = joint.frame_in_child.orientation * turn;
      joint.axis = turn.conjugate() * joint.axis;
    }
    const RandomState s = test::random_state(random, original);
    worst = std::max(worst, relative_difference(accelerations(test::build(parts), s), accelerations(original, s)));
  }
  EXPECT_LT(worst, 1e-10);
  test::figure("joint frames turned: accelerations differ by {:.1e}", worst);
}

// Link frames stay orthonormal along any chain, whatever the axes: errors must not grow with its length.
TEST(LinkFrames, StayOrthonormalAlongLongChains) {
  Random random(3);
  for (const JointType type : test::TreeOptions{}.types) {
    test::TreeOptions options;
    options.types = {type};
    options.chain_share = 1;
    const Model model = test::build(test::random_tree(random, 300 * u_count(type), options));
    for (const Link& link : model.data().links) {
      const Eigen::Matrix3d R = to_eigen(link.X_PF.R);
      ASSERT_LT((R * R.transpose() - Eigen::Matrix3d::Identity()).norm(), 2e-15) << name_of(type);
      ASSERT_GT(R.determinant(), 0);
    }
    for (const BodyData& body : model.data().bodies) {
      const Eigen::Matrix3d R = to_eigen(body.X_LB.R);
      ASSERT_LT((R * R.transpose() - Eigen::Matrix3d::Identity()).norm(), 4e-15) << name_of(type);
    }
  }
}

// Axes along, against and next to coordinate axes: a body on a hinge turns about the axis it was given.
TEST(LinkFrames, EveryAxisIsMet) {
  Random random(4);
  std::vector<Eigen::Vector3d> axes;
  for (int k = 0; k < 3; ++k) {
    for (const double sign : {1.0, -1.0}) {
      axes.push_back(sign * Eigen::Vector3d::Unit(k));
      for (const double tilt : {1e-17, 1e-15, 1e-12, 1e-8, 1e-6, 1e-3})
        axes.push_back(sign * Eigen::Vector3d::Unit(k) + tilt * random.vector(1));
    }
  }
  for (int n = 0; n < 50; ++n) axes.push_back(random.uniform(0.1, 10) * random.unit_vector());
  for (const Eigen::Vector3d& axis : axes) {
    for (const JointType type : {JointType::kRevolute, JointType::kPrismatic, JointType::kCylindrical}) {
      JointSpec joint = test::joint_of("joint", type, kWorldName, "body");
      joint.axis = axis;
      if (axis.x() > 0.3) joint.frame_in_parent.orientation = random.quaternion();
      const Model model = test::single_body(test::body_with("body", 1, {0.1, 0.2, 0.3}, {1, 2, 3}), joint);
      Dynamics dynamics(model);
      const std::vector<double> u(model.u_count(), 1.0), q(model.q_count(), 0.7);
      dynamics.set(q, u);
      const Eigen::Vector3d n = joint.frame_in_parent.orientation * axis.normalized();
      const BodyMotion m = dynamics.body_motion(0);
      const bool turns = type != JointType::kPrismatic, slides = type != JointType::kRevolute;
      EXPECT_LT((m.angular_velocity - (turns ? n : Eigen::Vector3d(0, 0, 0))).norm(), 3e-15);
      EXPECT_LT((m.velocity - (slides ? n : Eigen::Vector3d(0, 0, 0))).norm(), 3e-15);
      const Eigen::Matrix3d R = (Eigen::AngleAxisd(turns ? 0.7 : 0, n) * joint.frame_in_parent.orientation).matrix();
      EXPECT_LT((m.pose.orientation.matrix() - R).norm(), 5e-15);
    }
  }
}

TEST(LinkFrames, BodiesHeldByFixedJointsAreOne) {
  Random random(5);
  for (int n = 0; n < 50; ++n) {
    // One body, and the same cut into a root and two parts fixed to it in a row.
    const MassProperties a = test::random_mass_properties(random), b = test::random_mass_properties(random),
                         c = test::random_mass_properties(random);
    const Pose X_AB = test::random_pose(random, 0.5), X_BC = test::random_pose(random, 0.5);
    const auto in_a = [](const MassProperties& m, const Pose& X) {
      const Eigen::Matrix3d R = X.orientation.toRotationMatrix();
      return MassProperties{m.mass, X.position + R * m.com, R * m.inertia * R.transpose()};
    };
    const MassProperties parts[] = {a, in_a(b, X_AB), in_a(c, X_AB * X_BC)};
    MassProperties whole;
    for (const MassProperties& m : parts) whole.mass += m.mass, whole.com += m.mass * m.com;
    whole.com /= whole.mass;
    for (const MassProperties& m : parts) {
      const Eigen::Vector3d r = m.com - whole.com;
      whole.inertia += m.inertia + m.mass * (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose());
    }
    whole.inertia = (0.5 * (whole.inertia + whole.inertia.transpose())).eval();

    JointSpec joint = test::joint_of("joint", JointType::kFree, kWorldName, "a");
    joint.frame_in_child = test::random_pose(random, 0.3);
    JointSpec first = test::joint_of("first", JointType::kFixed, "a", "b");
    first.frame_in_parent = X_AB * test::random_pose(random, 0.1);
    first.frame_in_child = inverse(X_AB) * first.frame_in_parent;
    JointSpec second = test::joint_of("second", JointType::kFixed, "b", "c");
    second.frame_in_parent = X_BC;
    ModelBuilder one, three;
    const auto body = [](const char* name, const MassProperties& m) {
      BodySpec spec;
      spec.name = name;
      spec.mass_properties = m;
      return spec;
    };
    one.add(body("a", whole)), one.add(joint);
    three.add(body("c", c)), three.add(body("b", b)), three.add(body("a", a));
    three.add(second), three.add(joint), three.add(first);
    const Model merged = three.build(), single = one.build();
    EXPECT_EQ(merged.u_count(), 6);
    EXPECT_EQ(merged.body_count(), 3);
    EXPECT_EQ(merged.joint_q(merged.joint("first")), -1);
    EXPECT_EQ(merged.joint_u(merged.joint("second")), -1);
    const RandomState s = test::random_state(random, single);
    EXPECT_LT(relative_difference(accelerations(merged, s), accelerations(single, s)), 1e-12);
    Dynamics dynamics(merged);
    dynamics.set(s.q, s.u);
    const Pose X_WA = dynamics.body_motion(merged.body("a")).pose;
    const Pose X_WC = dynamics.body_motion(merged.body("c")).pose;
    EXPECT_LT((X_WC.position - (X_WA * (X_AB * X_BC)).position).norm(), 1e-14);
    EXPECT_LT(X_WC.orientation.angularDistance((X_WA * (X_AB * X_BC)).orientation), 1e-7);
    EXPECT_NEAR(
        dynamics.energy().kinetic,
        [&] {
          Dynamics other(single);
          other.set(s.q, s.u);
          return other.energy().kinetic;
        }(),
        1e-12);
  }
}

// The order in which parts are added decides nothing but the numbering.
TEST(LinkFrames, OrderOfPartsDoesNotMatter) {
  Random random(6);
  for (int n = 0; n < 50; ++n) {
    TreeParts parts = test::random_tree(random, 1 + n);
    const Model original = test::build(parts);
    test::shuffle(random, parts);
    const Model shuffled = test::build(parts);
    const RandomState s = test::random_state(random, original);
    RandomState t{std::vector<double>(s.q.size()), std::vector<double>(s.u.size()), std::vector<double>(s.tau.size())};
    for (int j = 0; j < original.joint_count(); ++j) {
      const int k = shuffled.joint(original.joint_name(j));
      if (original.joint_type(j) == JointType::kFixed) continue;
      for (int i = 0; i < q_count(original.joint_type(j)); ++i)
        t.q[shuffled.joint_q(k) + i] = s.q[original.joint_q(j) + i];
      for (int i = 0; i < u_count(original.joint_type(j)); ++i) {
        t.u[shuffled.joint_u(k) + i] = s.u[original.joint_u(j) + i];
        t.tau[shuffled.joint_u(k) + i] = s.tau[original.joint_u(j) + i];
      }
    }
    const Eigen::VectorXd a = accelerations(original, s), b = accelerations(shuffled, t);
    for (int j = 0; j < original.joint_count(); ++j) {
      if (original.joint_type(j) == JointType::kFixed) continue;
      const int k = shuffled.joint(original.joint_name(j));
      for (int i = 0; i < u_count(original.joint_type(j)); ++i)
        EXPECT_NEAR(a[original.joint_u(j) + i], b[shuffled.joint_u(k) + i], 1e-10 * a.cwiseAbs().maxCoeff());
    }
  }
}

}  // namespace
}  // namespace lipkin
