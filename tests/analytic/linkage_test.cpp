// Linkages keep what their geometry promises, for long and at large steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "lipkin/scene.hpp"
#include "lipkin/simulation.hpp"
#include "support/figure.hpp"

namespace lipkin {
namespace {

using test::figure;

struct Off {
  double line = 0, loops = 0;  // largest [m]
};

Off run_linkage(CoordinateKind coordinates, double duration) {
  Simulation simulation(load_scene("peaucellier"));
  simulation.set_coordinates(coordinates);
  simulation.set_dt(0.01);
  Off off;
  simulation.run(duration, 0, [&](const Simulation& now) {
    off.line = std::max(off.line, std::abs(now.output("off_line")));
    for (const char* gap : {"gap_C_left", "gap_C_right", "gap_D"})
      off.loops = std::max(off.loops, std::abs(now.output(gap)));
    return true;
  });
  EXPECT_EQ(simulation.statistics().unconverged_steps, 0u);
  figure("peaucellier, {}, {} s at 10 ms: off the line by {:.1e} m, loops open by {:.1e} m", name_of(coordinates),
         duration, off.line, off.loops);
  return off;
}

TEST(Linkage, DrawsAStraightLineForTenSeconds) {
  for (const CoordinateKind coordinates : {CoordinateKind::kGeneralized, CoordinateKind::kMaximal}) {
    const Off off = run_linkage(coordinates, 10);
    EXPECT_LT(off.line, 1e-10);
    EXPECT_LT(off.loops, 1e-10);
  }
}

TEST(Linkage, DrawsAStraightLineForTenMinutes) {
  const Off off = run_linkage(CoordinateKind::kGeneralized, 600);
  EXPECT_LT(off.line, 1e-10);
  EXPECT_LT(off.loops, 1e-10);
}

// The linkage passes the same way every time: its drive is periodic, and friction or drift would show.
TEST(Linkage, SwingsTheSameWayAfterTenMinutes) {
  Simulation simulation(load_scene("peaucellier"));
  simulation.run(100);
  const double early = simulation.output("D_y");
  simulation.run(500);
  EXPECT_NEAR(simulation.output("D_y"), early, 1e-9);
}

class ClosedLoops : public testing::TestWithParam<const char*> {};

TEST_P(ClosedLoops, StayClosed) {
  for (const StepperKind stepper : {StepperKind::kEuler, StepperKind::kMoreau}) {
    Simulation simulation(load_scene(GetParam()));
    simulation.set_stepper(stepper);
    simulation.set_dt(std::string(GetParam()) == "slider-crank" ? 0.01 : 0.002);
    double gap = 0;
    simulation.run(2, 0, [&](const Simulation& now) {
      gap = std::max(gap, std::abs(now.output("gap")));
      return true;
    });
    figure("{}, {}: loop open by {:.1e} m in 2 s", GetParam(), name_of(stepper), gap);
    EXPECT_LT(gap, 1e-10);
    EXPECT_EQ(simulation.statistics().unconverged_steps, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, ClosedLoops, testing::Values("slider-crank", "bricard", "chain-loop"),
                         [](const testing::TestParamInfo<const char*>& chosen) {
                           std::string name = chosen.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace lipkin
