// A session and somebody who gives it commands.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "lipkin/session.hpp"

namespace lipkin::test {

struct Desk {
  using Json = nlohmann::json;
  using Overrides = std::vector<std::pair<std::string, std::string>>;

  explicit Desk(const std::string& scene, const Overrides& overrides = {})
      : session(load_scene(scene, overrides), {scene, overrides}) {}

  // Applies a command now; the answer's result, or an object with "error".
  Json tell(const std::string& cmd, Json args = Json::object()) {
    Json result;
    session.submit(Json{{"id", 1}, {"cmd", cmd}, {"args", std::move(args)}}.dump(), [&](const CommandAnswer& answer) {
      result = answer.ok ? Json::parse(answer.result) : Json{{"error", answer.error}};
      last = answer;
    });
    session.apply_due();
    return result;
  }
  void run(int steps) {
    for (int i = 0; i < steps; ++i) session.step();
  }
  std::uint64_t hash() const { return session.simulation().hash(); }
  Json shown(const char* list) const { return Json::parse(session.model_json())[list]; }
  double value(const std::string& channel) {
    const auto& channels = session.channels();
    for (std::size_t i = 0; i < channels.size(); ++i)
      if (channels[i].name == channel) return session.channel_values()[i];
    return NAN;
  }

  Session session;
  CommandAnswer last;
};

}  // namespace lipkin::test
