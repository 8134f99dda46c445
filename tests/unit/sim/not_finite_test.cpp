// Where a number stops being one the error says whose it was, and what was to be worked out.
#include <gtest/gtest.h>

#include "lipkin/simulation.hpp"
#include "support/scene_text.hpp"

namespace lipkin {
namespace {

std::string error_of(const std::string& parts, StepperKind stepper) {
  Scene scene =
      test::scene_from("lipkin: 1\nbodies: [{name: a, joint: {type: prismatic, axis: x}, mass: 1}]\n" + parts);
  scene.experiment.stepper = stepper;
  Simulation simulation(std::move(scene));
  try {
    simulation.run(1);
  } catch (const SimulationError& e) {
    EXPECT_NEAR(simulation.state().t, 0.5, 0.0025);
    return e.what();
  }
  return "it went on";
}

struct Case {
  const char* parts;
  const char* owner;
};

const char* const kText = "'sqrt(0.5-t)'";

void expect_named(const Case& c, StepperKind stepper) {
  const std::string text = error_of(c.parts, stepper);
  SCOPED_TRACE(c.parts);
  EXPECT_NE(text.find(c.owner), std::string::npos) << text;
  EXPECT_NE(text.find(kText), std::string::npos) << text;
  EXPECT_NE(text.find("t = 0.5"), std::string::npos) << text;
  // The slope of a root at zero is infinite: motors that need the rate of their target stop there.
  EXPECT_TRUE(text.ends_with(" is not a number") || text.ends_with(" is infinite")) << text;
}

TEST(NotFinite, NamesTheExpression) {
  const Case cases[] = {
      {"motors: [{name: m, joint: a, velocity: 1, max_force: 10, effort: 'sqrt(0.5-t)'}]", "the effort of motor 'm'"},
      {"motors: [{name: m, joint: a, velocity: 'sqrt(0.5-t)'}]", "the velocity of motor 'm'"},
      {"motors: [{name: m, joint: a, position: 'sqrt(0.5-t)'}]", "the position of motor 'm'"},
      {"motors: [{name: m, joint: a, position: 'sqrt(0.5-t)', stiffness: 9, damping: 1}]", "the position of motor 'm'"},
      {"motors: [{name: m, joint: a, velocity: 'sqrt(0.5-t)', max_force: 3}]", "the velocity of motor 'm'"},
  };
  for (const Case& c : cases)
    for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kMoreau}) expect_named(c, stepper);
}

TEST(NotFinite, NamesTheExpressionOfAForce) {
  const Case cases[] = {
      {"actuators: [{name: m, joint: a, control: 'sqrt(0.5-t)'}]", "the control of actuator 'm'"},
      {"forces: [{name: m, body: a, force: ['sqrt(0.5-t)', 0, 0]}]", "the force of force 'm'"},
      {"forces: [{name: m, body: a, torque: ['sqrt(0.5-t)', 0, 0]}]", "the torque of force 'm'"},
      {"controllers: [{name: m, law: 'sqrt(0.5-t)'}]\nactuators: [{name: n, joint: a, control: controller.m.output}]",
       "the law of controller 'm'"},
      {"controllers: [{name: m, measured: 'sqrt(0.5-t)', target: 0, p: 1}]\n"
       "actuators: [{name: n, joint: a, control: controller.m.output}]",
       "controller 'm' measures"},
  };
  for (const Case& c : cases)
    for (const StepperKind stepper :
         {StepperKind::kEuler, StepperKind::kMoreau, StepperKind::kRk4, StepperKind::kDopri5})
      expect_named(c, stepper);
}

// A trial step that leaves an expression's domain and is taken back is no mistake: sqrt of what stays positive.
TEST(NotFinite, TrialsThatAreTakenBackAreNone) {
  Scene scene = test::scene_from(R"(
lipkin: 1
gravity: [0, 0, 0]
bodies: [{name: a, joint: {type: prismatic, axis: x, q: 1, u: -1}, mass: 1}]
forces: [{name: f, body: a, force: ['0.5/sqrt(joint.a.q)', 0, 0]}]
)");
  scene.experiment.stepper = StepperKind::kDopri5;
  scene.experiment.dt = 5;  // q would be -4
  Simulation simulation(std::move(scene));
  EXPECT_NO_THROW(simulation.run(3));
  EXPECT_GT(simulation.statistics().rejected_steps, 0u);
}

}  // namespace
}  // namespace lipkin
