#include "scene_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lipkin::bench {
namespace {

constexpr Column kGap{"gap_m", "worst gap [m]"}, kDrift{"drift_J", "energy drift [J]"};

std::vector<Column> columns_of(const std::string& scene) {
  if (scene == "five-link-chain") {
    return {
        {"tip_error_m", "tip error at 1 s [m]"}, {"rest_s", "at rest [s]"}, {"end_rate", "rate at 12 s [rad/s]"}, kGap};
  }
  if (scene == "peaucellier") return {{"off_line_m", "off the line [m]"}, kGap};
  if (scene == "slider-crank") return {kGap, kDrift};
  if (scene == "grasp") return {{"slip_m", "slip over the hold [m]"}, {"lift_slip_m", "slip over the lift [m]"}};
  return {{"penetration_m", "penetration [m]"}, {"held_speed", "held spheres [m/s]"}, {"contacts", "contacts"}};
}

SceneCase make_case(const std::string& scene, double dt, double duration) {
  return {.name = scene, .dt = dt, .duration = duration, .sphere_count = 0, .columns = columns_of(scene)};
}

// The fall takes longer from greater heights, and what rolls longer to come to rest.
SceneCase make_cup(int spheres) {
  const std::string name = fmt::format("cup-{}", spheres);
  return {.name = name,
          .dt = 1e-3,
          .duration = spheres > 5000 ? 5.0 : 3.0,
          .sphere_count = spheres,
          .columns = columns_of(name)};
}

Bar below(std::string text, double value, double limit) { return {std::move(text), value, limit, value < limit}; }

const SceneRow* row_of(const std::vector<SceneRow>& rows, const std::string& engine) {
  const auto found = std::ranges::find(rows, engine, &SceneRow::engine);
  return found != rows.end() && found->took_part() ? &*found : nullptr;
}

// MuJoCo's step time, where it took part.
void add_speed_bar(const std::vector<SceneRow>& rows, std::vector<Bar>& bars) {
  const SceneRow* mujoco = row_of(rows, "mujoco");
  if (!mujoco) return;
  const double ratio = rows.front().us() / mujoco->us();
  bars.push_back({"step time in terms of mujoco's", ratio, 1, ratio <= 1});
}

// A third of ODE's step time, where it took part.
void add_cup_bars(const std::vector<SceneRow>& rows, std::vector<Bar>& bars) {
  if (const SceneRow* ode = row_of(rows, "ode")) {
    const double ratio = rows.front().us() / ode->us();
    bars.push_back({"step time in terms of ode's", ratio, 1.0 / 3, ratio <= 1.0 / 3});
  }
  bars.push_back(below("penetration [m]", rows.front().value("penetration_m"), 5e-5));
  bars.push_back(below("spheres with three or more contacts [m/s]", rows.front().value("held_speed"), 1e-3));
}

void add_chain_bars(const SceneCase& scene, const std::vector<SceneRow>& rows, std::vector<Bar>& bars) {
  const SceneRow& lipkin = rows.front();
  add_speed_bar(rows, bars);
  if (scene.dt < 5e-3) {
    bars.push_back(below("tip error at 1 s [m]", lipkin.value("tip_error_m"), 3e-3));
    return;
  }
  const double still = lipkin.value("still_s");
  bars.push_back({"below 1e-9 rad/s for good, from 9.0 [s] at the earliest", still, 9.3, still >= 9.0 && still <= 9.3});
}

void add_linkage_bars(const SceneCase& scene, const std::vector<SceneRow>& rows, std::vector<Bar>& bars) {
  if (scene.dt < 5e-3) return;
  add_speed_bar(rows, bars);
  bars.push_back(below("off the line [m]", rows.front().value("off_line_m"), 1e-10));
  bars.push_back(below("worst gap [m]", rows.front().value("gap_m"), 1e-10));
}

}  // namespace

std::string SceneCase::title() const {
  return is_cup() ? fmt::format("{}, dt {:g} ms, settled", name, dt * 1000)
                  : fmt::format("{}, dt {:g} ms, {:g} s", name, dt * 1000, duration);
}

bool SceneCase::takes_minutes() const { return is_cup() ? sphere_count >= kMostSpheres : duration > 100; }

// With 10,000 spheres a peer takes a fifth of a second a step. With few spheres a round takes more steps, so that it
// does not end before an engine that has waited for the others is warm.
CupSchedule cup_schedule(const SceneCase& scene, bool quick) {
  const int steps = std::max(50, 200000 / scene.sphere_count);
  if (scene.takes_minutes()) return {.settle = 100, .rounds = 4, .steps = steps};
  return quick ? CupSchedule{.settle = 100, .rounds = 2, .steps = steps / 4}
               : CupSchedule{.settle = 500, .rounds = 4, .steps = steps};
}

void SceneRow::add_round(const nlohmann::json& round_reply) {
  const nlohmann::json before = reply;
  if (reply.is_null()) reply = nlohmann::json::object();
  reply.update(round_reply);
  us_rounds.push_back(round_reply.at("us_per_step"));
  for (const char* key : {"penetration_m", "held_speed", "fastest"}) {
    if (before.contains(key)) reply[key] = std::max(before[key], reply[key]);
  }
}

// A number that is not finite is null in JSON.
double SceneRow::value(const char* key) const {
  return reply.is_object() && reply.contains(key) && reply[key].is_number() ? reply[key].get<double>() : NAN;
}

double SceneRow::us() const { return *std::ranges::min_element(us_rounds); }

std::vector<SceneCase> scene_cases() {
  std::vector<SceneCase> cases;
  for (const double dt : {1e-2, 1e-3}) cases.push_back(make_case("five-link-chain", dt, 12));
  for (const double dt : {1e-2, 1e-3}) cases.push_back(make_case("peaucellier", dt, 10));
  cases.push_back(make_case("peaucellier", 1e-2, 600));
  for (const double dt : {1e-2, 1e-3}) cases.push_back(make_case("slider-crank", dt, 10));
  for (const double dt : {1e-2, 1e-3}) cases.push_back(make_case("grasp", dt, 13));
  for (const int spheres : {kFewestSpheres, 1000, kMostSpheres}) cases.push_back(make_cup(spheres));
  return cases;
}

std::vector<Bar> bars_of(const SceneCase& scene, const std::vector<SceneRow>& rows) {
  std::vector<Bar> bars;
  const SceneRow& lipkin = rows.front();
  if (!lipkin.took_part()) return bars;
  if (scene.name == "five-link-chain") add_chain_bars(scene, rows, bars);
  if (scene.name == "peaucellier") add_linkage_bars(scene, rows, bars);
  if (scene.name == "slider-crank") bars.push_back(below("worst gap [m]", lipkin.value("gap_m"), 1e-9));
  if (scene.name == "grasp") {
    add_speed_bar(rows, bars);
    bars.push_back(below("slip over the hold [m]", lipkin.value("slip_m"), 1e-6));
  }
  if (scene.is_cup()) add_cup_bars(rows, bars);
  return bars;
}

double growth_exponent(const std::vector<CupTime>& cups) {
  if (cups.size() < 2) return NAN;
  const CupTime &first = cups.front(), &last = cups.back();
  return std::log(last.us / first.us) / std::log(static_cast<double>(last.spheres) / first.spheres);
}

}  // namespace lipkin::bench
