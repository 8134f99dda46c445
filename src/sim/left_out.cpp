#include "sim/left_out.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lipkin {

std::vector<std::string> parts_held_by_rows(const ModelData& model, bool servos_are_rows) {
  std::vector<std::string> all;
  const auto add = [&](std::size_t count, const char* one, const char* many) {
    if (count > 0) all.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
  };
  const auto count_if = [](const auto& list, const auto& is_one) {
    return static_cast<std::size_t>(std::count_if(list.begin(), list.end(), is_one));
  };
  const std::size_t rods = count_if(model.distances, [](const DistanceData& d) { return d.lower == d.upper; });
  const std::size_t servos = count_if(model.motors, [](const MotorData& motor) { return motor.servo; });
  add(model.closures.size(), "loop", "loops");
  add(rods, "rod", "rods");
  add(model.distances.size() - rods, "rope", "ropes");
  add(model.gears.size(), "gear", "gears");
  add(model.motors.size() - servos, "motor that is no servo", "motors that are no servos");
  if (servos_are_rows) add(servos, "servo", "servos");
  add(model.limits.size() + model.ball_limits.size(), "limit", "limits");
  add(model.joint_frictions.size(), "joint or tendon with friction", "joints or tendons with friction");
  if (servos_are_rows) add(model.row_springs.size(), "spring of a tendon or loop", "springs of tendons or loops");
  if (!model.contact_shapes.empty()) all.emplace_back("contacts");
  return all;
}

}  // namespace lipkin
