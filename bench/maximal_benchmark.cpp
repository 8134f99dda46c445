#include "maximal_benchmark.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "lipkin/scene.hpp"
#include "lipkin/simulation.hpp"
#include "step_clock.hpp"
#include "table.hpp"

namespace lipkin::bench {
namespace {

using nlohmann::json;

constexpr double kLength = 0.1, kRadius = 0.01, kMass = 0.1;  // of a rod [m], [m], [kg]
constexpr double kStep = 5e-4;                                // [s]
constexpr int kWarmUp = 5;                                    // steps
constexpr double kSteepest = 1.2;                             // exponent of the number of rods
constexpr double kMostAt200 = 1000;                           // [µs]

// A chain in a vertical plane, pinned to the world, laid out level and let go. Loops: short bars that make a four-bar
// of three rods; contacts: balls on rods, which lie on a floor.
struct MaximalCase {
  const char* name;
  int loops, contacts;
};
constexpr MaximalCase kCases[] = {
    {"chain", 0, 0}, {"chain-loops", 10, 0}, {"chain-contacts", 0, 20}, {"chain-loops-contacts", 10, 20}};
constexpr int kRods[] = {25, 50, 100, 200, 1000};

BodySpec rod(const std::string& name, double length) {
  BodySpec body;
  body.name = name;
  const double across = kMass * (length * length / 12 + kRadius * kRadius / 4);
  MassProperties m;
  m.mass = kMass;
  m.com = {length / 2, 0, 0};
  m.inertia = Eigen::Vector3d(kMass * kRadius * kRadius / 2, across, across).asDiagonal();
  body.mass_properties = m;
  return body;
}

JointSpec hinge(const std::string& name, const std::string& parent, const std::string& child, Eigen::Vector3d at) {
  JointSpec joint;
  joint.name = name;
  joint.parent = parent;
  joint.child = child;
  joint.frame_in_parent.position = at;
  return joint;
}

void add_floor(ModelBuilder& builder) {
  MaterialSpec steel;
  steel.name = "steel";
  steel.friction = 0.3;
  builder.add(steel);
  ShapeSpec floor;
  floor.geometry = ShapePlane{};
  floor.pose.position = {0, -kRadius, 0};
  floor.pose.orientation = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitY());
  floor.contact = "steel";
  builder.add_world_shape(floor);
}

Scene scene_of(const MaximalCase& chosen, int rods, CoordinateKind coordinates) {
  ModelBuilder builder;
  builder.set_name(chosen.name);
  builder.set_gravity({0, -9.81, 0});
  if (chosen.contacts > 0) add_floor(builder);
  for (int i = 0; i < rods; ++i) {
    BodySpec body = rod(fmt::format("rod{}", i), kLength);
    // Spread evenly: rod i has one where a multiple of rods / contacts falls on it.
    if ((i + 1) * chosen.contacts / rods > i * chosen.contacts / rods) {
      ShapeSpec ball;
      ball.geometry = ShapeSphere{kRadius};
      ball.pose.position = {kLength / 2, 0, 0};
      ball.contact = "steel";
      body.shapes.push_back(ball);
    }
    builder.add(std::move(body));
    const Eigen::Vector3d at(i == 0 ? 0 : kLength, 0, 0);
    builder.add(hinge(fmt::format("hinge{}", i), i == 0 ? kWorldName : fmt::format("rod{}", i - 1),
                      fmt::format("rod{}", i), at));
  }
  for (int i = 0; i < chosen.loops; ++i) {
    const int first = i * (rods - 2) / chosen.loops;
    const std::string bar = fmt::format("bar{}", i), far = fmt::format("rod{}", first + 2);
    constexpr double kAbove = kLength / 4;
    builder.add(rod(bar, 2 * kLength));
    builder.add(hinge(bar + " here", fmt::format("rod{}", first), bar, {kLength / 2, kAbove, 0}));
    JointSpec closing = hinge(bar + " there", far, bar, {kLength / 2, kAbove, 0});
    closing.frame_in_child.position = {2 * kLength, 0, 0};
    closing.closes_loop = true;
    builder.add(closing);
  }
  Scene scene{.name = chosen.name, .description = "", .model = builder.build(), .experiment = {}, .warnings = {}};
  scene.experiment.dt = kStep;
  scene.experiment.coordinates = coordinates;
  return scene;
}

struct Row {
  MaximalCase chosen{};
  int rods = 0;
  double us = 0, us_generalized = 0;
  double exponent = 0;                              // of the number of rods, against the row before; 0: the first
  double difference = 0;                            // worst of all rods after the run, generalized against maximal [m]
  double violation = 0, violation_generalized = 0;  // worst gap or penetration on the way [m] or [rad]
  std::string hash;
};

double worst_distance(const Simulation& a, const Simulation& b) {
  double worst = 0;
  for (int i = 0; i < a.model().body_count(); ++i)
    worst = std::max(worst, (a.body_motion(i).pose.position - b.body_motion(i).pose.position).norm());
  return worst;
}

double us_per_step(Simulation& simulation, int steps, double& violation) {
  for (int i = 0; i < kWarmUp; ++i) simulation.step();
  StepClock clock(steps, Clock::kCpu);
  for (int i = 0; i < steps; ++i) {
    clock.time([&] { simulation.step(); });
    violation = std::max(violation, simulation.statistics().position_violation);
  }
  json reply;
  clock.report(reply);
  return reply["us_per_step"];
}

Row measured(const MaximalCase& chosen, int rods, const Options& options) {
  const int steps = options.quick ? 20 : 95;
  Row row;
  row.chosen = chosen;
  row.rods = rods;
  Simulation maximal(scene_of(chosen, rods, CoordinateKind::kMaximal));
  Simulation generalized(scene_of(chosen, rods, CoordinateKind::kGeneralized));
  row.us = us_per_step(maximal, steps, row.violation);
  row.us_generalized = us_per_step(generalized, steps, row.violation_generalized);
  row.difference = worst_distance(maximal, generalized);
  row.hash = hash_text(maximal.hash());
  return row;
}

// Where the exponent is asked for: from 25 to 1,000 rods.
double exponent_over_all(const std::vector<Row>& rows, const Row& last) {
  for (const Row& row : rows)
    if (row.chosen.name == last.chosen.name)
      return row.rods == last.rods ? 0
                                   : std::log(last.us / row.us) / std::log(static_cast<double>(last.rods) / row.rods);
  return 0;
}

bool passes(const std::vector<Row>& rows, const Row& row) {
  if (row.rods == 200 && row.us > kMostAt200) return false;
  return row.rods < kRods[std::size(kRods) - 1] || exponent_over_all(rows, row) <= kSteepest;
}

void print_json(const std::vector<Row>& rows, bool pass) {
  json report{{"benchmark", "maximal"}, {"machine", machine()}, {"pass", pass}, {"rows", json::array()}};
  for (const Row& row : rows)
    report["rows"].push_back({{"case", row.chosen.name},
                              {"engine", "lipkin"},
                              {"setting", fmt::format("maximal, {} rods", row.rods)},
                              {"dt", kStep},
                              {"rods", row.rods},
                              {"loops", row.chosen.loops},
                              {"contacts", row.chosen.contacts},
                              {"us_per_step", row.us},
                              {"us_per_step_generalized", row.us_generalized},
                              {"exponent", row.exponent},
                              {"exponent_from_first", exponent_over_all(rows, row)},
                              {"difference_m", row.difference},
                              {"violation", row.violation},
                              {"violation_generalized", row.violation_generalized},
                              {"state_hash", row.hash},
                              {"pass", passes(rows, row)}});
  fmt::print("{}\n", report.dump(2));
}

void print_table(const std::vector<Row>& rows) {
  Table table({"case", "rods", "maximal [us/step]", "exponent", "from 25", "generalized [us/step]", "apart [m]",
               "violation", "generalized", "state", ""});
  for (const Row& row : rows) {
    const bool first = row.rods == kRods[0];
    table.add_row({row.chosen.name, fmt::format("{}", row.rods), fmt::format("{:.1f}", row.us),
                   first ? "" : fmt::format("{:.2f}", row.exponent),
                   first ? "" : fmt::format("{:.2f}", exponent_over_all(rows, row)),
                   fmt::format("{:.1f}", row.us_generalized), fmt::format("{:.1e}", row.difference),
                   fmt::format("{:.1e}", row.violation), fmt::format("{:.1e}", row.violation_generalized), row.hash,
                   passes(rows, row) ? "" : "FALLS SHORT"});
  }
  fmt::print(
      "euler, steps of {:g} ms; exponent: of the number of rods, against the row above and against {} rods (at most "
      "{:g} wanted at {}); at most {:g} us wanted at 200\n\n{}",
      1e3 * kStep, kRods[0], kSteepest, kRods[std::size(kRods) - 1], kMostAt200, table.text());
}

}  // namespace

std::vector<std::string> maximal_case_names() {
  std::vector<std::string> names;
  for (const MaximalCase& c : kCases) names.emplace_back(c.name);
  return names;
}

int run_maximal_benchmark(const Options& options) {
  std::vector<Row> rows;
  for (const MaximalCase& chosen : kCases) {
    if (!options.cases.empty() && std::ranges::find(options.cases, chosen.name) == options.cases.end()) continue;
    for (const int rods : kRods) {
      show_progress(fmt::format("{}, {} rods", chosen.name, rods));
      Row row = measured(chosen, rods, options);
      if (rods != kRods[0])
        row.exponent = std::log(row.us / rows.back().us) / std::log(static_cast<double>(rods) / rows.back().rods);
      rows.push_back(row);
    }
  }
  show_progress("");
  const bool pass = std::ranges::all_of(rows, [&](const Row& row) { return passes(rows, row); });
  if (options.json) {
    print_json(rows, pass);
  } else {
    print_table(rows);
  }
  return pass ? kSuccess : kFellShort;
}

}  // namespace lipkin::bench
