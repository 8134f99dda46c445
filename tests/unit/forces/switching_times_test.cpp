// When signals of time alone switch.
#include "forces/switching_times.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "support/scene_text.hpp"

namespace lipkin {
namespace {

Model pushed(const std::string& force) {
  return test::scene_from(
             "lipkin: 1\nbodies: [{name: a, joint: {type: prismatic, axis: x}, mass: 1}]\n"
             "forces: [{name: f, body: a, force: [" +
             force + ", 0, 0]}]\n")
      .model;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

SwitchingSearch search_of(const Model& model) {
  SwitchingSearch search;
  search.start(model.data());
  return search;
}

SwitchingTime next_switch(const Model& model, double t) { return search_of(model).next(model.data(), t, kInfinity); }

// The first times after `t`, as many as asked for.
std::vector<double> times(const std::string& force, std::size_t count, double t = 0) {
  const Model model = pushed(force);
  std::vector<double> found;
  while (found.size() < count) {
    const SwitchingTime next = next_switch(model, t);
    EXPECT_LE(next.before, next.after);
    if (next.before > 1e9) break;
    EXPECT_LT(next.after - next.before, 1e-13);
    EXPECT_GT(next.after, t);
    found.push_back(next.after);
    t = next.after;
  }
  return found;
}

void expect_times(const std::string& force, const std::vector<double>& wanted) {
  SCOPED_TRACE(force);
  const std::vector<double> got = times(force, wanted.size() + 1);
  ASSERT_GE(got.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-13);
}

void expect_all(const std::string& force, const std::vector<double>& wanted) {
  expect_times(force, wanted);
  EXPECT_EQ(times(force, wanted.size() + 1).size(), wanted.size()) << force;
}

TEST(SwitchingTimes, OfExpressions) {
  constexpr double kPi = std::numbers::pi;
  expect_all("'t > 0.1 ? 5 : 0'", {0.1});
  expect_all("'t >= 0.1 && t < 0.3'", {0.1, 0.3});
  expect_all("'step(t-0.25)'", {0.25});
  expect_all("'abs(t-0.3)'", {0.3});
  expect_all("'min(t, 0.7) + max(t, 0.9)'", {0.7, 0.9});
  expect_all("'exp(-t) < 0.5'", {std::numbers::ln2, 4, 36});  // and where nearly nothing is left of it
  expect_all("'t*t > 2'", {std::numbers::sqrt2});
  expect_times("'t % 1 < 0.5'", {0.5, 1, 1.5, 2, 2.5});
  expect_times("'floor(4*t)'", {0.25, 0.5, 0.75});
  expect_times("'sin(2*pi*t) > 0.5'", {1.0 / 12, 5.0 / 12, 13.0 / 12});
  expect_times("'sin(2*pi*1000*t) > 0.9999'", {(0.25 - std::acos(0.9999) / (2 * kPi)) / 1000});
  expect_all("'sin(50*t)'", {});
  expect_all("'exp(-((t-9)/0.5)^2)'", {6, 8, 10, 12});
  expect_all("'tanh((t-9)/0.25)'", {4.5, 8.5, 9.5, 13.5});
  expect_all("'1/cosh((t-9)/0.125)'", {4.5, 8.5, 9.5, 13.5});
  expect_all("'joint.a.q > 1'", {});
  expect_all("'joint.a.q > t'", {});
  expect_all("'t - t > 0'", {});  // never, which intervals cannot tell: given up
}

TEST(SwitchingTimes, OfTables) { expect_all("{table: [[0, 0], [1.25, 0], [1.5, 9]]}", {1.25, 1.5}); }

// Values before and after are those of the two sides.
TEST(SwitchingTimes, LieOnBothSidesOfAJump) {
  for (const std::string text : {"t > 0.1", "t >= 0.1", "t < 0.1", "t <= 0.1"}) {
    const SwitchingTime at = next_switch(pushed("'" + text + "'"), 0);
    const Expression e = Expression::parse(text);
    EXPECT_NE(e.evaluate({&at.before, 1}), e.evaluate({&at.after, 1})) << text;
  }
}

// Wherever the search begins: a run restored half-way finds the same.
TEST(SwitchingTimes, DoNotDependOnWhereTheSearchBegan) {
  const Model model = pushed("'sin(17*t*t) > 0.3'");
  const SwitchingTime from_start = next_switch(model, 0.5);
  for (double t = 0.5; t < from_start.before; t += 0.001 * std::numbers::pi) {
    const SwitchingTime again = next_switch(model, t);
    EXPECT_EQ(again.before, from_start.before);
    EXPECT_EQ(again.after, from_start.after);
  }
}

// What the searches of a run with steps of one length meet on the way from 0 to `end`, and how many it takes.
struct Way {
  std::vector<double> met;
  int stops = 0;  // at what is no switch
};

Way way(const std::string& force, double step, double end) {
  const Model model = pushed(force);
  SwitchingSearch search = search_of(model);
  Way found;
  for (double t = 0; t < end;) {
    const SwitchingTime next = search.next(model.data(), t, step);
    EXPECT_GT(next.after, t);
    if (next.before > t + step) {
      t += step;
    } else if (next.before < next.after) {
      found.met.push_back(next.after);
      t = next.after;
    } else {
      ++found.stops;
      t = next.after;
    }
  }
  return found;
}

// Thirty is never reached, but the intervals of the two factors see 50: cells have to be short, and one search does not
// lead far. It goes on where the time comes there, and bounds no step.
TEST(SwitchingTimes, AreFoundBehindWhatTakesManyLooks) {
  const Way found = way("'1e-6*clamp(50*cos(300*t)*sin(300*t), -30, 30) + (t >= 7 && t < 7.001 ? 10 : 0)'", 0.004, 9);
  ASSERT_EQ(found.met.size(), 2u);
  EXPECT_NEAR(found.met[0], 7, 1e-13);
  EXPECT_NEAR(found.met[1], 7.001, 1e-13);
  EXPECT_EQ(found.stops, 0);
}

// Where a search leads less far than a step, the step ends there, at the same time wherever the run began.
TEST(SwitchingTimes, AreFoundByStepsThatAreLongerThanASearch) {
  const std::string force = "'clamp(50*cos(300*t)*sin(300*t), -30, 30) + step(t - 7)'";
  const Way found = way(force, 1, 9);
  ASSERT_EQ(found.met.size(), 1u);
  EXPECT_NEAR(found.met[0], 7, 1e-13);
  EXPECT_GT(found.stops, 5);
  EXPECT_LT(found.stops, 100);
  const Model model = pushed(force);
  SwitchingSearch straight = search_of(model), restored = search_of(model);
  const double t = straight.next(model.data(), 0, 1).after;
  EXPECT_EQ(straight.next(model.data(), t, 1).after, restored.next(model.data(), t, 1).after);
}

// Twenty-five is touched, where no interval tells which side it is. Steps go over that, and the search on behind.
TEST(SwitchingTimes, AreFoundBehindWhatIntervalsCannotTell) {
  const Way found = way("'clamp(50*cos(300*t)*sin(300*t), -25, 25) + step(t - 0.05)'", 1e-3, 0.06);
  ASSERT_EQ(found.met.size(), 1u);
  EXPECT_NEAR(found.met[0], 0.05, 1e-13);
  EXPECT_LT(found.stops, 100);
}

}  // namespace
}  // namespace lipkin
