// Turned, moved and mirrored.
#include "equivalence/restatements.hpp"
#include "support/random.hpp"

namespace lipkin::test::restate {
namespace {

const Eigen::DiagonalMatrix<double, 3> kMirror(1, -1, 1);

void turn_commands(Mechanism& mechanism, const Eigen::Vector3d& gravity, const Eigen::Matrix3d& axes) {
  std::vector<Command> commands;
  for (Command command : mechanism.experiment.commands) {
    if (auto* push = std::get_if<CommandPush>(&command.action)) {
      push->force = axes * push->force, push->torque = axes * push->torque;
      commands.push_back(command);
    } else if (const auto& set = std::get<CommandSet>(command.action); set.path == "gravity.x") {
      const Eigen::Vector3d turned = axes * Eigen::Vector3d(set.value, gravity.y(), gravity.z());
      commands.push_back({command.at, CommandSet{"gravity.x", turned.x()}, {}});
      commands.push_back({command.at, CommandSet{"gravity.y", turned.y()}, {}});
      commands.push_back({command.at, CommandSet{"gravity.z", turned.z()}, {}});
    } else {
      commands.push_back(command);
    }
  }
  mechanism.experiment.commands = commands;
}

Pose mirrored(const Pose& pose) {
  const Eigen::Quaterniond& r = pose.orientation;
  return {kMirror * pose.position, {r.w(), -r.x(), r.y(), -r.z()}};
}

void mirror_values(std::vector<double>& values, JointType type) {
  for (std::size_t k = 0; k < values.size(); ++k) values[k] *= mirrored_sign(type, static_cast<int>(k));
}

void mirror_limits(JointSpec& joint) {
  for (std::size_t k = 0; k < joint.lower.size(); ++k) {
    if (mirrored_sign(joint.type, static_cast<int>(k)) > 0) continue;
    std::swap(joint.lower[k], joint.upper[k]);
    joint.lower[k] *= -1, joint.upper[k] *= -1;
  }
}

// A mirror turns what is a direction of turning round, a direction of sliding not.
void mirror_joint(JointSpec& joint) {
  const bool turns = joint.type != JointType::kPrismatic;
  joint.axis = kMirror * joint.axis * (turns ? -1 : 1);
  joint.pitch *= -1;
  if (joint.type == JointType::kBall || joint.type == JointType::kFree) {
    if (joint.type == JointType::kFree && !joint.q.empty()) joint.q[1] *= -1;
    if (const std::size_t n = joint.q.size(); n >= 4) joint.q[n - 3] *= -1, joint.q[n - 1] *= -1;
  } else {
    mirror_values(joint.q, joint.type);
  }
  mirror_values(joint.u, joint.type);
  mirror_values(joint.rest, joint.type);
  mirror_limits(joint);
}

double sign_of(const Mechanism& mechanism, const std::string& joint, int dof) {
  return mirrored_sign(find_joint(mechanism, joint)->type, dof);
}

void mirror_drives(Mechanism& m) {
  for (MotorSpec& motor : m.motors) motor.target = scaled(motor.target, sign_of(m, motor.joint, motor.dof));
  for (ActuatorSpec& actuator : m.actuators) actuator.gear *= sign_of(m, actuator.joint, actuator.dof);
  for (TendonSpec& tendon : m.tendons)
    for (TendonSpec::Term& term : tendon.joints) term.coefficient *= sign_of(m, term.joint, term.dof);
  for (GearSpec& gear : m.gears) {
    const double follower = sign_of(m, gear.joint, gear.dof), leader = sign_of(m, gear.of, gear.of_dof);
    gear.offset *= follower;
    gear.ratio *= follower * leader;
    for (std::size_t k = 0; k < gear.curve.size(); ++k) gear.curve[k] *= follower * (k % 2 == 0 ? 1 : leader);
  }
}

void mirror_bodies(Mechanism& m) {
  for (BodySpec& body : m.bodies) {
    MassProperties& mass = *body.mass_properties;
    mass.com = kMirror * mass.com;
    mass.inertia = kMirror * mass.inertia * kMirror;
    for (ShapeSpec& shape : body.shapes) shape.pose = mirrored(shape.pose);
  }
  for (ShapeSpec& shape : m.world_shapes) shape.pose = mirrored(shape.pose);
}

void mirror_commands(Mechanism& m) {
  for (Command& command : m.experiment.commands)
    if (auto* push = std::get_if<CommandPush>(&command.action)) {
      push->point = kMirror * push->point, push->force = kMirror * push->force;
      push->torque = -(kMirror * push->torque);
    }
}

}  // namespace

Result turned(const Mechanism& mechanism, std::uint64_t seed) {
  Random random(seed);
  const Pose X{random.vector(2), random.quaternion()};
  const Eigen::Matrix3d axes = X.orientation.toRotationMatrix();
  Restated r{"turned and moved", mechanism};
  r.placement = {axes, X.position};
  Mechanism& m = r.mechanism;
  m.gravity = axes * m.gravity;
  for_each_frame(m, [&](const std::string& body, Pose& frame) {
    if (body == kWorldName) frame = X * frame;
  });
  for_each_attachment(m, [&](Attachment& a) {
    if (a.body == kWorldName) a.position = X.position + X.orientation * a.position;
  });
  for (ForceSpec& f : m.forces)
    if (f.frame == ForceFrame::kWorld) turn_signals(f.force, axes), turn_signals(f.torque, axes);
  for (ShapeSpec& shape : m.world_shapes) shape.pose = X * shape.pose;
  turn_commands(m, mechanism.gravity, axes);
  return r;
}

Result mirrored(const Mechanism& mechanism, std::uint64_t) {
  Restated r{"mirrored", mechanism};
  r.placement.axes = kMirror;
  Mechanism& m = r.mechanism;
  m.gravity = kMirror * m.gravity;
  mirror_bodies(m);
  for_each_frame(m, [&](const std::string&, Pose& frame) { frame = mirrored(frame); });
  for_each_attachment(m, [&](Attachment& a) { a.position = kMirror * a.position; });
  for (JointSpec& joint : m.joints) mirror_joint(joint);
  for (ForceSpec& f : m.forces) {
    turn_signals(f.force, kMirror);
    turn_signals(f.torque, -Eigen::Matrix3d(kMirror));
  }
  mirror_drives(m);
  mirror_commands(m);
  return r;
}

}  // namespace lipkin::test::restate
