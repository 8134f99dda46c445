// Tyres against closed forms: load, brush model, friction ellipse, braking, slopes, cornering, what they dissipate.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lipkin/scene.hpp"
#include "lipkin/simulation.hpp"
#include "support/busy_scene.hpp"

namespace lipkin {
namespace {

constexpr double kGravity = 9.81;

TyreSpec tyre_on(const std::string& body) {
  TyreSpec tyre;
  tyre.name = body;
  tyre.body = body;
  tyre.radius = 0.3;
  tyre.stiffness = 60e3;
  tyre.damping = 400;
  tyre.friction = 0.8;
  tyre.slip_stiffness = 8000;
  tyre.cornering_stiffness = 6000;
  tyre.relaxation_length = 0.08;
  tyre.tread_damping = 200;
  return tyre;
}

void add_ground(ModelBuilder& builder, double slope = 0) {
  builder.add(MaterialSpec{.name = "ground", .friction = 1, .where = {}});
  ShapeSpec plane;
  plane.geometry = ShapePlane{};
  plane.contact = "ground";
  plane.pose.orientation = Eigen::AngleAxisd(-slope, Eigen::Vector3d::UnitY());
  builder.add_world_shape(plane);
}

void watch(ModelBuilder& builder, const std::string& expression) {
  builder.add(OutputSpec{expression, expression, "", {}});
}

BodySpec body_of(const std::string& name, double mass, const Eigen::Vector3d& inertia) {
  BodySpec body;
  body.name = name;
  body.mass_properties = MassProperties{mass, Eigen::Vector3d::Zero(), inertia.asDiagonal()};
  return body;
}

JointSpec joint_to(const std::string& parent, const std::string& child, JointType type, const Eigen::Vector3d& at) {
  JointSpec joint;
  joint.name = child;
  joint.type = type;
  joint.parent = parent;
  joint.child = child;
  joint.frame_in_parent.position = at;
  return joint;
}

// A frame without suspension on four wheels, at rest where the tyres carry it; centre of mass at the origin, the front
// axle `front` before it and the rear axle `rear` behind it.
struct Cart {
  double mass = 200, wheel_mass = 10, front = 0.8, rear = 0.7, half_track = 0.6, height = 0.4;
  double spin_inertia = 0.5;
  double slope = 0, speed = 0, steer = 0;
  bool brakes = false;
  double max_brake = 0;

  double total() const { return mass + 4 * wheel_mass; }

