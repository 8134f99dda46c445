#include <gtest/gtest.h>

#include "lipkin/simulation.hpp"
#include "unit/io/temporary_scene.hpp"

namespace lipkin {
namespace {

using test::Lines;

constexpr const char* kScene = R"(lipkin: 1
parameters:
  length: {value: 1, unit: m}
  half: length/2
bodies:
  - {name: rod1, joint: {type: revolute, axis: z}, mass: 1, com: [half, 0, 0]}
  - {name: rod2, parent: rod1, joint: {type: revolute, axis: z, at: [length, 0, 0]}, mass: 1, com: [half, 0, 0]}
actuators: [{name: m, joint: rod1}]
outputs: {x: {expr: body.rod2.x, unit: m}}
experiment:
  commands: [{at: 1, set: {actuator.m.control: 3}}]
)";

using Override = std::pair<std::string, std::string>;

Scene with(const Override& change) { return test::scene_of(kScene, {change}); }

// The one line about a wrong override, which must stand at the override.
std::string mistake(const std::string& path, const std::string& value) {
  const Lines lines = test::mistakes_in(kScene, {{path, value}});
  if (lines.size() != 1) return "not one line but " + std::to_string(lines.size());
  const std::string place = "--set " + path + "=" + value + ": error: ";
  return lines[0].rfind(place, 0) == 0 ? lines[0].substr(place.size()) : lines[0];
}

TEST(Overrides, ReachParametersAndWhatFollowsFromThem) {
  EXPECT_EQ(with({"length", "4"}).model.body_com(0).x(), 2);
  EXPECT_EQ(with({"parameters.length", "2*3"}).model.body_com(0).x(), 3);
  EXPECT_EQ(with({"half", "length"}).model.body_com(0).x(), 1);
}

TEST(Overrides, ReachEveryPlaceInTheFile) {
  EXPECT_EQ(with({"bodies.rod2.mass", "7"}).model.body_mass(1), 7);
  EXPECT_EQ(with({"bodies.1.mass", "7"}).model.body_mass(1), 7);
  EXPECT_EQ(with({"bodies.rod1.com.0", "0.3"}).model.body_com(0).x(), 0.3);
  EXPECT_EQ(with({"gravity", "[1, 2, 3]"}).model.gravity(), Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(with({"name", "other"}).name, "other");
  EXPECT_EQ(with({"experiment.dt", "1e-4"}).experiment.dt, 1e-4);
  EXPECT_EQ(with({"experiment.stepper", "rk4"}).experiment.stepper, StepperKind::kRk4);
  const Scene commanded = with({"experiment.commands.0.set.actuator.m.control", "8"});
  EXPECT_EQ(std::get<CommandSet>(commanded.experiment.commands.at(0).action).value, 8);
  const Scene watched = with({"outputs.x", "body.rod1.x"});
  EXPECT_EQ(watched.model.output_unit(0), "m");
  EXPECT_EQ(with({"outputs.y", "body.rod1.y"}).model.output_count(), 2);
}

TEST(Overrides, BeginAnExperimentWhereTheFileHasNone) {
  EXPECT_EQ(test::scene_of("lipkin: 1\n", {{"experiment.dt", "0.5"}}).experiment.dt, 0.5);
}

TEST(Overrides, TheLastOneWins) {
  EXPECT_EQ(test::scene_of(kScene, {{"length", "2"}, {"length", "6"}}).model.body_com(0).x(), 3);
}

TEST(Overrides, SayWhatIsWrong) {
  EXPECT_EQ(mistake("lenght", "2"), "the scene has no parameter 'lenght' (did you mean 'length'?)");
  EXPECT_EQ(mistake("parameters.lenght", "2"), "there is no 'lenght' in 'parameters' (did you mean 'length'?)");
  EXPECT_EQ(mistake("bodies.rod3.mass", "2"), "there is no 'rod3' in 'bodies' (did you mean 'rod1'?)");
  EXPECT_EQ(mistake("bodies.rod1.jiont.damping", "2"), "there is no 'jiont' in 'bodies.rod1' (did you mean 'joint'?)");
  EXPECT_EQ(mistake("bodies.7.mass", "2"), "there is no '7' in 'bodies' (there are rod1, rod2)");
  EXPECT_EQ(mistake("bodies.rod1.mas", "2"), "unknown key 'mas' in a body (did you mean 'mass'?)");
  EXPECT_EQ(mistake("bodies.rod1.mass", "-2"), "'mass' must be at least 0, not '-2'");
  EXPECT_EQ(mistake("bodies.rod1.mass", "-length"), "'mass' must be at least 0, not '-length' = -1");
  EXPECT_EQ(mistake("bodies.rod1.name.x", "2"), "'bodies.rod1.name' has no parts");
  EXPECT_EQ(mistake("length", ""), "there is no value behind '='");
  EXPECT_EQ(mistake("length", "[1"), "not valid YAML: this '[' is not closed (write ']' behind the last value in it)");
  EXPECT_EQ(mistake("length", "nan"), "'value' must be a finite number, not 'nan'");
  EXPECT_EQ(mistake("experiment.stepper", "rk5"),
            "'stepper' must be one of euler, moreau, rk4, dopri5, adams, bdf, not 'rk5' (did you mean 'rk4'?)");
  EXPECT_EQ(mistake("", "1"), "the scene has no parameter ''");
}

}  // namespace
}  // namespace lipkin
