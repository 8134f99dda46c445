// Mechanisms, meters and bars against what is known without them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cup_task.hpp"
#include "grasp_task.hpp"
#include "mechanism_meter.hpp"
#include "scene_cases.hpp"

namespace lipkin::bench {
namespace {

using nlohmann::json;

constexpr double kRounding = 1e-15;  // a few roundings of lengths below 1 m [m]

json report_of(const PlanarMechanism& mechanism, const std::vector<std::vector<RodState>>& motion, double dt) {
  MechanismMeter meter(mechanism);
  for (std::size_t i = 0; i < motion.size(); ++i) meter.observe(static_cast<double>(i) * dt, motion[i]);
  json reply;
  meter.report(reply);
  return reply;
}

TEST(PlanarMechanism, EveryPinStartsClosed) {
  for (const char* name : {"five-link-chain", "peaucellier", "slider-crank"}) {
    const PlanarMechanism mechanism = planar_mechanism(name);
    EXPECT_LT(report_of(mechanism, {initial_states(mechanism)}, 1).at("gap_m"), kRounding) << name;
  }
}

TEST(PlanarMechanism, TheLinkageStartsOnItsLine) {
  const PlanarMechanism linkage = planar_mechanism("peaucellier");
  EXPECT_LT(report_of(linkage, {initial_states(linkage)}, 1).at("off_line_m"), kRounding);
}

// Crank about its end, rod moving at 1.5 m/s and turning at -6 rad/s, slider at rest; all at height 0.
TEST(MechanismMeter, EnergyOfTheSliderCrankIsTheOneComputedByHand) {
  const PlanarMechanism mechanism = planar_mechanism("slider-crank");
  const double crank = (0.2 * 0.2 / 3 + 0.03 * 0.03 / 12) * 15 * 15 / 2;
  const double rod = 1.5 * 1.5 / 2 + (0.5 * 0.5 + 0.03 * 0.03) / 12 * 6 * 6 / 2;
  EXPECT_NEAR(MechanismMeter(mechanism).energy(initial_states(mechanism)), crank + rod, 1e-14);
}

TEST(MechanismMeter, SeesARodMovedAway) {
  const PlanarMechanism linkage = planar_mechanism("peaucellier");
  auto moved = initial_states(linkage);
  moved.back().com[0] += 1e-3;
  const json report = report_of(linkage, {initial_states(linkage), moved, initial_states(linkage)}, 0.01);
  EXPECT_NEAR(report.at("gap_m"), 1e-3, kRounding);
  EXPECT_NEAR(report.at("off_line_m"), 1e-3, kRounding);
}

TEST(MechanismMeter, SeesARodOutOfThePlane) {
  const PlanarMechanism mechanism = planar_mechanism("slider-crank");
  auto moved = initial_states(mechanism);
  moved[1].com[2] = 2e-3;
  EXPECT_NEAR(report_of(mechanism, {moved}, 1).at("gap_m"), 2e-3, kRounding);
}

TEST(MechanismMeter, RestBeginsAfterTheLastMotion) {
  const PlanarMechanism chain = planar_mechanism("five-link-chain");
  auto at_rest = initial_states(chain), fast = at_rest, slow = at_rest;
  fast[2].rate = 1;
  slow[4].rate = 1e-6;
  const json report = report_of(chain, {fast, at_rest, fast, slow, slow, at_rest, at_rest}, 0.5);
  EXPECT_EQ(report.at("rest_s"), 1.5);
  EXPECT_EQ(report.at("still_s"), 2.5);
  EXPECT_EQ(report_of(chain, {at_rest, fast}, 0.5).at("rest_s"), -1);
  EXPECT_EQ(report.at("drift_J"), fast[2].rate * chain.rods[2].inertia() / 2);
}

// The tip starts at (2, 0), the reference at 1 s lies at (-1.55658, -1.23918).
TEST(MechanismMeter, TipErrorIsTakenAtOneSecond) {
  const PlanarMechanism chain = planar_mechanism("five-link-chain");
  const auto start = initial_states(chain);
  EXPECT_NEAR(report_of(chain, {start, start, start}, 0.5).at("tip_error_m"), std::hypot(3.55658, 1.23918), 1e-12);
}

TEST(Grasp, TheLiftIsSmoothAndEndsWhereItShould) {
  EXPECT_EQ(grasp::lift(0), 0);
  EXPECT_EQ(grasp::lift(13), grasp::kLift);
  EXPECT_NEAR(grasp::lift(2), grasp::kLift / 2, kRounding);
  const double h = 1e-4;  // rates vanish at both ends to third order
  EXPECT_LT(grasp::lift(1 + h), 1e-11);
  EXPECT_LT(grasp::kLift - grasp::lift(3 - h), 1e-11);
}

TEST(Grasp, SlipIsTheLargestOverTheHold) {
  grasp::Meter meter;
  const auto cube_over_palm = [](double t) { return t <= 1 ? 0.0 : t <= 3 ? -0.002 : t <= 5 ? -0.005 : -0.003; };
  for (int i = 1; i <= 13; ++i) meter.observe(i, 0.5 + cube_over_palm(i), 0.5);
  json report;
  meter.report(report);
  EXPECT_NEAR(report.at("lift_slip_m"), 0.002, kRounding);
  EXPECT_NEAR(report.at("slip_m"), 0.003, kRounding);
  EXPECT_EQ(report.at("held"), true);
}

TEST(Grasp, ACubeThatFellIsNotHeld) {
  grasp::Meter meter;
  for (int i = 1; i <= 13; ++i) meter.observe(i, i <= 2 ? 0.5 : 0.05, 0.5);  // lost while it was lifted
  json report;
  meter.report(report);
  EXPECT_EQ(report.at("held"), false);
  EXPECT_EQ(report.at("slip_m"), 0);
}

// The walls go through the rims: radius 0.2 at the floor, 0.5 at height 0.8, grown with the cube root of the count.
TEST(Cup, WallsGoThroughBothRims) {
  for (const int count : {96, 768}) {
    const Cup cup(count);
    const double scale = count == 96 ? 1 : 2;
    const CupPlane& wall = cup.planes[1];  // towards +x
    const auto height = [&](double x, double z) {
      return wall.normal[0] * (x - wall.point[0]) + wall.normal[2] * (z - wall.point[2]);
    };
    EXPECT_NEAR(height(0.2 * scale, 0), 0, kRounding);
    EXPECT_NEAR(height(0.5 * scale, 0.8 * scale), 0, kRounding);
    EXPECT_GT(height(0, 0.1), 0);
  }
}

TEST(Cup, OverlapsTouchesAndSpeedsAreCounted) {
  const Cup cup(96);
  const double r = Cup::kRadius;
  // Three on the floor, sunk by 1 mm, each touching the other two; a fast one far above.
  std::vector<SphereState> spheres{{{0, 0, r - 1e-3}, 1e-5}, {{2 * r, 0, r - 1e-3}, 2e-5}, {{0, 0, 10 * r}, 7}};
  spheres.push_back({{r, r * std::sqrt(3.0), r - 1e-3}, 3e-5});
  json report;
  report_pile(cup, spheres, report);
  EXPECT_NEAR(report.at("penetration_m"), 1e-3, kRounding);
  EXPECT_EQ(report.at("touching"), 6);  // three with the floor, three pairs
  EXPECT_EQ(report.at("held_speed"), 3e-5);
  EXPECT_EQ(report.at("fastest"), 7);
}

SceneRow row_with(const std::string& engine, double us, json reply) {
  SceneRow row;
  row.engine = engine;
  row.us_rounds = {2 * us, us, 3 * us};
  row.reply = std::move(reply);
  return row;
}

const SceneCase& case_named(const std::vector<SceneCase>& cases, const std::string& name) {
  return *std::ranges::find(cases, name, &SceneCase::name);
}

TEST(SceneBars, SpeedIsJudgedOnlyBesideThePeer) {
  const auto cases = scene_cases();
  const SceneCase& grasp = case_named(cases, "grasp");
  const SceneRow lipkin = row_with("lipkin", 5, {{"slip_m", 1e-9}});
  EXPECT_EQ(bars_of(grasp, {lipkin}).size(), 1u);
  const auto slower = bars_of(grasp, {lipkin, row_with("mujoco", 4, {})});
  ASSERT_EQ(slower.size(), 2u);
  EXPECT_FALSE(slower[0].pass);
  EXPECT_EQ(slower[0].value, 1.25);
  EXPECT_TRUE(bars_of(grasp, {lipkin, row_with("mujoco", 5, {})})[0].pass);
  SceneRow refused = row_with("mujoco", 1, {});
  refused.refusal = "cannot";
  EXPECT_EQ(bars_of(grasp, {lipkin, refused}).size(), 1u);
}

TEST(SceneBars, ACupIsJudgedByAThirdOfOde) {
  const auto cases = scene_cases();
  const json still{{"penetration_m", 1e-6}, {"held_speed", 1e-6}};
  const SceneRow lipkin = row_with("lipkin", 5, still);
  for (const char* name : {"cup-96", "cup-1000", "cup-10000"}) {
    const SceneCase& cup = case_named(cases, name);
    EXPECT_EQ(bars_of(cup, {lipkin, row_with("mujoco", 1, still)}).size(), 2u) << name;
    ASSERT_EQ(bars_of(cup, {lipkin, row_with("ode", 15, still)}).size(), 3u) << name;
    EXPECT_TRUE(bars_of(cup, {lipkin, row_with("ode", 15, still)})[0].pass) << name;
    EXPECT_FALSE(bars_of(cup, {lipkin, row_with("ode", 14.9, still)})[0].pass) << name;
  }
}

TEST(SceneRow, TheWorstRoundCountsAndTheFastest) {
  SceneRow row;
  row.reply = {{"engine", "known 1"}};
  row.add_round({{"us_per_step", 3.0}, {"penetration_m", 2e-5}, {"held_speed", 1e-4}});
  row.add_round({{"us_per_step", 2.0}, {"penetration_m", 1e-5}, {"held_speed", 5e-4}});
  EXPECT_EQ(row.us(), 2);
  EXPECT_EQ(row.value("penetration_m"), 2e-5);
  EXPECT_EQ(row.value("held_speed"), 5e-4);
  EXPECT_EQ(row.reply.at("engine"), "known 1");
}

TEST(GrowthExponent, IsThatOfAPower) {
  EXPECT_NEAR(growth_exponent({{96, 7 * std::pow(96, 1.3)}, {10000, 7 * std::pow(10000, 1.3)}}), 1.3, 1e-12);
  EXPECT_TRUE(std::isnan(growth_exponent({{96, 7}})));
}

TEST(SceneBars, AMissingErrorDoesNotPass) {
  const auto cases = scene_cases();
  const SceneRow lipkin = row_with("lipkin", 5, json::object());
  for (const char* name : {"peaucellier", "slider-crank", "grasp", "cup-96"}) {
    for (const Bar& bar : bars_of(case_named(cases, name), {lipkin})) EXPECT_FALSE(bar.pass) << name << bar.text;
  }
}

TEST(SceneBars, NotANumberDoesNotPass) {
  const auto cases = scene_cases();
  const SceneRow lipkin = row_with("lipkin", 5, {{"off_line_m", NAN}, {"gap_m", NAN}});
  for (const Bar& bar : bars_of(case_named(cases, "peaucellier"), {lipkin})) EXPECT_FALSE(bar.pass);
}

}  // namespace
}  // namespace lipkin::bench