  ModelBuilder builder() const {
    ModelBuilder b;
    add_ground(b, slope);
    b.add(body_of("frame", mass, {20, 60, 70}));
    JointSpec free = joint_to("world", "frame", JointType::kFree, Eigen::Vector3d::Zero());
    const TyreSpec tyre = tyre_on("");
    const double loaded = tyre.radius - total() * kGravity * std::cos(slope) / (4 * tyre.stiffness);
    const Eigen::Quaterniond tilt(Eigen::AngleAxisd(-slope, Eigen::Vector3d::UnitY()));
    const Eigen::Vector3d p = tilt * Eigen::Vector3d(0, 0, loaded + height), v = tilt * Eigen::Vector3d(speed, 0, 0);
    free.q = {p.x(), p.y(), p.z(), tilt.w(), tilt.x(), tilt.y(), tilt.z()};
    free.u = {v.x(), v.y(), v.z(), 0, 0, 0};
    b.add(free);
    const char* names[] = {"front_left", "front_right", "rear_left", "rear_right"};
    for (int i = 0; i < 4; ++i) {
      const Eigen::Vector3d at(i < 2 ? front : -rear, i % 2 == 0 ? half_track : -half_track, -height);
      b.add(body_of(names[i], wheel_mass, {spin_inertia / 2, spin_inertia, spin_inertia / 2}));
      JointSpec axle = joint_to("frame", names[i], JointType::kRevolute, at);
      axle.axis = Eigen::Vector3d::UnitY();
      if (i < 2) axle.frame_in_parent.orientation = Eigen::AngleAxisd(steer, Eigen::Vector3d::UnitZ());
      axle.u = {speed / loaded};
      b.add(axle);
      b.add(tyre_on(names[i]));
      for (const char* what : {"load", "slip", "slip_angle", "fx", "fy"})
        watch(b, std::string("tyre.") + names[i] + "." + what);
      if (brakes) {
        MotorSpec brake;
        brake.name = std::string("brake_") + names[i];
        brake.joint = names[i];
        brake.max_force = max_brake;
        b.add(brake);
      }
    }
    return b;
  }
};

Simulation run(const ModelBuilder& builder, double duration, double dt = 2e-3) {
  Simulation simulation(test::scene_of(builder.build(), StepperKind::kEuler, dt));
  simulation.run(duration);
  return simulation;
}

double frame_x(const Simulation& s) { return s.body_motion(s.model().body("frame")).pose.position.x(); }

// Four unknown loads of equal springs: moments about both axles, and left as right.
TEST(Tyre, LoadsOfACarAtRestAreThoseOfTheLever) {
  Cart cart;
  const Simulation s = run(cart.builder(), 5);
  const double wheelbase = cart.front + cart.rear;
  double front = 0, rear = 0, back = 0;  // loads of one wheel; how far the pitch moves the frame's centre of mass back
  for (int i = 0; i < 10; ++i) {
    const double frame_front = cart.mass * kGravity * (cart.rear - back) / wheelbase;
    front = 0.5 * frame_front + cart.wheel_mass * kGravity;
    rear = 0.5 * (cart.mass * kGravity - frame_front) + cart.wheel_mass * kGravity;
    back = cart.height * (rear - front) / tyre_on("").stiffness / wheelbase;
  }
  // Of first order in the pitch, 7e-4 rad.
  EXPECT_NEAR(s.output("tyre.front_left.load"), front, 2e-6 * front);
  EXPECT_NEAR(s.output("tyre.front_right.load"), front, 2e-6 * front);
  EXPECT_NEAR(s.output("tyre.rear_left.load"), rear, 2e-6 * rear);
  EXPECT_NEAR(s.output("tyre.rear_right.load"), rear, 2e-6 * rear);
  const double all = s.output("tyre.front_left.load") + s.output("tyre.front_right.load") +
                     s.output("tyre.rear_left.load") + s.output("tyre.rear_right.load");
  EXPECT_NEAR(all, cart.total() * kGravity, 1e-6 * all);  // at rest but for oscillations that fade by e^-10 a second
}

// A wheel on a slider: only its spin and its travel are free; a load presses it down.
struct Rig {
  double load = 1000, roll_speed = 10, travel_speed = 10, side_speed = 0, tread_damping = 200;

