#include "smooth_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine_process.hpp"
#include "table.hpp"

namespace lipkin::bench {
namespace {

using nlohmann::json;

constexpr double kCompareAt = 0.42;      // [s]; the first spheres touch at 0.35 s
constexpr double kLongEnough = 0.5;      // [s]; what takes longer is measured once
constexpr double kWholeRun = 1.5;        // [s]
constexpr double kPublishedRatio = 2.8;  // smooth over rigid, at tolerances the paper does not state
constexpr const char* kRigidScene = "spheres-in-cup";
constexpr const char* kSmoothScene = "spheres-in-cup-smooth";

using Settings = json;  // path -> text

Settings rigid(const char* stepper, const std::string& dt) {
  return {{"experiment.stepper", stepper}, {"experiment.solver", "newton"}, {"experiment.dt", dt}};
}

// Impacts are met to dt_min; between them the tolerance is what moves as far in dt_min at 1 m/s.
Settings rigid_variable(const std::string& dt_min) {
  Settings s = rigid("moreau", "1e-4");
  s["experiment.step"] = "variable";
  s["experiment.dt_min"] = dt_min;
  s["experiment.tolerance"] = dt_min;
  return s;
}

Settings smooth(const char* stepper, const std::string& tolerance) {
  return {{"experiment.stepper", stepper}, {"experiment.tolerance", tolerance}, {"experiment.dt", "0"}};
}

json ask(const char* scene, const Settings& settings, double until) {
  EngineProcess engine(EngineCommand{engine_program("lipkin-engine-curve"), {}, {}});
  return engine.ask({{"command", "run"}, {"scene", scene}, {"set", settings}, {"until", until}});
}

double distance(const json& a, const json& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::pow(a[i].get<double>() - b[i].get<double>(), 2);
  return std::sqrt(3 * sum / static_cast<double>(a.size()));  // three numbers are one sphere
}

CurvePoint measure(const std::string& curve, const std::string& setting, bool is_rigid, const Settings& settings,
                   const json& reference, int rounds) {
  CurvePoint point{curve, setting, is_rigid, INFINITY, NAN, 0, 0, 0, {}, {}};
  for (int round = 0; round < rounds; ++round) {  // the best: disturbances only ever add time
    if (round > 0 && point.cpu > kLongEnough) break;
    show_progress(fmt::format("{}: {}, {}", kSmoothCurveName, curve, setting));
    try {
      const json reply = ask(is_rigid ? kRigidScene : kSmoothScene, settings, kCompareAt);
      point.cpu = std::min(point.cpu, reply.at("cpu_s").get<double>());
      point.error = distance(reply.at("positions"), reference);
      point.steps = reply.at("steps");
      point.rejected = reply.at("rejected");
      point.evaluations = reply.at("evaluations");
      point.state_hash = reply.at("state_hash");
    } catch (const EngineError& error) {
      point.problem = error.what();
      break;
    }
  }
  show_progress("");
  return point;
}

WholeRun measure_whole(const std::string& setting, const char* scene, const Settings& settings) {
  show_progress(fmt::format("{}: {} s, {}", kSmoothCurveName, kWholeRun, setting));
  WholeRun run{setting, NAN, {}};
  try {
    run.cpu = ask(scene, settings, kWholeRun).at("cpu_s");
  } catch (const EngineError& error) {
    run.problem = error.what();
  }
  show_progress("");
  return run;
}

std::vector<std::string> curve_names(const SmoothCurve& curve) {
  std::vector<std::string> names;
  for (const CurvePoint& point : curve.points)
    if (std::ranges::find(names, point.curve) == names.end()) names.push_back(point.curve);
  return names;
}

void draw(const std::string& path, SmoothCurve& curve) {
  json request{{"command", "plot"},
               {"path", path},
               {"title", "96 spheres in a cup: error of the positions over CPU time"},
               {"curves", json::array()}};
  for (const std::string& name : curve_names(curve)) {
    json line{{"name", name}, {"x", json::array()}, {"y", json::array()}};
    for (const CurvePoint& point : curve.points) {
      if (point.curve != name || !(point.error > 0)) continue;
      line["x"].push_back(point.cpu);
      line["y"].push_back(point.error);
    }
    request["curves"].push_back(line);
  }
  EngineProcess engine(EngineCommand{engine_program("lipkin-engine-curve"), {}, {}});
  curve.plot = engine.ask(request).at("path");
}

void print_points(const SmoothCurve& curve) {
  fmt::print(
      "\nSpheres in a cup, smooth against rigid (the third paper, section 6.4): root mean square error of the\n"
      "positions at {} s against a far finer solution of the same problem, over CPU time up to there\n\n",
      kCompareAt);
  Table table({"", "steps", "rejected", "evaluations", "CPU [s]", "error [m]", "state hash"});
  for (const CurvePoint& p : curve.points) {
    const std::string name = fmt::format("{} {}, {}", p.rigid ? "rigid: " : "smooth:", p.curve, p.setting);
    if (!p.problem.empty()) {
      table.add_row({name, p.problem});
      continue;
    }
    table.add_row({name, fmt::format("{}", p.steps), fmt::format("{}", p.rejected), fmt::format("{}", p.evaluations),
                   fmt::format("{:.3f}", p.cpu), fmt::format("{:.1e}", p.error), p.state_hash});
  }
  fmt::print("{}", table.text());
  fmt::print("the two problems themselves differ by {:.1e} m at that time\n", curve.difference);
}

void print_ratios(const SmoothCurve& curve) {
  const std::vector<std::string> names = curve_names(curve);
  std::vector<std::string> header{"CPU [s] at equal error"};
  header.insert(header.end(), names.begin(), names.end());
  header.insert(header.end(), {"adams / moreau", "bdf / moreau"});
  Table table(header);
  const auto text = [](double x) { return std::isfinite(x) ? fmt::format("{:.3g}", x) : "-"; };
  for (const double error : {1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5}) {
    std::vector<std::string> row{fmt::format("{:.0e} m", error)};
    for (const std::string& name : names) row.push_back(text(time_at_error(curve.points, name, error)));
    const double moreau = time_at_error(curve.points, "moreau", error);
    for (const char* name : {"adams", "bdf"}) row.push_back(text(time_at_error(curve.points, name, error) / moreau));
    table.add_row(row);
  }
  fmt::print("\n{}the paper: {} (LSODE, not stiff, over time stepping of 5e-5 s, at tolerances not stated)\n",
             table.text(), kPublishedRatio);
}

}  // namespace

double time_at_error(const std::vector<CurvePoint>& points, const std::string& curve, double error) {
  double least = NAN;
  const CurvePoint* last = nullptr;
  for (const CurvePoint& point : points) {
    if (point.curve != curve || !(point.error > 0)) continue;
    if (last && (last->error - error) * (point.error - error) <= 0 && last->error != point.error) {
      const double part = std::log(error / last->error) / std::log(point.error / last->error);
      const double time = last->cpu * std::pow(point.cpu / last->cpu, part);
      least = std::isnan(least) ? time : std::min(least, time);
    }
    last = &point;
  }
  return least;
}

SmoothCurve measure_smooth_curve(const Options& options) {
  SmoothCurve curve;
  const bool quick = options.quick;
  const int rounds = quick ? 1 : 2;
  show_progress(fmt::format("{}: references", kSmoothCurveName));
  json rigid_end, smooth_end;
  try {
    rigid_end = ask(kRigidScene, rigid_variable(quick ? "1e-7" : "1e-8"), kCompareAt).at("positions");
    smooth_end = ask(kSmoothScene, smooth("adams", quick ? "1e-8" : "1e-9"), kCompareAt).at("positions");
  } catch (const EngineError& error) {
    curve.points.push_back({"references", "", false, NAN, NAN, 0, 0, 0, {}, error.what()});
    return curve;
  }
  curve.difference = distance(rigid_end, smooth_end);
  const auto add = [&](const char* name, const std::vector<const char*>& values, const char* what, bool is_rigid,
                       auto&& settings_of) {
    for (const char* value : values)
      curve.points.push_back(measure(name, fmt::format("{} {}", what, value), is_rigid, settings_of(value),
                                     is_rigid ? rigid_end : smooth_end, rounds));
  };
  const std::vector<const char*> steps = quick ? std::vector{"4e-4", "1e-4", "2.5e-5"}
                                               : std::vector{"4e-4", "2e-4", "1e-4", "5e-5", "2.5e-5", "1e-5", "4e-6"};
  const std::vector<const char*> shortest =
      quick ? std::vector{"1e-4", "1e-5"} : std::vector{"1e-4", "1e-5", "1e-6", "1e-7"};
  const std::vector<const char*> tolerances =
      quick ? std::vector{"1e-3", "1e-4", "1e-5"} : std::vector{"1e-2", "1e-3", "1e-4", "1e-5", "1e-6", "1e-7"};
  add("moreau", steps, "dt", true, [](const char* dt) { return rigid("moreau", dt); });
  add("euler", steps, "dt", true, [](const char* dt) { return rigid("euler", dt); });
  add("moreau, variable", shortest, "dt_min", true, [](const char* dt) { return rigid_variable(dt); });
  add("adams", tolerances, "tolerance", false, [](const char* t) { return smooth("adams", t); });
  add("bdf", tolerances, "tolerance", false, [](const char* t) { return smooth("bdf", t); });
  if (!quick) {
    curve.whole = {measure_whole("rigid: moreau, dt 5e-5", kRigidScene, rigid("moreau", "5e-5")),
                   measure_whole("smooth: adams, tolerance 1e-4", kSmoothScene, smooth("adams", "1e-4")),
                   measure_whole("smooth: bdf, tolerance 1e-4", kSmoothScene, smooth("bdf", "1e-4"))};
  }
  if (!options.plot.empty()) draw(options.plot, curve);
  return curve;
}

void print(const SmoothCurve& curve) {
  print_points(curve);
  print_ratios(curve);
  if (!curve.whole.empty()) fmt::print("\nall of {} s:\n", kWholeRun);
  for (const WholeRun& run : curve.whole) {
    if (!run.problem.empty()) fmt::print("  {}: {}\n", run.setting, run.problem);
    const double ratio = run.cpu / curve.whole.front().cpu;
    if (run.problem.empty()) fmt::print("  {}: {:.2f} s of CPU time, ratio {:.2f}\n", run.setting, run.cpu, ratio);
  }
  if (!curve.plot.empty()) fmt::print("drawn in {}\n", curve.plot);
}

void add_json_rows(const SmoothCurve& curve, json& rows) {
  for (const CurvePoint& p : curve.points) {
    json row{
        {"case", kSmoothCurveName}, {"engine", "lipkin"}, {"setting", p.curve + ", " + p.setting}, {"rigid", p.rigid}};
    if (p.problem.empty()) {
      row.update({{"cpu_s", p.cpu},
                  {"error_m", p.error},
                  {"steps", p.steps},
                  {"rejected", p.rejected},
                  {"evaluations", p.evaluations},
                  {"state_hash", p.state_hash}});
    } else {
      row["error"] = p.problem;
    }
    rows.push_back(row);
  }
  for (const WholeRun& run : curve.whole)
    rows.push_back({{"case", kSmoothCurveName},
                    {"engine", "lipkin"},
                    {"setting", run.setting + ", whole run"},
                    {"cpu_s", run.cpu},
                    {"paper_ratio", kPublishedRatio}});
}

}  // namespace lipkin::bench
