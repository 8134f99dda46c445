// What is refused leaves the run as it was: the same bits afterwards as in a run that never heard of it.
#include <gtest/gtest.h>

#include <functional>

#include "lipkin/simulation.hpp"
#include "model/model_compiler.hpp"

namespace lipkin {
namespace {

// A pendulum of 1 m whose tip is at (1, 0, 0); as soft as a spring makes it, or with a stop, which needs rows.
ModelBuilder pendulum(bool with_stop) {
  ModelBuilder builder;
  BodySpec body;
  body.name = "arm";
  body.mass_properties = MassProperties{2.0, {0.5, 0, 0}, Eigen::Vector3d(0.1, 0.2, 0.2).asDiagonal()};
  builder.add(body);
  JointSpec joint;
  joint.name = "pivot";
  joint.child = "arm";
  joint.axis = Eigen::Vector3d::UnitY();
  joint.damping = {0.1};
  if (with_stop) joint.upper = {1.0};
  builder.add(joint);
  return builder;
}

Scene scene_of(ModelBuilder builder, StepperKind stepper) {
  Scene scene{"refused", "", builder.build(), {}, {}};
  scene.experiment.stepper = stepper;
  return scene;
}

// The tip on a rod of `length` to (2, 0, 0).
Model with_rod(const Model& model, double length) {
  ModelParts parts = *model.data().parts;
  DistanceSpec rod;
  rod.name = "rod";
  rod.a.body = "arm";
  rod.a.position = {1, 0, 0};
  rod.b.body = kWorldName;
  rod.b.position = {2, 0, 0};
  rod.lower = rod.upper = length;
  parts.distances.push_back(rod);
  return compile_model(std::make_shared<const ModelParts>(std::move(parts)));
}

struct Refusal {
  const char* name;
  std::function<void(Simulation&)> call;
};

std::string settings_of(const Experiment& e) {
  return std::string(name_of(e.stepper)) + " " + std::to_string(static_cast<int>(e.coordinates)) + " " +
         std::to_string(static_cast<int>(e.step)) + " " + std::to_string(e.dt) + " " + std::to_string(e.dt_min) + " " +
         std::to_string(e.dt_max) + " " + std::to_string(e.relative_tolerance) + " " +
         std::to_string(e.absolute_tolerance);
}

void expect_no_trace(const std::function<Simulation()>& make, const std::vector<Refusal>& refusals) {
  Simulation untouched = make();
  for (int i = 0; i < 20; ++i) untouched.step();
  const std::uint64_t at_call = untouched.hash();
  for (int i = 0; i < 300; ++i) untouched.step();
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.name);
    Simulation simulation = make();
    for (int i = 0; i < 20; ++i) simulation.step();
    const std::string settings = settings_of(simulation.experiment());
    EXPECT_THROW(refusal.call(simulation), Error);
    EXPECT_EQ(simulation.hash(), at_call);
    EXPECT_EQ(settings_of(simulation.experiment()), settings);
    for (int i = 0; i < 300; ++i) simulation.step();
    EXPECT_EQ(simulation.hash(), untouched.hash());
    EXPECT_EQ(simulation.energy().total(), untouched.energy().total());
  }
}

std::vector<Refusal> wrong_for_any_model() {
  return {
      {"dt", [](Simulation& s) { s.set_dt(-1); }},
      {"tolerances", [](Simulation& s) { s.set_tolerances(1e-3, 0); }},
      {"steps", [](Simulation& s) { s.set_step(StepKind::kVariable, 1, 0.1); }},
      {"control", [](Simulation& s) { s.set_control(7, 1); }},
      {"setting", [](Simulation& s) { s.set("joint.pivot.dampnig", 1); }},
      {"value", [](Simulation& s) { s.set("joint.pivot.damping", -1); }},
      {"command",
       [](Simulation& s) {
         s.apply({0.0, CommandSet{"joint.none.damping", 1}, {}});
       }},
      {"drag",
       [](Simulation& s) {
         ActiveDrag drag;
         drag.body = 3;
         s.set_drags({drag});
       }},
      {"threads", [](Simulation& s) { s.use_threads(0); }},
      {"state of another size",
       [](Simulation& s) {
         State state = s.state();
         state.q.push_back(0);
         s.restore(state);
       }},
      {"state that is not finite",
       [](Simulation& s) {
         State state = s.state();
         state.u[0] = std::numeric_limits<double>::quiet_NaN();
         s.restore(state);
       }},
      {"state with a wrong edit",
       [](Simulation& s) {
         State state = s.state();
         state.t = 7;
         state.edits.push_back({"joint.none.damping", 1});
         s.restore(state);
       }},
      {"checkpoint with wrong settings",
       [](Simulation& s) {
         Checkpoint checkpoint = s.checkpoint();
         checkpoint.model = with_rod(s.model(), 1.2);
         checkpoint.experiment.stepper = StepperKind::kRk4;
         s.restore(checkpoint);
       }},
  };
}

