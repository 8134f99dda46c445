// A step with loops, motors or contacts takes nothing from the heap once its buffers have grown.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "allocation_counter.hpp"
#include "lipkin/scene.hpp"
#include "lipkin/simulation.hpp"
#include "support/figure.hpp"

namespace lipkin {
namespace {

struct Case {
  const char* scene;
  double warm_up;  // until everything has touched that will [s]
  int steps;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.scene; }

class ConstrainedStepAllocation : public testing::TestWithParam<std::tuple<Case, StepperKind, CoordinateKind>> {};

TEST_P(ConstrainedStepAllocation, NoneAfterTheWarmUp) {
  const auto& [c, stepper, coordinates] = GetParam();
  Simulation simulation(load_scene(c.scene));
  simulation.set_stepper(stepper);
  simulation.set_coordinates(coordinates);
  simulation.run(c.warm_up);
  long total = 0;
  for (int n = 0; n < c.steps; ++n) total += test::allocations_in([&] { simulation.step(); });
  test::figure("{}, {}, {}: {} allocations in {} steps", c.scene, name_of(stepper), name_of(coordinates), total,
               c.steps);
  EXPECT_EQ(total, 0);
}

std::string test_name(const testing::TestParamInfo<ConstrainedStepAllocation::ParamType>& info) {
  std::string name = fmt::format("{}_{}_{}", std::get<0>(info.param).scene, name_of(std::get<1>(info.param)),
                                 name_of(std::get<2>(info.param)));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// Loops, motors, gears, friction in joints; then contacts that stay.
INSTANTIATE_TEST_SUITE_P(
    Scenes, ConstrainedStepAllocation,
    testing::Combine(testing::Values(Case{"peaucellier", 0.1, 200}, Case{"peaucellier-driven", 0.1, 200},
                                     Case{"slider-crank", 0.1, 200}, Case{"bricard", 0.1, 200},
                                     Case{"five-link-chain", 0.1, 200}, Case{"chain-loop", 0.05, 50},
                                     Case{"table", 0.1, 50}, Case{"grasp", 3, 200}, Case{"box-stack", 2, 100},
                                     Case{"incline-block", 1, 100}, Case{"rolling-disc", 0.1, 200},
                                     Case{"sphere-in-cone", 0.1, 200}, Case{"minibaja", 1, 100}),
                     testing::Values(StepperKind::kEuler, StepperKind::kMoreau),
                     testing::Values(CoordinateKind::kGeneralized, CoordinateKind::kMaximal)),
    test_name);

}  // namespace
}  // namespace lipkin
