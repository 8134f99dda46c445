// One scene run in either coordinates, with either stepper that solves for impulses, and what its outputs say then.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "lipkin/simulation.hpp"
#include "support/scene_text.hpp"

namespace lipkin::test {

// How a scene is run.
struct Way {
  const char *coordinates, *stepper, *contact = "rigid";
};
inline void PrintTo(const Way& way, std::ostream* out) {
  *out << way.coordinates << ", " << way.stepper << ", " << way.contact;
}
inline const std::vector<Way> kWays = {
    {"generalized", "euler"}, {"generalized", "moreau"}, {"maximal", "euler"}, {"maximal", "moreau"}};

// The scene's part that asks for it; more: other settings.
inline std::string experiment(const Way& way, double dt, const std::string& more = "") {
  return fmt::format("experiment: {{coordinates: {}, stepper: {}, contact: {}, dt: {}, {}}}\n", way.coordinates,
                     way.stepper, way.contact, dt, more);
}

// Every output by its name.
inline std::map<std::string, double> looked_at(const Simulation& simulation) {
  std::map<std::string, double> values;
  for (int i = 0; i < simulation.model().output_count(); ++i)
    values[simulation.model().output_name(i)] = simulation.outputs()[i];
  return values;
}

inline void expect_values(const Simulation& simulation, const std::map<std::string, double>& expected,
                          double tolerance) {
  const std::map<std::string, double> values = looked_at(simulation);
  for (const auto& [name, value] : expected)
    EXPECT_NEAR(values.at(name), value, tolerance) << name << " at t = " << simulation.sample_time();
}

}  // namespace lipkin::test