  ModelBuilder builder() const {
    ModelBuilder b;
    b.set_gravity({0, 0, -kGravity});
    add_ground(b);
    TyreSpec tyre = tyre_on("wheel");
    tyre.tread_damping = tread_damping;
    const double height = tyre.radius - load / tyre.stiffness;
    b.add(body_of("carriage", 1, {1, 1, 1}));
    JointSpec planar = joint_to("world", "carriage", JointType::kPlanar, {0, 0, height});
    planar.u = {travel_speed, side_speed, 0};
    b.add(planar);
    b.add(body_of("wheel", 10, {0.25, 0.5, 0.25}));
    JointSpec axle = joint_to("carriage", "wheel", JointType::kRevolute, Eigen::Vector3d::Zero());
    axle.axis = Eigen::Vector3d::UnitY();
    axle.u = {roll_speed / height};
    b.add(axle);
    b.add(tyre);
    const double speeds[] = {travel_speed, side_speed, 0};
    for (int k = 0; k < 3; ++k) {
      MotorSpec hold;
      hold.name = "hold" + std::to_string(k);
      hold.joint = "carriage";
      hold.dof = k;
      hold.target.source = speeds[k];
      b.add(hold);
    }
    MotorSpec drive;
    drive.name = "drive";
    drive.joint = "wheel";
    drive.target.source = roll_speed / height;
    b.add(drive);
    for (const char* what : {"load", "slip", "slip_angle", "fx", "fy"}) watch(b, std::string("tyre.wheel.") + what);
    return b;
  }
};

// F = mu N (1 - (1 - theta)^3), theta = C s / (3 mu N), along the theoretical slip s = v_s / v_r.
double brush(double stiffness, double slip, double limit) {
  const double theta = std::min(stiffness * std::abs(slip) / (3 * limit), 1.0);
  return std::copysign(limit * (1 - std::pow(1 - theta, 3)), slip);
}

TEST(Tyre, SteadyRollingIsTheBrushModel) {
  const TyreSpec tyre = tyre_on("wheel");
  for (const double slip : {-0.3, -0.05, -0.01, 0.002, 0.02, 0.1, 0.25, 0.9}) {
    Rig rig;
    rig.travel_speed = rig.roll_speed * (1 - slip);
    const Simulation s = run(rig.builder(), 1);
    const double expected = brush(tyre.slip_stiffness, slip, tyre.friction * rig.load);
    // The tread is in its steady shear after 10 m: what is left is rounding, and the solver's 1e-10 m/s in the slip.
    EXPECT_NEAR(s.output("tyre.wheel.fx"), expected, 1e-6 * std::abs(expected)) << slip;
    EXPECT_NEAR(s.output("tyre.wheel.fy"), 0, 1e-9);
    EXPECT_NEAR(s.output("tyre.wheel.load"), rig.load, 1e-6);
    EXPECT_NEAR(s.output("tyre.wheel.slip"), slip > 0 ? slip : slip / (1 - slip), 1e-9);
  }
  for (const double angle : {-0.2, 0.01, 0.1, 0.5}) {
    Rig rig;
    rig.side_speed = -rig.travel_speed * std::tan(angle);
    const Simulation s = run(rig.builder(), 1);
    const double expected = brush(tyre.cornering_stiffness, std::tan(angle), tyre.friction * rig.load);
    EXPECT_NEAR(s.output("tyre.wheel.fy"), expected, 1e-6 * std::abs(expected)) << angle;
    EXPECT_NEAR(s.output("tyre.wheel.slip_angle"), angle, 1e-9);
  }
}

// A small step of the slip builds its force up over the length of relaxation: 1 - exp(-distance / length).
TEST(Tyre, ForcesBuildUpOverTheRelaxationLength) {
  const TyreSpec tyre = tyre_on("wheel");
  Rig rig;
  const double slip = 1e-6;  // so small that the brush is linear
  rig.travel_speed = rig.roll_speed * (1 - slip);
  for (const double distance : {0.02, 0.08, 0.2}) {
    const Simulation s = run(rig.builder(), distance / rig.roll_speed, 1e-6);
    const double k = tyre.slip_stiffness / tyre.relaxation_length, rate = rig.roll_speed / tyre.relaxation_length;
    const double damping = tyre.tread_damping / (1 + tyre.tread_damping * rate / (4 * k));
    const double left = std::exp(-distance / tyre.relaxation_length);
    const double expected = tyre.slip_stiffness * slip * (1 - left) + damping * slip * rig.roll_speed * left;
    EXPECT_NEAR(s.output("tyre.wheel.fx"), expected, 3e-4 * expected);  // first order: 1e-5 m a step over 0.08 m
  }
}

TEST(Tyre, NoForceLeavesTheFrictionEllipse) {
  for (const double angle : {0.05, 0.2, 0.6}) {
    for (const double slip : {-0.8, -0.1, 0.1, 0.7}) {
      Rig rig;
      rig.travel_speed = rig.roll_speed * (1 - slip);
      rig.side_speed = -rig.travel_speed * std::tan(angle);
      Simulation s(test::scene_of(rig.builder().build(), StepperKind::kEuler, 2e-3));
      double most = 0;
      for (int i = 0; i < 500; ++i) {
        s.step();
        const double limit = 0.8 * s.output("tyre.wheel.load");
        most = std::max(most, std::hypot(s.output("tyre.wheel.fx"), s.output("tyre.wheel.fy")) / limit);
      }
      EXPECT_LE(most, 1 + 1e-12);
      if (angle == 0.6) {
        EXPECT_GT(most, 0.9999);  // full sliding
      }
    }
  }
}

// The tread's force is rounded to one ulp beyond the ellipse as often as to one within it: with no damping to scale, or
// with almost none, that made 0 / 0. Locked wheels slide with mu N against the slip.
TEST(Tyre, FullSlipWithoutTreadDampingIsCoulombs) {
  for (const double damping : {0.0, 1e-200, 1e-9, 150.0}) {
    for (const double speed : {0.1, 1.0, 5.0, 20.0}) {
      for (const double angle : {0.0, 0.01, 0.3, 1.5}) {
        Rig rig;
        rig.tread_damping = damping;
        rig.roll_speed = 0, rig.travel_speed = speed * std::cos(angle), rig.side_speed = speed * std::sin(angle);
        Simulation s(test::scene_of(rig.builder().build(), StepperKind::kEuler, 2e-3));
        const double limit = 0.8 * rig.load;
        for (int i = 0; i < 200; ++i) {
          s.step();
          ASSERT_LE(std::hypot(s.output("tyre.wheel.fx"), s.output("tyre.wheel.fy")), limit * (1 + 1e-9))
              << damping << " " << speed << " " << angle << " " << i;
        }
        if (speed * 0.4 < 0.05) continue;  // it has not yet travelled ten times mu N / k, 8 mm
        EXPECT_NEAR(std::hypot(s.output("tyre.wheel.fx"), s.output("tyre.wheel.fy")), limit, 1e-6 * limit);
        if (angle == 0) {
          EXPECT_NEAR(s.output("tyre.wheel.fx"), -limit, 1e-6 * limit);
        }
      }
    }
  }
}

// Between sticking and full slip the steady force grows without a jump: over 2000 slips from rolling to locked no two
// neighbours differ by more than the brush model's steepest slope allows.
TEST(Tyre, ForcesAreContinuousFromStickingToFullSlip) {
  const TyreSpec tyre = tyre_on("wheel");
  Rig rig;
  rig.tread_damping = 0;
  ModelBuilder b = rig.builder();
  Simulation s(test::scene_of(b.build(), StepperKind::kEuler, 2e-3));
  s.run(0.2);
  double last = s.output("tyre.wheel.fx");
  const double limit = tyre.friction * rig.load;
  const int count = 2000;
  for (int i = 1; i <= count; ++i) {
    const double roll = rig.roll_speed * (1 - static_cast<double>(i) / count);
    s.set("motor.drive.target", roll / (tyre.radius - rig.load / tyre.stiffness));
    s.step();
    const double now = s.output("tyre.wheel.fx");
    // Over a step of 2 ms the tread is sheared by h |v| at most.
    const double most = tyre.slip_stiffness / tyre.relaxation_length * 2e-3 * (rig.travel_speed - roll) + 1e-9 * limit;
    ASSERT_LE(std::abs(now - last), most) << i;
    ASSERT_LE(std::abs(now), limit * (1 + 1e-12)) << i;
    last = now;
  }
  EXPECT_NEAR(last, -limit, 1e-9 * limit);
}

// A torque T on a wheel that pushes a sledge of resistance F: T = F r, and the slip is that of the brush for F.
TEST(Tyre, ConstantTorqueAgainstALoadEndsInTheSlipOfTheBrush) {
  const TyreSpec tyre = tyre_on("wheel");
  const double load = 1000, force = 300, height = tyre.radius - load / tyre.stiffness, speed = 5;
  ModelBuilder b;
  add_ground(b);
  b.add(body_of("sledge", 10, {1, 1, 1}));
  JointSpec slider = joint_to("world", "sledge", JointType::kPrismatic, {0, 0, height});
  slider.axis = Eigen::Vector3d::UnitX();
  slider.u = {speed};
  slider.damping = {force / speed};
  b.add(slider);
  b.add(body_of("wheel", 10, {0.25, 0.5, 0.25}));
  JointSpec axle = joint_to("sledge", "wheel", JointType::kRevolute, Eigen::Vector3d::Zero());
  axle.axis = Eigen::Vector3d::UnitY();
  axle.u = {speed / height};
  b.add(axle);
  b.add(tyre);
  ActuatorSpec engine;
  engine.name = "engine";
  engine.joint = "wheel";
  engine.control.source = force * height;
  b.add(engine);
  for (const char* what : {"tyre.wheel.fx", "tyre.wheel.slip", "joint.sledge.u"}) watch(b, what);
  const Simulation s = run(b, 20);
  const double limit = tyre.friction * load;
  const double theta = 1 - std::cbrt(1 - force / limit);
  // Settled: the sledge's time constant is 10 kg / (60 N s/m), 20 s are 120 of them.
  EXPECT_NEAR(s.output("joint.sledge.u"), speed, 1e-8);
  EXPECT_NEAR(s.output("tyre.wheel.fx"), force, 1e-6);
  EXPECT_NEAR(s.output("tyre.wheel.slip"), 3 * limit * theta / tyre.slip_stiffness, 1e-9);
}

// Locked wheels: v^2 / (2 mu g), and what the tread gives before it slides.
TEST(Tyre, LockedWheelsStopWithinTheDistanceOfCoulomb) {
  Cart cart;
  cart.speed = 15;
  cart.brakes = true;
  cart.max_brake = 5000;
  Simulation s(test::scene_of(cart.builder().build(), StepperKind::kEuler, 2e-3));
  s.run(10);
  const double expected = cart.speed * cart.speed / (2 * 0.8 * kGravity);
  // Friction builds up over a shear of mu N / k = 5 mm, and the spin of the wheels is gone in the first steps: of the
  // 14.3 m that is less than 1 %.
  EXPECT_NEAR(frame_x(s), expected, 0.01 * expected);
  EXPECT_LT(s.body_motion(0).velocity.norm(), 1e-4);  // it rocks on its tread, by e^-1.6 less a second
}

// With brakes on a slope of 20 degrees a car stays for a minute: no creep, no trembling, and the tyres carry
// m g sin(slope) between them.
TEST(Tyre, AParkedCarStaysOnASlope) {
  Cart cart;
  cart.slope = 20 * std::numbers::pi / 180;
  cart.brakes = true;
  cart.max_brake = 500;
  Simulation s(test::scene_of(cart.builder().build(), StepperKind::kEuler, 2e-3));
  s.run(10);
  const double before = frame_x(s);
  s.run(50);
  EXPECT_NEAR(frame_x(s), before, 1e-9);
  EXPECT_LT(s.body_motion(0).velocity.norm(), 1e-9);
  const double along = s.output("tyre.front_left.fx") + s.output("tyre.front_right.fx") +
                       s.output("tyre.rear_left.fx") + s.output("tyre.rear_right.fx");
  EXPECT_NEAR(along, cart.total() * kGravity * std::sin(cart.slope), 1e-5 * cart.total() * kGravity);
}

// Beyond the angle of friction, atan 0.8 = 38.7 degrees, it slides with g (sin - mu cos).
TEST(Tyre, BrakesDoNotHoldBeyondTheAngleOfFriction) {
  Cart cart;
  cart.slope = 45 * std::numbers::pi / 180;
  cart.brakes = true;
  cart.max_brake = 5000;
  Simulation s(test::scene_of(cart.builder().build(), StepperKind::kEuler, 2e-3));
  s.run(1);
  const double v1 = s.body_motion(0).velocity.norm();
  s.run(1);
  const double a = s.body_motion(0).velocity.norm() - v1;
  EXPECT_NEAR(a, kGravity * (std::sin(cart.slope) - 0.8 * std::cos(cart.slope)), 1e-3);  // stays on four wheels
}

// A car in a steady turn, front wheels turned by `steer`: the forces across the path make m v^2 / R.
TEST(Tyre, LateralForcesOfASteadyTurnAreCentripetal) {
  Cart cart;
  cart.speed = 6;
  cart.steer = 0.06;
  ModelBuilder b = cart.builder();
  for (const char* wheel : {"rear_left", "rear_right"}) {
    ActuatorSpec engine;
    engine.name = std::string("engine_") + wheel;
    engine.joint = wheel;
    engine.control.source = ExpressionText{"100*(6 - hypot(com.vx, com.vy))"};
    b.add(engine);
  }
  for (const char* what : {"body.frame.wz", "com.vx", "com.vy"}) watch(b, what);
  const Simulation s = run(b, 20);
  const double v = std::hypot(s.output("com.vx"), s.output("com.vy")), wz = s.output("body.frame.wz");
  double fx = 0, fy = 0;  // along and across the frame
  for (const char* wheel : {"front_left", "front_right", "rear_left", "rear_right"}) {
    const double turned = wheel[0] == 'f' ? cart.steer : 0;
    const double along = s.output(std::string("tyre.") + wheel + ".fx");
    const double across = s.output(std::string("tyre.") + wheel + ".fy");
    fx += std::cos(turned) * along - std::sin(turned) * across;
    fy += std::sin(turned) * along + std::cos(turned) * across;
  }
  EXPECT_GT(wz, 0.1);
  // Steady but for first order in the step; the frame leans by some 1e-2 rad, whose square is left out.
  EXPECT_NEAR(std::hypot(fx, fy), cart.total() * v * wz, 1e-3 * cart.total() * v * wz);
  // With these tyres the car is nearly neutral: the radius is that of Ackermann, give or take the slip angles.
  EXPECT_NEAR(v / wz, (cart.front + cart.rear) / std::tan(cart.steer), 0.25 * v / wz);
}

// What tyres take out of a car that brakes, slides and bounces never comes back, and the balance closes.
TEST(Tyre, TyresOnlyDissipate) {
  Cart cart;
  cart.speed = 8;
  cart.brakes = true;
  cart.max_brake = 60;
  ModelBuilder b = cart.builder();
  for (const char* what : {"energy.contact_friction", "energy.residual", "energy.total"}) watch(b, what);
  Simulation s(test::scene_of(b.build(), StepperKind::kEuler, 1e-3));
  double last = 0;
  for (int i = 0; i < 3000; ++i) {
    s.step();
    const double now = s.output("energy.contact_friction");
    ASSERT_GE(now, last - 1e-3) << i;  // of 8 kJ; stored energy is booked to first order in the step
    last = now;
  }
  EXPECT_GT(last, 100);
  EXPECT_LT(std::abs(s.output("energy.residual")), 0.01 * 0.5 * cart.total() * 64);
}

TEST(Tyre, RampsAndHeightFieldsAreGroundToo) {
  // A wheel dropped on a box 0.2 m high, and on a height field with a slope that carries it the same way.
  for (const bool field : {false, true}) {
    ModelBuilder b;
    b.add(MaterialSpec{.name = "ground", .friction = 1, .where = {}});
    ShapeSpec shape;
    shape.contact = "ground";
    if (field) {
      shape.geometry = ShapeHeightField{3, 2, 4, 4, {0.2, 0.2, 0.6, 0.2, 0.2, 0.6}};
    } else {
      shape.geometry = ShapeBox{{1, 1, 0.4}};
    }
    b.add_world_shape(shape);
    const TyreSpec tyre = tyre_on("wheel");
    b.add(body_of("wheel", 10, {0.25, 0.5, 0.25}));
    JointSpec slider = joint_to("world", "wheel", JointType::kPrismatic, {-0.2, 0, 0.55});
    b.add(slider);
    b.add(tyre);
    watch(b, "body.wheel.z");
    watch(b, "tyre.wheel.load");
    const Simulation s = run(b, 5);
    EXPECT_NEAR(s.output("body.wheel.z"), 0.2 + tyre.radius - 10 * kGravity / tyre.stiffness, 1e-9) << field;
    EXPECT_NEAR(s.output("tyre.wheel.load"), 10 * kGravity, 1e-5) << field;
  }
}

TEST(Tyre, AdaptiveSteppersSayWhatTheyNeed) {
  Rig rig;
  try {
    Simulation(test::scene_of(rig.builder().build(), StepperKind::kDopri5, 1e-3));
    FAIL();
  } catch (const InvalidArgument& e) {
    EXPECT_NE(std::string(e.what()).find("fixed"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace lipkin
