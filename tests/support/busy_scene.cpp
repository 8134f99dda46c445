#include "support/busy_scene.hpp"

namespace lipkin::test {

namespace {

BodySpec body_named(const std::string& name, Random& random) {
  BodySpec body;
  body.name = name;
  body.mass_properties = random_mass_properties(random);
  return body;
}

JointSpec joint_between(const std::string& name, JointType type, const std::string& parent, const std::string& child,
                        Random& random) {
  JointSpec joint;
  joint.name = name;
  joint.type = type;
  joint.parent = parent;
  joint.child = child;
  joint.frame_in_parent = random_pose(random, 0.4);
  joint.frame_in_child = random_pose(random, 0.2);
  joint.axis = random.unit_vector();
  joint.pitch = 0.05;
  return joint;
}

void add_tree(ModelBuilder& builder, bool forces) {
  Random random(2718);
  const std::pair<const char*, JointType> chain[] = {
      {"revolute", JointType::kRevolute},   {"ball", JointType::kBall},     {"prismatic", JointType::kPrismatic},
      {"universal", JointType::kUniversal}, {"fixed", JointType::kFixed},   {"cylindrical", JointType::kCylindrical},
      {"screw", JointType::kScrew},         {"planar", JointType::kPlanar}, {"free", JointType::kFree}};
  std::string parent = kWorldName;
  for (const auto& [name, type] : chain) {
    const std::string child = std::string("body_") + name;
    BodySpec body = body_named(child, random);
    if (type == JointType::kUniversal) body.added_inertia = random_added_inertia(random);
    builder.add(body);
    JointSpec joint = joint_between(name, type, type == JointType::kFree ? kWorldName : parent, child, random);
    if (type != JointType::kFixed && forces) {
      joint.damping = {0.3};
      joint.armature = {0.02};
      joint.stiffness = {type == JointType::kFree ? 5.0 : 20.0};
    }
    builder.add(joint);
    if (type != JointType::kFree && type != JointType::kPlanar) parent = child;
  }
}

Signal expression(const char* text) { return {ExpressionText{text}, {}}; }

Signal table() { return {Table{{0, 0.1, 0.2, 0.4}, {0, 2, -1, 0.5}}, {}}; }

void add_forces(ModelBuilder& builder) {
  SpringDamperSpec spring;
  spring.name = "spring";
  spring.a = {"", "body_ball", {0.1, 0, 0}};
  spring.b = {"", "body_screw", {0, 0.1, 0}};
  spring.stiffness = 50;
  spring.damping = 1;
  spring.rest_length = 0.5;
  builder.add(spring);
  BushingSpec bushing;
  bushing.name = "bushing";
  bushing.body_a = "body_prismatic";
  bushing.body_b = "body_free";
  bushing.stiffness = {30, 20, 10};
  bushing.damping = {1, 1, 1};
  bushing.angular_stiffness = {2, 3, 4};
  bushing.angular_damping = {0.1, 0.1, 0.1};
  builder.add(bushing);
  ForceSpec force;
  force.name = "force";
  force.at = {"", "body_planar", {0.1, 0.1, 0}};
  force.force = {expression("3*sin(10*t)"), expression("-0.5*body.body_planar.vy"), table()};
  force.torque = {Signal{0.1, {}}, expression("0.2*joint.revolute.u"), Signal{0.0, {}}};
  force.frame = ForceFrame::kBody;
  builder.add(force);
  const std::pair<const char*, Signal> drives[] = {{"revolute", expression("-2*joint.revolute.q - spring_gain*t")},
                                                   {"prismatic", table()},
                                                   {"ball", expression("0.1*spring.spring.length")}};
  builder.add(ParameterSpec{"spring_gain", 0.5, "", "", {}, {}});
  for (const auto& [joint, control] : drives) {
    ActuatorSpec actuator;
    actuator.name = std::string("drive_") + joint;
    actuator.joint = joint;
    actuator.gear = 1.5;
    actuator.control = control;
    actuator.min = -3;
    actuator.max = 3;
    builder.add(actuator);
  }
}

void add_outputs(ModelBuilder& builder) {
  builder.add(OutputSpec{"x", "body.body_planar.x", "m", {}});
  builder.add(OutputSpec{"power", "joint.revolute.tau * joint.revolute.u", "W", {}});
  builder.add(OutputSpec{"energy", "energy.total", "J", {}});
}

std::vector<Command> timed_commands() {
  CommandPush push;
  push.body = "body_screw";
  push.point = {0.1, 0, 0};
  push.force = {5, 0, 2};
  push.torque = {0, 0.3, 0};
  push.duration = 0.11;
  CommandPush along_body = push;
  along_body.body = "body_free";
  along_body.frame = ForceFrame::kBody;
  along_body.duration = 0.0503;
  return {{0.1, push, {}},
          {0.1503, along_body, {}},
          {0.2, CommandSet{"gravity.x", 1.5}, {}},
          {0.25, CommandSet{"joint.ball.damping", 0.9}, {}},
          {0.3, CommandSet{"actuator.drive_prismatic.control", 1.25}, {}},
          {0.35, CommandSet{"joint.cylindrical.stiffness", 0}, {}}};
}

}  // namespace

Model busy_model(bool forces) {
  ModelBuilder builder;
  builder.set_gravity({0.5, 1, -9.5});
  add_tree(builder, forces);
  if (forces) {
    add_forces(builder);
    add_outputs(builder);
  }
  return builder.build();
}

Scene busy_scene(StepperKind stepper, const BusyOptions& options) {
  Scene scene = scene_of(busy_model(options.forces), stepper);
  if (options.commands) scene.experiment.commands = timed_commands();
  return scene;
}

Scene scene_of(Model model, StepperKind stepper, double dt) {
  Experiment experiment;
  experiment.stepper = stepper;
  experiment.dt = dt;
  return {"test", "", std::move(model), experiment, {}};
}

}  // namespace lipkin::test
