#include <fmt/format.h>

#include "equivalence/random_mechanism.hpp"
#include "equivalence/random_parts.hpp"

namespace lipkin::test {
namespace {

FreeDof& any_of(Random& random, std::vector<FreeDof>& dofs) {
  return dofs[random.integer(0, static_cast<int>(dofs.size()) - 1)];
}

// What is prescribed must be able to happen.
void give_way(Mechanism& mechanism, const FreeDof& dof) {
  JointSpec& joint = *find_joint(mechanism, dof.joint);
  joint.lower.clear(), joint.upper.clear();
}

Signal position_from(Random& random, const FreeDof& dof, double size) {
  const double amplitude = random.uniform(-0.3, 0.3) * size, rate = random.uniform(5, 20);
  return {ExpressionText{fmt::format("{} + {} * t + {} * (1 - cos({} * t))", dof.q, dof.u, amplitude, rate)}, {}};
}

Signal velocity_from(Random& random, const FreeDof& dof, double size) {
  if (random.chance(0.4)) return {dof.u, {}};
  return {
      ExpressionText{fmt::format("{} + {} * sin({} * t)", dof.u, random.uniform(-2, 2) * size, random.uniform(5, 30))},
      {}};
}

}  // namespace

std::vector<FreeDof> scalar_dofs(const Mechanism& mechanism) {
  std::vector<FreeDof> dofs;
  for (const JointSpec& joint : mechanism.joints) {
    if (joint.closes_loop || joint.type == JointType::kBall || joint.type == JointType::kFree) continue;
    for (int k = 0; k < u_count(joint.type); ++k)
      dofs.push_back(
          {joint.name, k, is_angle(joint.type, k), joint.q.empty() ? 0 : joint.q[k], joint.u.empty() ? 0 : joint.u[k]});
  }
  return dofs;
}

void add_gear(Random& random, Mechanism& mechanism, std::vector<FreeDof>& dofs) {
  if (dofs.size() < 2) return;
  FreeDof& follower = any_of(random, dofs);
  FreeDof& leader = any_of(random, dofs);
  if (follower.is_driven || follower.joint == leader.joint || leader.is_driven) return;
  GearSpec gear;
  gear.name = fmt::format("gear{}", mechanism.gears.size());
  gear.joint = follower.joint, gear.dof = follower.dof;
  gear.of = leader.joint, gear.of_dof = leader.dof;
  gear.ratio = random.uniform(0.3, 1.5) * (random.chance(0.5) ? 1 : -1);
  if (random.chance(0.2)) gear.curve = {random.uniform(-0.3, 0.3)};
  const GearCurve curve{gear.ratio, 0, {gear.curve.empty() ? 0 : gear.curve[0], 0, 0}};
  gear.offset = follower.q - curve.value(leader.q);
  follower.u = curve.slope(leader.q) * leader.u;
  find_joint(mechanism, follower.joint)->u[follower.dof] = follower.u;
  follower.is_driven = true;
  give_way(mechanism, follower);
  mechanism.gears.push_back(gear);
}

void add_motor(Random& random, Mechanism& mechanism, FreeDof& dof) {
  MotorSpec motor;
  motor.name = fmt::format("motor{}", mechanism.motors.size());
  motor.joint = dof.joint, motor.dof = dof.dof;
  const double size = dof.turns ? 1 : 0.3;
  const int kind = random.integer(0, 3);  // prescribed speed, prescribed position, limited, servo
  motor.kind = kind == 1 || kind == 3 ? MotorKind::kPosition : MotorKind::kVelocity;
  motor.target =
      motor.kind == MotorKind::kPosition ? position_from(random, dof, size) : velocity_from(random, dof, size);
  if (kind <= 1) {
    dof.is_driven = true;
    give_way(mechanism, dof);
  }
  if (kind == 2) {
    motor.target = {random.uniform(-3, 3) * size, {}};
    motor.max_force = random.uniform(0.5, 10);
  }
  if (kind == 3) {
    motor.stiffness = random.uniform(20, 500);
    motor.damping = random.uniform(0, 10);
    if (random.chance(0.4)) motor.max_force = random.uniform(1, 20);
  }
  mechanism.motors.push_back(motor);
}

void add_commands(Random& random, Mechanism& mechanism) {
  if (random.chance(0.5)) {
    CommandPush push;
    push.body = any_body(random, mechanism, false);
    push.point = random.vector(0.1);
    push.force = random.vector(20);
    push.duration = 0.011;  // whole steps: of a part of one, forces of a session act all or none
    mechanism.experiment.commands.push_back({0.0105, push, {}});
  }
  if (random.chance(0.3))
    mechanism.experiment.commands.push_back({0.0205, CommandSet{"gravity.x", random.uniform(-5, 5)}, {}});
  for (const JointSpec& joint : mechanism.joints)
    if (!joint.friction.empty() && random.chance(0.3))
      mechanism.experiment.commands.push_back(
          {0.0305, CommandSet{"joint." + joint.name + ".friction", random.uniform(0.1, 2)}, {}});
}

namespace {

Signal random_signal(Random& random, double size) {
  if (random.chance(0.4)) return {random.uniform(-size, size), {}};
  return {ExpressionText{fmt::format("{} * sin({} * t + {})", random.uniform(-size, size), random.uniform(5, 40),
                                     random.uniform(0, 6))},
          {}};
}

void add_spring(Random& random, Mechanism& mechanism) {
  SpringDamperSpec spring;
  spring.name = fmt::format("spring{}", mechanism.springs.size());
  spring.a = any_place(random, any_body(random, mechanism));
  spring.b = any_place(random, any_body(random, mechanism, false));
  if (spring.a.body == spring.b.body) return;
  spring.stiffness = random.uniform(10, 300);
  spring.damping = random.uniform(0, 3);
  if (random.chance(0.6)) spring.rest_length = random.uniform(0.1, 0.5);
  mechanism.springs.push_back(spring);
}

void add_bushing(Random& random, Mechanism& mechanism) {
  BushingSpec bushing;
  bushing.name = "bushing";
  bushing.body_a = any_body(random, mechanism);
  bushing.body_b = any_body(random, mechanism, false);
  if (bushing.body_a == bushing.body_b) return;
  const std::vector<Pose> poses = initial_poses(mechanism);
  bushing.frame_in_a = {random.vector(0.2), random.quaternion()};
  bushing.frame_in_b = inverse(pose_of(mechanism, poses, bushing.body_b)) * pose_of(mechanism, poses, bushing.body_a) *
                       bushing.frame_in_a;
  for (int k = 0; k < 3; ++k) {
    bushing.stiffness[k] = random.uniform(50, 500), bushing.damping[k] = random.uniform(0, 5);
    bushing.angular_stiffness[k] = random.uniform(0, 10), bushing.angular_damping[k] = random.uniform(0, 0.5);
  }
  mechanism.bushings.push_back(bushing);
}

void add_force(Random& random, Mechanism& mechanism) {
  ForceSpec force;
  force.name = "force";
  force.at = any_place(random, any_body(random, mechanism, false));
  for (int k = 0; k < 3; ++k) force.force[k] = random_signal(random, 10), force.torque[k] = random_signal(random, 1);
  if (random.chance(0.5)) force.frame = ForceFrame::kBody;
  mechanism.forces.push_back(force);
}

void add_actuator(Random& random, Mechanism& mechanism) {
  std::vector<FreeDof> dofs = scalar_dofs(mechanism);
  if (dofs.empty()) return;
  const FreeDof& dof = any_of(random, dofs);
  ActuatorSpec actuator;
  actuator.name = "actuator";
  actuator.joint = dof.joint, actuator.dof = dof.dof;
  actuator.gear = random.uniform(0.5, 3);
  actuator.control = random_signal(random, 3);
  if (random.chance(0.4)) actuator.max = 1, actuator.min = -1;
  mechanism.actuators.push_back(actuator);
}

void add_tendon(Random& random, Mechanism& mechanism) {
  std::vector<FreeDof> dofs = scalar_dofs(mechanism);
  if (dofs.size() < 2) return;
  const FreeDof a = any_of(random, dofs), b = any_of(random, dofs);
  if (a.joint == b.joint) return;
  TendonSpec tendon;
  tendon.name = "tendon";
  tendon.joints = {{a.joint, a.dof, random.uniform(0.3, 1)}, {b.joint, b.dof, random.uniform(-1, -0.3)}};
  if (random.chance(0.5)) tendon.stiffness = random.uniform(10, 100);
  if (random.chance(0.5)) tendon.damping = random.uniform(0, 2);
  if (random.chance(0.6)) tendon.friction = random.uniform(0.1, 2);
  mechanism.tendons.push_back(tendon);
}

}  // namespace

void add_forces(Random& random, Mechanism& mechanism) {
  if (random.chance(0.3)) add_spring(random, mechanism);
  if (random.chance(0.15)) add_spring(random, mechanism);
  if (random.chance(0.15)) add_bushing(random, mechanism);
  if (random.chance(0.25)) add_force(random, mechanism);
  if (random.chance(0.2)) add_actuator(random, mechanism);
  if (random.chance(0.15)) add_tendon(random, mechanism);
}

}  // namespace lipkin::test
