#include "coordinates_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lipkin/simulation.hpp"
#include "table.hpp"

namespace lipkin::bench {
namespace {

using nlohmann::json;

Simulation finished(const CoordinateCase& chosen, CoordinateKind coordinates, double dt) {
  Scene scene = load_scene(chosen.scene);
  scene.experiment.stepper = StepperKind::kEuler;
  scene.experiment.coordinates = coordinates;
  scene.experiment.dt = dt;
  Simulation simulation(std::move(scene));
  simulation.run(chosen.duration);
  return simulation;
}

double difference(const Simulation& a, const Simulation& b) {
  double sum = 0;
  const int count = a.model().body_count();
  for (int i = 0; i < count; ++i) {
    const BodyMotion x = a.body_motion(i), y = b.body_motion(i);
    sum += (x.pose.position - y.pose.position).squaredNorm() + (x.velocity - y.velocity).squaredNorm() +
           (x.angular_velocity - y.angular_velocity).squaredNorm();
    sum += std::pow(x.pose.orientation.angularDistance(y.pose.orientation), 2);
  }
  return std::sqrt(sum / count);
}

struct Row {
  CoordinateCase chosen;
  CoordinateDifference found;
};

void print_json(const std::vector<Row>& rows, bool pass) {
  json report{{"benchmark", "coordinates"}, {"machine", machine()}, {"pass", pass}, {"rows", json::array()}};
  for (const Row& row : rows) {
    json entry{{"case", row.chosen.scene},
               {"engine", "lipkin"},
               {"setting", "euler, generalized against maximal"},
               {"duration_s", row.chosen.duration},
               {"pass", row.found.falls()}};
    for (int k = 0; k < 3; ++k) {
      entry["dt_s"].push_back(row.chosen.dt / (1 << k));
      entry["difference"].push_back(row.found.size[k]);
    }
    if (!row.found.is_rounding()) entry["order"] = {row.found.order(0), row.found.order(1)};
    report["rows"].push_back(entry);
  }
  fmt::print("{}\n", report.dump(2));
}

void print_table(const std::vector<Row>& rows) {
  Table table({"scene", "at [s]", "dt [s]", "difference", "dt/2", "dt/4", "order", "order", ""});
  for (const Row& row : rows) {
    const auto order = [&](int k) {
      return row.found.is_rounding() ? std::string("-") : fmt::format("{:.2f}", row.found.order(k));
    };
    table.add_row({row.chosen.scene, fmt::format("{:g}", row.chosen.duration), fmt::format("{:g}", row.chosen.dt),
                   fmt::format("{:.2e}", row.found.size[0]), fmt::format("{:.2e}", row.found.size[1]),
                   fmt::format("{:.2e}", row.found.size[2]), order(0), order(1),
                   row.found.is_rounding() ? "rounding"
                   : row.found.falls()     ? "falls"
                                           : "DOES NOT FALL"});
  }
  fmt::print(
      "euler, generalized against maximal: difference of all bodies in place, velocity, orientation and angular "
      "velocity, root mean square [m, m/s, rad, rad/s]\n\n{}",
      table.text());
}

}  // namespace

const std::vector<CoordinateCase>& coordinate_cases() {
  static const std::vector<CoordinateCase> cases = {{"simple-pendulum", 0.5, 2e-3},
                                                    {"double-pendulum", 0.5, 2e-3},
                                                    {"five-link-chain-viscous", 0.5, 1e-3},
                                                    {"lagrange-top", 0.05, 4e-5},
                                                    {"spherical-pendulum", 0.5, 1e-3},
                                                    {"ball-chain", 0.2, 5e-4},
                                                    {"cart-pole", 0.2, 5e-4},
                                                    {"flywheel-arm", 0.2, 5e-4},
                                                    {"cylinder-screw", 0.5, 1e-3},
                                                    {"spring-bushing", 0.1, 5e-4},
                                                    {"chain", 0.2, 5e-4},
                                                    {"humanoid-tree", 0.02, 5e-4},
                                                    {"slider-crank", 0.3, 2e-4},
                                                    {"slider-crank-inline", 0.1, 1e-4},
                                                    {"slider-crank-driven", 0.3, 5e-4},
                                                    {"four-bar", 0.5, 1e-3},
                                                    {"peaucellier-driven", 0.5, 1e-3},
                                                    {"andrews-squeezer", 0.005, 4e-6},
                                                    {"bricard", 0.5, 1e-3},
                                                    {"chain-loop", 0.05, 1e-3},
                                                    {"flyball-governor", 0.1, 4e-5},
                                                    {"torque-free-top", 0.5, 1e-3}};
  return cases;
}

CoordinateDifference coordinate_difference(const CoordinateCase& chosen) {
  CoordinateDifference found;
  for (int k = 0; k < 3; ++k) {
    const double dt = chosen.dt / (1 << k);
    found.size[k] =
        difference(finished(chosen, CoordinateKind::kGeneralized, dt), finished(chosen, CoordinateKind::kMaximal, dt));
  }
  return found;
}

std::vector<std::string> coordinate_case_names() {
  std::vector<std::string> names;
  for (const CoordinateCase& c : coordinate_cases()) names.emplace_back(c.scene);
  return names;
}

int run_coordinates_benchmark(const Options& options) {
  std::vector<Row> rows;
  for (const CoordinateCase& chosen : coordinate_cases()) {
    if (!options.cases.empty() && std::ranges::find(options.cases, chosen.scene) == options.cases.end()) continue;
    show_progress(chosen.scene);
    rows.push_back({chosen, coordinate_difference(chosen)});
  }
  show_progress("");
  const bool pass = std::ranges::all_of(rows, [](const Row& row) { return row.found.falls(); });
  if (options.json) {
    print_json(rows, pass);
  } else {
    print_table(rows);
  }
  return pass ? kSuccess : kFellShort;
}

}  // namespace lipkin::bench
