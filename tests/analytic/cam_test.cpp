// Gears with a curve against the same mechanism in one coordinate.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "lipkin/simulation.hpp"
#include "support/busy_scene.hpp"
#include "support/figure.hpp"
#include "support/sample_models.hpp"

namespace lipkin {
namespace {

using test::figure;

constexpr double kGravity = 9.81, kInertia = 0.3, kMass = 2, kDuration = 1;

// A cam on a hinge lifts a block: z = offset + ratio a + c2 a^2 + c3 a^3 + c4 a^4.
constexpr double kOffset = 0.1, kRatio = 0.05, kCurve[] = {0.08, -0.03, 0.01};
double lift(double a) { return kOffset + a * (kRatio + a * (kCurve[0] + a * (kCurve[1] + a * kCurve[2]))); }
double slope(double a) { return kRatio + a * (2 * kCurve[0] + a * (3 * kCurve[1] + a * 4 * kCurve[2])); }
double bend(double a) { return 2 * kCurve[0] + a * (6 * kCurve[1] + a * 12 * kCurve[2]); }

constexpr double kAngle = -1.2, kSpeed = 4;

// (I + m z'^2) a'' = -m z' (z'' a'^2 + g), by the classical method of fourth order.
std::array<double, 2> in_one_coordinate() {
  std::array<double, 2> y = {kAngle, kSpeed};
  const auto rate = [](const std::array<double, 2>& x) {
    const double s = slope(x[0]);
    return std::array<double, 2>{x[1], -kMass * s * (bend(x[0]) * x[1] * x[1] + kGravity) / (kInertia + kMass * s * s)};
  };
  const auto moved = [&](const std::array<double, 2>& d, double h) {
    return std::array<double, 2>{y[0] + h * d[0], y[1] + h * d[1]};
  };
  constexpr int kSteps = 20000;
  constexpr double h = kDuration / kSteps;
  for (int i = 0; i < kSteps; ++i) {
    const auto a = rate(y), b = rate(moved(a, h / 2)), c = rate(moved(b, h / 2)), d = rate(moved(c, h));
    for (std::size_t k = 0; k < 2; ++k) y[k] += h / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k]);
  }
  return y;
}

struct Outcome {
  double angle, off, drift;
};

class Cam : public testing::TestWithParam<std::tuple<StepperKind, CoordinateKind>> {
 protected:
  Outcome run(double dt) const {
    ModelBuilder builder;
    builder.add(test::body_with("cam", 1, {0, 0, 0}, {kInertia, kInertia, kInertia}));
    JointSpec hinge = test::joint_of("hinge", JointType::kRevolute, kWorldName, "cam");
    hinge.q = {kAngle};
    hinge.u = {kSpeed};
    builder.add(hinge);
    builder.add(test::body_with("block", kMass, {0, 0, 0}, {1, 1, 1}));
    JointSpec slide = test::joint_of("slide", JointType::kPrismatic, kWorldName, "block");
    slide.q = {lift(kAngle)};
    slide.u = {slope(kAngle) * kSpeed};
    builder.add(slide);
    GearSpec gear;
    gear.name = "cam";
    gear.joint = "slide";
    gear.of = "hinge";
    gear.ratio = kRatio;
    gear.offset = kOffset;
    gear.curve.assign(std::begin(kCurve), std::end(kCurve));
    builder.add(gear);
    for (const char* name : {"joint.hinge.q", "joint.slide.q"}) builder.add(OutputSpec{name, name, "", {}});
    Scene scene = test::scene_of(builder.build(), std::get<0>(GetParam()), dt);
    scene.experiment.coordinates = std::get<1>(GetParam());
    Simulation simulation(std::move(scene));
    Outcome result{0, 0, 0};
    simulation.run(kDuration, 0, [&](const Simulation& now) {
      const double gap = now.output("joint.slide.q") - lift(now.output("joint.hinge.q"));
      result.off = std::max(result.off, std::abs(gap));
      return true;
    });
    result.angle = simulation.output("joint.hinge.q");
    result.drift = simulation.statistics().energy_final - simulation.statistics().energy_initial;
    return result;
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, Cam,
                         testing::Combine(testing::Values(StepperKind::kEuler, StepperKind::kMoreau),
                                          testing::Values(CoordinateKind::kGeneralized, CoordinateKind::kMaximal)));

TEST_P(Cam, MovesAsInOneCoordinate) {
  const double truth = in_one_coordinate()[0];
  const Outcome coarse = run(1e-3), fine = run(5e-4);
  const double coarse_error = std::abs(coarse.angle - truth), fine_error = std::abs(fine.angle - truth);
  figure("cam, {}, {}: off by {:.1e} m; error {:.2e} and {:.2e} rad, energy {:.2e} and {:.2e} J at 1 and 0.5 ms",
         name_of(std::get<0>(GetParam())), name_of(std::get<1>(GetParam())), std::max(coarse.off, fine.off),
         coarse_error, fine_error, coarse.drift, fine.drift);
  EXPECT_LE(std::max(coarse.off, fine.off), 1e-10);
  EXPECT_LE(fine_error, 1e-2);
  // Steppers of first order: half the step, half the error, or less.
  EXPECT_LE(fine_error, 0.55 * coarse_error);
  EXPECT_LE(std::abs(fine.drift), 0.55 * std::abs(coarse.drift));
}

}  // namespace
}  // namespace lipkin
