// What rests stays where it is, whatever the step, the size and the number of contacts; nothing comes from nowhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "lipkin/scene.hpp"
#include "lipkin/simulation.hpp"
#include "support/busy_scene.hpp"
#include "support/figure.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

using test::figure;
using test::joint_of;

class RestingContact : public testing::TestWithParam<StepperKind> {};

TEST_P(RestingContact, BlockOnAnInclineDoesNotCreep) {
  Simulation simulation(load_scene("incline-block"));
  simulation.set_stepper(GetParam());
  simulation.run(60);
  const double creep = simulation.output("creep"), drift = simulation.output("across");
  figure("incline-block, {}: creeps {:.1e} m along, {:.1e} m across in 60 s; {:.1f} iterations a step",
         name_of(GetParam()), creep, drift, static_cast<double>(simulation.statistics().iterations) / 6000);
  EXPECT_LT(std::abs(creep), 1e-6);
  EXPECT_LT(std::abs(drift), 1e-6);
  EXPECT_EQ(simulation.statistics().unconverged_steps, 0u);
}

// Beyond the critical angle it slides as pen and paper say.
TEST_P(RestingContact, BlockOnASteeperInclineSlides) {
  Simulation simulation(load_scene("incline-block", {{"share", "1.1"}}));
  simulation.set_stepper(GetParam());
  simulation.set_dt(1e-3);
  simulation.run(1);
  const double angle = 1.1 * std::atan(0.5);
  EXPECT_NEAR(simulation.output("speed"), 9.81 * (std::sin(angle) - 0.5 * std::cos(angle)), 1e-6);
}

TEST_P(RestingContact, CubeTakesAFewIterations) {
  for (const SolverKind solver :
       {SolverKind::kHybrid, SolverKind::kProx, SolverKind::kImpulses, SolverKind::kNewton, SolverKind::kLemke}) {
    Simulation simulation(load_scene("box-stack", {{"n", "1"}}));
    simulation.set_stepper(GetParam());
    simulation.set_solver(solver);
    simulation.run(2);
    const double mean =
        static_cast<double>(simulation.statistics().iterations) / static_cast<double>(simulation.statistics().steps);
    figure("cube on a plane, {}, {}: {:.1f} iterations a step, at most {}", name_of(GetParam()), name_of(solver), mean,
           simulation.statistics().max_iterations);
    EXPECT_LE(mean, 10) << name_of(solver);
    EXPECT_EQ(simulation.statistics().unconverged_steps, 0u) << name_of(solver);
    EXPECT_NEAR(simulation.output("top_z"), 0.1, 1e-5);  // depths below 1e-5 m are left alone
  }
}

TEST_P(RestingContact, StackStands) {
  for (const double dt : {0.01, 0.001}) {
    Simulation simulation(load_scene("box-stack"));
    simulation.set_stepper(GetParam());
    simulation.set_dt(dt);
    simulation.run(5);  // settles by the depths that are left alone, 1e-5 m each
    const double x = simulation.output("top_x"), y = simulation.output("top_y"), z = simulation.output("top_z");
    EXPECT_LE(std::hypot(x, y), 1e-5);
    EXPECT_NEAR(z, 1.9, 10 * 1e-5);
    simulation.run(5);
    figure("box-stack, {}, dt = {} s: top moves by {:.1e} {:.1e} {:.1e} m in 5 s, {:.1e} m in 5 s more",
           name_of(GetParam()), dt, x, y, z - 1.9, std::abs(simulation.output("top_x") - x));
    EXPECT_NEAR(simulation.output("top_x"), x, 1e-9);
    EXPECT_NEAR(simulation.output("top_y"), y, 1e-9);
    EXPECT_NEAR(simulation.output("top_z"), z, 1e-9);
    EXPECT_LE(simulation.output("kinetic"), 1e-12);
  }
}

