// The kernels compute in frames of the compiler's choice (docs/decisions/0001): whoever writes a mechanism may place
// its body frames anywhere.
#include <gtest/gtest.h>

#include <random>

#include "lipkin/dynamics.hpp"
#include "model/model_data.hpp"

namespace lipkin {
namespace {

// Two descriptions of one mechanism are compiled by different roundings; a dozen joints amplify them a few times.
constexpr double kRounding = 1e-12;

constexpr JointType kTypes[] = {JointType::kRevolute,    JointType::kPrismatic, JointType::kScrew,
                                JointType::kCylindrical, JointType::kUniversal, JointType::kPlanar,
                                JointType::kBall,        JointType::kFree,      JointType::kFixed,
                                JointType::kRevolute,    JointType::kFixed,     JointType::kRevolute};

class Random {
 public:
  double number() { return distribution_(generator_); }
  Eigen::Vector3d vector() { return {number(), number(), number()}; }
  Pose pose() { return {vector(), Eigen::Quaterniond(number(), number(), number(), number()).normalized()}; }

 private:
  std::mt19937_64 generator_{20260115};
  std::uniform_real_distribution<double> distribution_{-1, 1};
};

Pose operator*(const Pose& a, const Pose& b) {
  return {a.position + a.orientation * b.position, a.orientation * b.orientation};
}

Pose inverse(const Pose& a) {
  const Eigen::Quaterniond back = a.orientation.conjugate();
  return {-(back * a.position), back};
}

struct Mechanism {
  std::vector<BodySpec> bodies;
  std::vector<JointSpec> joints;

