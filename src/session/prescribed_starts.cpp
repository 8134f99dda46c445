#include "session/prescribed_starts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "audit/audited_coordinate.hpp"
#include "constraints/bilateral_rows.hpp"
#include "constraints/carry_state.hpp"
#include "constraints/change_coordinates.hpp"
#include "forces/actuators.hpp"
#include "lipkin/error.hpp"
#include "model/mechanism_size.hpp"
#include "model/model_compiler.hpp"
#include "model/tendon_path.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

constexpr double kTolerated = 1e-4;  // of the mechanism's size, where the experiment says nothing: as a run judges it

bool prescribes_position(const MotorData& motor) { return motor.kind == MotorKind::kPosition && is_prescribed(motor); }

// By motor: from where its coordinate is to the position that it prescribes [m] or [rad].
std::map<std::string, double> ways_to_go(const ModelData& model, const State& state) {
  Workspace work(model);
  update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
  std::map<std::string, double> ways;
  for (const MotorData& motor : model.motors)
    if (prescribes_position(motor))
      ways[motor.name] = acting_target_value(model, motor, state, 0, work) -
                         coordinate_of(motor.dof, model, state.q.data(), state.closure_q.data());
  return ways;
}

std::string driven(const ModelParts& parts, const std::string& motor) {
  for (const MotorSpec& m : parts.motors)
    if (m.name == motor)
      return m.tendon.empty() ? fmt::format("joint '{}'", m.joint) : fmt::format("tendon '{}'", m.tendon);
  return "its joint";
}

}  // namespace

void refuse_jumps(const Simulation& simulation, const Model& next) {
  const Experiment& e = simulation.experiment();
  const ModelData& now = simulation.model().data();
  const ModelData& then = next.data();
  if (e.tolerated.anything || std::none_of(then.motors.begin(), then.motors.end(), prescribes_position)) return;
  const bool maximal = e.coordinates == CoordinateKind::kMaximal;
  const State state =
      maximal ? change_coordinates(simulation.running_model().data(), simulation.state(), now) : simulation.state();
  const std::map<std::string, double> before = ways_to_go(now, state);
  const std::map<std::string, double> after = ways_to_go(then, carry_state(now, state, then));
  const double length = e.tolerated.length > 0 ? e.tolerated.length : kTolerated * mechanism_size(then);
  for (const MotorData& motor : then.motors) {
    const auto way = after.find(motor.name), old = before.find(motor.name);
    const bool is_a_length = is_length(then, motor.dof);
    const double tolerance = is_a_length ? length : e.tolerated.angle;
    if (way == after.end() || !(std::abs(way->second) >= tolerance)) continue;
    if (old != before.end() && std::abs(way->second - old->second) < tolerance) continue;  // not by this edit
    throw InvalidArgument(fmt::format(
        "'{}' would prescribe a position {:.4g} {} from where {} is, a jump that no motion can follow; let it begin "
        "where the joint is and go its way over a time, as with the law ramp or with smoothstep, or give it a "
        "max_force",
        motor.name, way->second, is_a_length ? "m" : "rad", driven(*then.parts, motor.name)));
  }
}

}  // namespace lipkin