TEST(Refused, SteppersThatTakeNoRows) {
  std::vector<Refusal> refusals = wrong_for_any_model();
  for (const StepperKind kind : {StepperKind::kRk4, StepperKind::kDopri5, StepperKind::kAdams, StepperKind::kBdf}) {
    refusals.push_back({"stepper", [kind](Simulation& s) { s.set_stepper(kind); }});
    refusals.push_back({"settings", [kind](Simulation& s) {
                          Experiment e = s.experiment();
                          e.stepper = kind;
                          e.dt = 0.5;
                          e.coordinates = CoordinateKind::kMaximal;
                          s.set_experiment(e);
                        }});
  }
  for (const StepperKind running : {StepperKind::kEuler, StepperKind::kMoreau})
    for (const CoordinateKind coordinates : {CoordinateKind::kGeneralized, CoordinateKind::kMaximal})
      expect_no_trace(
          [&] {
            Scene scene = scene_of(pendulum(true), running);
            scene.experiment.coordinates = coordinates;
            return Simulation(std::move(scene));
          },
          refusals);
}

TEST(Refused, RowsForAStepperThatTakesNone) {
  std::vector<Refusal> refusals = wrong_for_any_model();
  refusals.push_back({"coordinates", [](Simulation& s) { s.set_coordinates(CoordinateKind::kMaximal); }});
  refusals.push_back({"model", [](Simulation& s) { s.change_model(with_rod(s.model(), 1.2)); }});
  for (const StepperKind running : {StepperKind::kRk4, StepperKind::kDopri5})
    expect_no_trace([&] { return Simulation(scene_of(pendulum(false), running)); }, refusals);
}

TEST(Refused, ModelsWhoseLoopsCannotBeClosed) {
  expect_no_trace([] { return Simulation(scene_of(pendulum(true), StepperKind::kEuler)); },
                  {{"model", [](Simulation& s) { s.change_model(with_rod(s.model(), 5)); }}});
}

TEST(Refused, WatchesWithMistakes) {
  Simulation simulation(scene_of(pendulum(true), StepperKind::kEuler)),
      untouched(scene_of(pendulum(true), StepperKind::kEuler));
  for (int i = 0; i < 20; ++i) simulation.step(), untouched.step();
  const std::vector<std::string> mistakes = simulation.set_watches({"joint.none.q", "sin(", "joint.pivot.q"});
  EXPECT_FALSE(mistakes[0].empty());
  EXPECT_FALSE(mistakes[1].empty());
  EXPECT_EQ(simulation.watched()[2], simulation.state().q[0]);
  for (int i = 0; i < 300; ++i) simulation.step(), untouched.step();
  EXPECT_EQ(simulation.hash(), untouched.hash());
}

// The rod was added where the pendulum hung; at the start arm and rod would lie in one line, where no turn can close
// the gap. reset() throws, and the run goes on.
TEST(Refused, ResetThatCannotCloseALoop) {
  const auto make = [] {
    Simulation simulation(scene_of(pendulum(true), StepperKind::kEuler));
    for (int i = 0; i < 200; ++i) simulation.step();
    simulation.change_model(with_rod(simulation.model(), 1.2));
    return simulation;
  };
  expect_no_trace(make, {{"reset", [](Simulation& s) { s.reset(); }}});
}

// After an edit that took its target away a command does nothing, in a run that begins anew too.
TEST(Refused, ResetForgivesCommandsThatLostTheirTarget) {
  Scene scene = scene_of(pendulum(true), StepperKind::kEuler);
  scene.experiment.commands.push_back({0.5, CommandSet{"joint.pivot.damping", 3}, {}});
  Simulation simulation(std::move(scene));
  ModelParts parts = *simulation.model().data().parts;
  parts.joints[0].name = "hinge";
  simulation.change_model(compile_model(std::make_shared<const ModelParts>(std::move(parts))));
  simulation.reset();
  for (int i = 0; i < 1000; ++i) simulation.step();
  EXPECT_EQ(simulation.state().t, 1.0);
}

}  // namespace
}  // namespace lipkin
