// Controllers are seen with what they hold over the first step before it is taken.
#include <gtest/gtest.h>

#include "lipkin/simulation.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

constexpr const char* kScene = R"(
lipkin: 1
gravity: [0, 0, 0]
bodies: [{name: b, mass: 1, joint: {type: prismatic, axis: x, u: 1}}]
controllers:
  - {name: k, measured: joint.b.q, target: 2, p: 3}
  - {name: l, law: "5"}
actuators: [{name: a, joint: b, control: controller.k.output + controller.l.output}]
outputs: {o: controller.k.output, e: controller.k.error, l: controller.l.output, a: joint.b.a, f: actuator.a.force}
experiment: {duration: 0.003, dt: 0.001}
)";

TEST(FirstControllers, AreSeenAtWork) {
  for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kMoreau, StepperKind::kRk4, StepperKind::kDopri5})
    for (const CoordinateKind coordinates : {CoordinateKind::kGeneralized, CoordinateKind::kMaximal}) {
      const bool by_rows = stepper == StepperKind::kEuler || stepper == StepperKind::kMoreau;
      if (coordinates == CoordinateKind::kMaximal && !by_rows) continue;
      Scene scene = test::scene_from(kScene);
      scene.experiment.stepper = stepper;
      scene.experiment.coordinates = coordinates;
      Simulation simulation(scene);
      for (int again = 0; again < 2; ++again) {
        EXPECT_DOUBLE_EQ(simulation.output("o"), 6);
        EXPECT_DOUBLE_EQ(simulation.output("e"), 2);
        EXPECT_DOUBLE_EQ(simulation.output("l"), 5);
        EXPECT_NEAR(simulation.output("a"), 11, 1e-9);
        EXPECT_NEAR(simulation.output("f"), 11, 1e-12);
        simulation.step();
        simulation.reset();
      }
    }
}

TEST(FirstControllers, LookingAtThemDoesNotActOnTheRun) {
  Simulation seen(test::scene_from(kScene)), unseen(test::scene_from(kScene));
  for (int i = 0; i < 5; ++i) {
    seen.outputs();
    seen.step(), unseen.step();
    EXPECT_EQ(seen.hash(), unseen.hash());
  }
}

}  // namespace
}  // namespace lipkin