  Model build() const {
    ModelBuilder builder;
    for (const BodySpec& body : bodies) builder.add(body);
    for (const JointSpec& joint : joints) builder.add(joint);
    return builder.build();
  }
};

// A tree with every joint type, branching after the fourth body.
Mechanism every_joint(Random& random) {
  Mechanism m;
  for (JointType type : kTypes) {
    const int index = static_cast<int>(m.bodies.size());
    BodySpec body;
    body.name = "body" + std::to_string(index);
    body.mass_properties = {1.0 + index, random.vector(), Eigen::Vector3d(1.0, 1.5, 2.0).asDiagonal()};
    JointSpec joint;
    joint.name = "joint" + std::to_string(index);
    joint.type = type;
    joint.child = body.name;
    if (index > 0) joint.parent = m.bodies[index == 8 ? 3 : index - 1].name;
    joint.frame_in_parent = random.pose();
    joint.frame_in_child = random.pose();
    joint.axis = random.vector();
    joint.pitch = 0.1;
    m.bodies.push_back(body);
    m.joints.push_back(joint);
  }
  return m;
}

// The same mechanism, each body described in a frame A of its own: X_BA is A in the old body frame.
Mechanism with_other_body_frames(Mechanism m, const std::vector<Pose>& X_BA) {
  for (std::size_t b = 0; b < m.bodies.size(); ++b) {
    const Pose X_AB = inverse(X_BA[b]);
    const Eigen::Matrix3d R_AB = X_AB.orientation.toRotationMatrix();
    MassProperties& mass = *m.bodies[b].mass_properties;
    mass.com = X_AB.position + R_AB * mass.com;
    mass.inertia = (R_AB * mass.inertia * R_AB.transpose()).eval();
    mass.inertia = (0.5 * (mass.inertia + mass.inertia.transpose())).eval();
    for (JointSpec& joint : m.joints) {
      if (joint.child == m.bodies[b].name) joint.frame_in_child = X_AB * joint.frame_in_child;
      if (joint.parent == m.bodies[b].name) joint.frame_in_parent = X_AB * joint.frame_in_parent;
    }
  }
  return m;
}

State random_state(const Model& model, Random& random) {
  State state = initial_state(model);
  for (double& x : state.q) x = random.number();
  for (double& x : state.u) x = random.number();
  for (int j = 0; j < model.joint_count(); ++j) {
    if (model.joint_type(j) != JointType::kBall && model.joint_type(j) != JointType::kFree) continue;
    const int first = model.joint_q(j) + q_count(model.joint_type(j)) - 4;
    Eigen::Map<Eigen::Vector4d>(state.q.data() + first).normalize();
  }
  return state;
}

TEST(LinkFrames, DynamicsDoNotDependOnTheBodyFrames) {
  Random random;
  const Mechanism mechanism = every_joint(random);
  std::vector<Pose> X_BA;
  for (std::size_t b = 0; b < mechanism.bodies.size(); ++b) X_BA.push_back(random.pose());
  Dynamics here(mechanism.build());
  Dynamics there(with_other_body_frames(mechanism, X_BA).build());

  for (int trial = 0; trial < 10; ++trial) {
    const State state = random_state(here.model(), random);
    here.set(state);
    there.set(state);
    EXPECT_TRUE(here.mass_matrix().isApprox(there.mass_matrix(), kRounding));
    EXPECT_TRUE(here.bias().isApprox(there.bias(), kRounding));
    // The accelerations are M⁻¹ times what agrees to rounding; M's condition number is some 1e3 here.
    EXPECT_TRUE(here.accelerations().isApprox(there.accelerations(), 1e3 * kRounding));
    EXPECT_NEAR(here.energy().total(), there.energy().total(), kRounding * here.energy().kinetic);
    EXPECT_TRUE(here.center_of_mass().isApprox(there.center_of_mass(), kRounding));
  }
}

TEST(LinkFrames, BodyMotionIsThatOfTheBodyFrame) {
  Random random;
  const Mechanism mechanism = every_joint(random);
  std::vector<Pose> X_BA;
  for (std::size_t b = 0; b < mechanism.bodies.size(); ++b) X_BA.push_back(random.pose());
  Dynamics here(mechanism.build());
  Dynamics there(with_other_body_frames(mechanism, X_BA).build());

  const State state = random_state(here.model(), random);
  here.set(state);
  there.set(state);
  for (int b = 0; b < here.model().body_count(); ++b) {
    const BodyMotion B = here.body_motion(b);
    const BodyMotion A = there.body_motion(b);
    const Pose X_WA = B.pose * X_BA[b];
    EXPECT_TRUE(A.pose.position.isApprox(X_WA.position, kRounding)) << "body " << b;
    EXPECT_NEAR(A.pose.orientation.angularDistance(X_WA.orientation), 0, 1e-7) << "body " << b;  // acos(1 - rounding)
    EXPECT_TRUE(A.angular_velocity.isApprox(B.angular_velocity, kRounding)) << "body " << b;
    const Eigen::Vector3d p_BoAo_W = X_WA.position - B.pose.position;
    EXPECT_TRUE(A.velocity.isApprox(B.velocity + B.angular_velocity.cross(p_BoAo_W), kRounding)) << "body " << b;
  }
}

TEST(LinkFrames, AxesAlongTheParentNeedNoRotation) {
  ModelBuilder builder;
  for (int i = 0; i < 2; ++i) {
    BodySpec body;
    body.name = "body" + std::to_string(i);
    body.mass_properties = {1.0, Eigen::Vector3d::UnitX(), Eigen::Matrix3d::Identity()};
    builder.add(body);
    JointSpec joint;
    joint.name = "joint" + std::to_string(i);
    joint.type = i == 1 ? JointType::kPrismatic : JointType::kRevolute;
    joint.child = body.name;
    if (i > 0) joint.parent = "body" + std::to_string(i - 1);
    joint.frame_in_parent.position = Eigen::Vector3d::UnitX();
    // The second body's frame is turned about the x axis; its joint still moves along the parent's y.
    if (i == 1) joint.frame_in_child.orientation = Eigen::Quaterniond(0, 1, 0, 0);
    joint.axis = i == 1 ? Eigen::Vector3d::UnitY() : Eigen::Vector3d::UnitZ();
    builder.add(joint);
  }
  const Model model = builder.build();
  const ModelData& data = model.data();
  ASSERT_EQ(data.links.size(), 3u);
  EXPECT_TRUE(data.links[1].aligned);
  EXPECT_TRUE(data.links[2].aligned);
  EXPECT_EQ(data.links[1].kind, LinkKind::kRevoluteZ);
  EXPECT_EQ(data.links[2].kind, LinkKind::kPrismaticY);
}

}  // namespace
}  // namespace lipkin
