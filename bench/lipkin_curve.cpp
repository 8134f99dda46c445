// Lipkin as a measuring process for curves of error over computing time: runs a scene with settings, says where its
// bodies are and what it took, and draws the curves.
//
//   {"command": "run", "scene", "set": {path: value}, "until"}     -> {"positions", "cpu_s", "steps", ...}
//   {"command": "plot", "path", "title", "curves": [{"name", "x", "y"}]}  -> {"path"}; x and y above 0, drawn as powers
//                                                                       of ten
#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lipkin/plot.hpp"
#include "lipkin/simulation.hpp"
#include "lipkin/version.hpp"
#include "stopwatch.hpp"

namespace lipkin::bench {
namespace {

using nlohmann::json;

json run(const json& request) {
  std::vector<std::pair<std::string, std::string>> overrides;
  for (const auto& [path, value] : request.at("set").items()) overrides.emplace_back(path, value.get<std::string>());
  Simulation simulation(load_scene(request.at("scene"), overrides));
  const double until = request.at("until"), begin = seconds_on(Clock::kCpu);
  while (simulation.state().t < until) simulation.step(until);
  const double cpu = seconds_on(Clock::kCpu) - begin;
  const Statistics& s = simulation.statistics();
  json reply{{"engine", "lipkin " + std::string(version())},
             {"cpu_s", cpu},
             {"steps", s.steps},
             {"rejected", s.rejected_steps},
             {"evaluations", s.evaluations},
             {"contacts", s.contacts},
             {"unconverged_steps", s.unconverged_steps},
             {"state_hash", hash_text(simulation.hash())}};
  json& positions = reply["positions"] = json::array();
  for (int body = 0; body < simulation.model().body_count(); ++body)
    for (const double x : simulation.body_motion(body).pose.position) positions.push_back(x);
  return reply;
}

// The value of a polygon at x; not a number beyond its ends. Points ascend in x.
double polygon_at(const std::vector<std::pair<double, double>>& points, double x) {
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const auto& [x_a, y_a] = points[i];
    const auto& [x_b, y_b] = points[i + 1];
    if (x < x_a || x > x_b) continue;
    return x_b > x_a ? y_a + (y_b - y_a) * (x - x_a) / (x_b - x_a) : y_a;
  }
  return NAN;
}

// Curves with points of their own share the x of all: each is filled in along its own polygon.
json plot(const json& request) {
  std::vector<std::vector<std::pair<double, double>>> polygons;
  std::vector<double> all_x;
  for (const json& curve : request.at("curves")) {
    auto& points = polygons.emplace_back();
    for (std::size_t i = 0; i < curve.at("x").size(); ++i) {
      points.emplace_back(std::log10(curve["x"][i].get<double>()), std::log10(curve["y"][i].get<double>()));
      all_x.push_back(points.back().first);
    }
    std::ranges::sort(points);
  }
  std::ranges::sort(all_x);
  Trace x{"log10 of CPU time", "s", all_x};
  std::vector<Trace> traces;
  for (std::size_t i = 0; i < polygons.size(); ++i) {
    Trace& trace = traces.emplace_back(Trace{request["curves"][i].at("name"), "log10 m", {}});
    for (const double at : all_x) trace.values.push_back(polygon_at(polygons[i], at));
  }
  const std::string path = request.at("path");
  PlotOptions options;
  options.title = request.at("title");
  write_plot(path, x, traces, options);
  return {{"path", path}};
}

json answer(const std::string& line) {
  try {
    const json request = json::parse(line);
    return request.at("command") == "plot" ? plot(request) : run(request);
  } catch (const std::exception& error) {
    return {{"error", error.what()}};
  }
}

}  // namespace
}  // namespace lipkin::bench

int main() {
  for (std::string line; std::getline(std::cin, line);) std::cout << lipkin::bench::answer(line).dump() << std::endl;
}