TEST_P(RestingContact, TableStands) {
  Simulation simulation(load_scene("table-on-floor"));
  simulation.set_stepper(GetParam());
  simulation.run(10);
  EXPECT_NEAR(simulation.output("z"), 0.75, 1e-4);
  EXPECT_LE(simulation.output("kinetic"), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Steppers, RestingContact, testing::Values(StepperKind::kEuler, StepperKind::kMoreau),
                         [](const testing::TestParamInfo<StepperKind>& chosen) {
                           return std::string(name_of(chosen.param));
                         });

// Boxes that fall alike do not approach each other, and touch all the same.
TEST(BoxStack, DoesNotSinkAtTheStart) {
  Simulation simulation(load_scene("box-stack"));
  simulation.set_dt(0.01);
  double lowest = 2;
  simulation.run(1, 0, [&](const Simulation& now) {
    lowest = std::min(lowest, now.output("top_z"));
    return true;
  });
  EXPECT_EQ(simulation.statistics().unconverged_steps, 0u);
  EXPECT_GE(lowest, 1.9 - 1e-9);
}

TEST(Grasp, HoldsTheCube) {
  for (const double dt : {0.01, 0.001}) {
    Simulation simulation(load_scene("grasp"));
    simulation.set_dt(dt);
    simulation.run(3);
    const double held = simulation.output("relative_height");
    EXPECT_NEAR(simulation.output("palm_z"), 0.5, 1e-9);
    double slip = 0;
    simulation.run(10, 0, [&](const Simulation& now) {
      slip = std::max(slip, std::abs(now.output("relative_height") - held));
      return true;
    });
    figure("grasp, dt = {} s: slips {:.1e} m in 10 s", dt, slip);
    EXPECT_LT(slip, 1e-6);
    EXPECT_GT(simulation.output("cube_z"), 0.3);
  }
}

// A box thrown onto a floor, `scale` times as large; lengths go with the scale, times with its root.
Simulation thrown_box(double scale) {
  const double root = std::sqrt(scale);
  ModelBuilder builder;
  MaterialSpec wood;
  wood.name = "wood";
  wood.friction = 0.4;
  builder.add(wood);
  ShapeSpec floor;
  floor.geometry = ShapePlane{};
  floor.contact = "wood";
  builder.add_world_shape(floor);
  BodySpec box;
  box.name = "box";
  ShapeSpec shape;
  shape.geometry = ShapeBox{scale * Eigen::Vector3d(0.3, 0.2, 0.1)};
  shape.density = 700;
  shape.contact = "wood";
  box.shapes = {shape};
  builder.add(box);
  JointSpec free = joint_of("free", JointType::kFree, kWorldName, "box");
  free.q = {0, 0, 0.4 * scale, 0.8, 0.36, 0.48, 0};
  free.u = {1.5 * root, 0.3 * root, 0, 2 / root, -3 / root, 1 / root};
  builder.add(free);
  return Simulation(test::scene_of(builder.build(), StepperKind::kEuler, 1e-3 * root));
}

TEST(Scaling, SmallThingsMoveAsLargeOnes) {
  for (const double scale : {0.1, 0.01, 10.0}) {
    Simulation large = thrown_box(1), other = thrown_box(scale);
    double worst = 0;
    for (int n = 0; n < 1000; ++n) {
      large.step();
      other.step();
      const BodyMotion a = large.body_motion(0), b = other.body_motion(0);
      worst = std::max(worst, (a.pose.position - b.pose.position / scale).norm());
    }
    figure("thrown box, {} times as large: path off by {:.1e} m of {:.1f} m", scale, worst,
           large.body_motion(0).pose.position.norm());
    EXPECT_LE(worst, 1e-6);
  }
}

// A tenth of the lengths, the root of it of the times: the same motion, a tenth as large.
TEST(Scaling, SmallStacksStandAsLargeOnes) {
  const double root = std::sqrt(0.1);
  Simulation large(load_scene("box-stack")), small(load_scene("box-stack", {{"size", "0.02"}}));
  small.set_dt(large.experiment().dt * root);
  double worst = 0;
  for (int n = 0; n < 400; ++n) {
    large.step();
    small.step();
    for (int i = 0; i < large.model().body_count(); ++i)
      worst = std::max(worst, (large.body_motion(i).pose.position - 10 * small.body_motion(i).pose.position).norm());
  }
  figure("box-stack, a tenth as large: off by {:.1e} m", worst);
  EXPECT_LE(worst, 1e-9);
}

// Balls that drop into a cup, before their collisions have magnified the rounding.
Simulation balls_in_cup(double scale) {
  ModelBuilder builder;
  MaterialSpec glass;
  glass.name = "glass";
  glass.friction = 0.3;  // no restitution: the speed from which things bounce is given in m/s
  builder.add(glass);
  ShapeSpec cup;
  cup.geometry = ShapeCup{0.02 * scale, 0.22 * scale, 0.4 * scale};
  cup.contact = "glass";
  builder.add_world_shape(cup);
  for (int n = 0; n < 8; ++n) {
    BodySpec ball;
    ball.name = fmt::format("ball{}", n);
    ShapeSpec shape;
    shape.geometry = ShapeSphere{0.04 * scale};
    shape.density = 1000;
    shape.contact = "glass";
    ball.shapes = {shape};
    builder.add(ball);
    JointSpec free = joint_of("free " + ball.name, JointType::kFree, kWorldName, ball.name);
    free.q = {
        scale * (n % 2 ? 0.05 : -0.04), scale * (n % 4 < 2 ? 0.03 : -0.06), scale * (0.15 + 0.09 * n), 1, 0, 0, 0};
    builder.add(free);
  }
  return Simulation(test::scene_of(builder.build(), StepperKind::kEuler, 1e-3 * std::sqrt(scale)));
}

TEST(Scaling, SmallCupsFillAsLargeOnes) {
  Simulation large = balls_in_cup(1), small = balls_in_cup(0.1);
  double worst = 0;
  int contacts = 0;
  for (int n = 0; n < 300; ++n) {
    large.step();
    small.step();
    contacts = std::max(contacts, large.statistics().contacts);
    for (int i = 0; i < large.model().body_count(); ++i)
      worst = std::max(worst, (large.body_motion(i).pose.position - 10 * small.body_motion(i).pose.position).norm());
  }
  figure("balls in a cup, a tenth as large: off by {:.1e} m, {} contacts", worst, contacts);
  EXPECT_GT(contacts, 4);
  EXPECT_LE(worst, 1e-6);
}

TEST(Scaling, SmallLinkagesMoveAsLargeOnes) {
  const double root = std::sqrt(0.1);
  Simulation large(load_scene("four-bar")),
      small(load_scene("four-bar", {{"length", "0.1"}, {"rate", fmt::format("{:.17g}", 1 / root)}}));
  large.set_dt(1e-3);
  small.set_dt(1e-3 * root);
  double worst = 0;
  for (int n = 0; n < 2000; ++n) {
    large.step();
    small.step();
    for (int i = 0; i < large.model().body_count(); ++i)
      worst = std::max(worst, (large.body_motion(i).pose.position - 10 * small.body_motion(i).pose.position).norm());
  }
  figure("four-bar, a tenth as large: off by {:.1e} m in 2 s, gaps {:.1e} m", worst,
         small.statistics().position_violation);
  EXPECT_LE(worst, 1e-9);  // through the singular position, where rounding is magnified
}

// Spheres and boxes fall on a heap.
Model heap() {
  ModelBuilder builder;
  MaterialSpec stone;
  stone.name = "stone";
  stone.friction = 0.5;
  builder.add(stone);
  ShapeSpec floor;
  floor.geometry = ShapePlane{};
  floor.contact = "stone";
  builder.add_world_shape(floor);
  test::Random random(9);
  for (int n = 0; n < 24; ++n) {
    BodySpec body;
    body.name = fmt::format("stone{}", n);
    ShapeSpec shape;
    if (n % 2 == 0)
      shape.geometry = ShapeSphere{0.05};
    else
      shape.geometry = ShapeBox{{0.1, 0.08, 0.06}};
    shape.density = 2000;
    shape.contact = "stone";
    body.shapes = {shape};
    builder.add(body);
    JointSpec free = joint_of("free " + body.name, JointType::kFree, kWorldName, body.name);
    const Eigen::Quaterniond r = random.quaternion();
    free.q = {random.uniform(-0.05, 0.05), random.uniform(-0.05, 0.05), 0.1 + 0.15 * n, r.w(), r.x(), r.y(), r.z()};
    builder.add(free);
  }
  return builder.build();
}

TEST(Heap, GainsNoEnergy) {
  Simulation simulation(test::scene_of(heap(), StepperKind::kEuler, 1e-3));
  const double start = simulation.energy().total();
  double last = start, gained = 0, total = 0, last_kinetic = 0;
  simulation.run(3, 0, {}, [&](const Simulation& now) {
    const double energy = now.energy().total();
    gained = std::max(gained, energy - last);
    total += std::max(energy - last, 0.0);
    last = energy;
    last_kinetic = now.energy().kinetic;
    return true;
  });
  figure(
      "heap of 24: energy {:.3f} J at the start, {:.3f} J after 3 s; gained {:.1e} J at most in a step, {:.1e} J in "
      "all; kinetic {:.1e} J, {} unconverged steps",
      start, last, gained, total, last_kinetic, simulation.statistics().unconverged_steps);
  EXPECT_LT(last, start);
  EXPECT_LE(gained, 1e-12 * start);  // rounding; pushing out what is too deep lifts nothing by as much as steps lose
}

TEST(Heap, IsTheSameEveryTimeAndAfterARestore) {
  std::uint64_t hash[3];
  State saved;
  for (int n = 0; n < 2; ++n) {
    Simulation simulation(test::scene_of(heap(), StepperKind::kEuler, 2e-3));
    simulation.run(0.9);
    EXPECT_GT(simulation.statistics().contacts, 5);
    saved = simulation.state();
    simulation.run(0.6);
    hash[n] = simulation.hash();
  }
  Simulation other(test::scene_of(heap(), StepperKind::kEuler, 2e-3));
  other.run(0.1);
  other.restore(saved);
  other.run(0.6);
  hash[2] = other.hash();
  figure("heap: state hash {} {} {}", hash_text(hash[0]), hash_text(hash[1]), hash_text(hash[2]));
  EXPECT_EQ(hash[0], hash[1]);
  EXPECT_EQ(hash[0], hash[2]);
}

class Restored : public testing::TestWithParam<const char*> {};

TEST_P(Restored, GoesOnBitForBit) {
  Simulation whole(load_scene(GetParam())), other(load_scene(GetParam()));
  const double dt = whole.experiment().dt;
  whole.run(200 * dt);
  const State saved = whole.state();
  whole.run(100 * dt);
  other.run(30 * dt);
  other.restore(saved);
  other.run(100 * dt);
  EXPECT_EQ(whole.hash(), other.hash());
}

INSTANTIATE_TEST_SUITE_P(Scenes, Restored,
                         testing::Values("peaucellier", "bricard", "five-link-chain", "grasp", "box-stack",
                                         "newton-cradle", "sphere-in-cone", "chain-loop", "dominoes", "stick-slip"),
                         [](const testing::TestParamInfo<const char*>& chosen) {
                           std::string name = chosen.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Two bodies on a hinge with limits and friction, hit by a third; no gravity.
Model free_system() {
  ModelBuilder builder;
  builder.set_gravity({0, 0, 0});
  MaterialSpec wood;
  wood.name = "wood";
  wood.friction = 0.3;
  wood.restitution = 0.5;
  builder.add(wood);
  const auto add = [&](const std::string& name, const Eigen::Vector3d& p, const Eigen::Vector3d& v) {
    BodySpec body;
    body.name = name;
    ShapeSpec shape;
    shape.geometry = ShapeBox{{0.3, 0.1, 0.1}};
    shape.density = 500;
    shape.contact = "wood";
    body.shapes = {shape};
    builder.add(body);
    JointSpec free = joint_of("free " + name, JointType::kFree, kWorldName, name);
    free.q = {p.x(), p.y(), p.z(), 1, 0, 0, 0};
    free.u = {v.x(), v.y(), v.z(), 0.3, -0.2, 0.1};
    builder.add(free);
  };
  add("a", {0, 0, 0}, {0, 0, 0});
  add("c", {0.25, 0.4, 0.02}, {0.1, -1.5, 0});
  BodySpec b = test::body_with("b", 1.2, {0.15, 0, 0}, {0.01, 0.02, 0.02});
  builder.add(b);
  JointSpec hinge = joint_of("hinge", JointType::kRevolute, "a", "b");
  hinge.frame_in_parent.position = {0.15, 0, 0};
  hinge.friction = {0.05};
  hinge.lower = {-0.3};
  hinge.upper = {0.3};
  hinge.limit_restitution = 0.5;
  builder.add(hinge);
  for (const char* name : {"px", "py", "pz", "lx", "ly", "lz"})
    builder.add(OutputSpec{name, std::string("momentum.") + name, "", {}});
  builder.add(OutputSpec{"angle", "joint.hinge.q", "rad", {}});
  return builder.build();
}

struct Momenta {
  double linear = 0, angular = 0;  // largest changes
};

Momenta changes(CoordinateKind coordinates, double dt) {
  Scene scene = test::scene_of(free_system(), StepperKind::kEuler, dt);
  scene.experiment.coordinates = coordinates;
  Simulation simulation(std::move(scene));
  const auto linear = [&] {
    return Eigen::Vector3d(simulation.output("px"), simulation.output("py"), simulation.output("pz"));
  };
  const auto angular = [&] {
    return Eigen::Vector3d(simulation.output("lx"), simulation.output("ly"), simulation.output("lz"));
  };
  const Eigen::Vector3d p = linear(), l = angular();
  Momenta change;
  double bent = 0;
  int contacts = 0;
  simulation.run(1, 0, [&](const Simulation& now) {
    change.linear = std::max(change.linear, (linear() - p).norm());
    change.angular = std::max(change.angular, (angular() - l).norm());
    bent = std::max(bent, std::abs(now.output("angle")));
    contacts = std::max(contacts, now.statistics().contacts);
    return true;
  });
  EXPECT_GT(contacts, 0);
  EXPECT_GT(bent, 0.1);
  return change;
}

TEST(FreeSystem, KeepsItsMomentum) {
  const Momenta maximal = changes(CoordinateKind::kMaximal, 1e-3);
  figure("free system, maximal at 1 ms: momentum changes by {:.1e} kg m/s, angular by {:.1e} kg m^2/s", maximal.linear,
         maximal.angular);
  EXPECT_LE(maximal.linear, 1e-12);  // every impulse acts on two bodies, and velocities are those of bodies
  for (const CoordinateKind coordinates : {CoordinateKind::kGeneralized, CoordinateKind::kMaximal}) {
    const Momenta coarse = changes(coordinates, 1e-3), fine = changes(coordinates, 2.5e-4);
    figure(
        "free system, {}: momentum changes by {:.1e}, {:.1e} kg m/s, angular by {:.1e}, {:.1e} kg m^2/s at 1, 0.25 ms",
        name_of(coordinates), coarse.linear, fine.linear, coarse.angular, fine.angular);
    EXPECT_LE(coarse.angular, 1e-2);
    EXPECT_LE(fine.angular, 0.5 * coarse.angular);
  }
}

}  // namespace
}  // namespace lipkin
