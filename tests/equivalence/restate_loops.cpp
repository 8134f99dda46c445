// A loop cut at another joint, prescribed motions as strong motors, and the classical stepper.
#include <algorithm>
#include <limits>

#include "equivalence/restatements.hpp"

namespace lipkin::test::restate {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A bar linkage world - body0 - body1 - body2 - world of joints with one coordinate each.
bool is_open_chain_to_world(const Mechanism& m) {
  if (m.joints.size() != 4 || m.bodies.size() != 3 || !m.gears.empty() || !m.tendons.empty()) return false;
  const auto is_one = [&](int i, const std::string& parent) {
    return m.joints[i].parent == parent && u_count(m.joints[i].type) == 1 && m.joints[i].type != JointType::kScrew;
  };
  return m.joints[3].closes_loop && is_one(0, kWorldName) && is_one(1, "body0") && is_one(2, "body1") &&
         is_one(3, kWorldName) && m.joints[3].child == "body2";
}

bool is_driven_by_force(const Mechanism& m, const std::string& joint) {
  return std::ranges::any_of(m.actuators, [&](const ActuatorSpec& a) { return a.joint == joint; });
}

void negate(std::vector<double>& values) {
  for (double& value : values) value = -value;
}

// Parent and child change places: the coordinate counts the other way.
void turn_round(Mechanism& m, JointSpec& joint) {
  std::swap(joint.parent, joint.child);
  std::swap(joint.frame_in_parent, joint.frame_in_child);
  negate(joint.q), negate(joint.u), negate(joint.rest), negate(joint.lower), negate(joint.upper);
  std::swap(joint.lower, joint.upper);
  for (MotorSpec& motor : m.motors)
    if (motor.joint == joint.name) motor.target = scaled(motor.target, -1);
  for (ActuatorSpec& actuator : m.actuators)
    if (actuator.joint == joint.name) actuator.gear = -actuator.gear;
}

// Rates of joints once the loop has been put together.
std::vector<double> initial_rates(const Mechanism& mechanism) {
  Outputs outputs;
  for (const JointSpec& joint : mechanism.joints) outputs.push_back({joint.name, "joint." + joint.name + ".u", "", {}});
  Simulation simulation(build(mechanism, outputs));
  simulation.run(0);
  return {simulation.outputs().begin(), simulation.outputs().end()};
}

bool is_prescribed(const MotorSpec& motor) { return !motor.stiffness && motor.max_force == kInfinity; }

}  // namespace

// The joint that closed the loop belongs to the tree, and the first one closes it: the chain hangs the other way round.
Result cut_elsewhere(const Mechanism& mechanism, std::uint64_t) {
  if (!is_open_chain_to_world(mechanism)) return {};
  const JointSpec& first = mechanism.joints[0];
  if (!first.armature.empty() || is_driven_by_force(mechanism, first.name)) return {};
  Restated r{"cut elsewhere", mechanism, Agreement::kOrderOfStep};
  Mechanism& m = r.mechanism;
  const std::vector<double> rates = initial_rates(mechanism);
  for (const int i : {1, 2, 3}) m.joints[i].u = {rates[i]};
  m.joints[0].closes_loop = true;
  m.joints[0].q.clear(), m.joints[0].u.clear();
  m.joints[3].closes_loop = false;
  for (const int i : {1, 2}) {
    turn_round(m, m.joints[i]);
    r.turned_joints.insert(m.joints[i].name);
  }
  return r;
}

Result prescribed_by_strong_motors(const Mechanism& mechanism, std::uint64_t) {
  // Where a loop is put together for the first step, a motor with a limit has no say.
  const bool has_loop = std::ranges::any_of(mechanism.joints, &JointSpec::closes_loop) || !mechanism.gears.empty();
  if (has_loop || std::ranges::none_of(mechanism.motors, &is_prescribed)) return {};
  Restated r{"prescribed by strong motors", mechanism, Agreement::kOrderOfStep};
  for (MotorSpec& motor : r.mechanism.motors)
    if (is_prescribed(motor)) motor.max_force = 1e6;
  return r;
}

Result by_rk4(const Mechanism& mechanism, std::uint64_t) {
  const bool is_smooth = std::ranges::all_of(mechanism.joints, [](const JointSpec& j) { return j.friction.empty(); });
  if (!is_smooth || !mechanism.world_shapes.empty()) return {};
  Restated r{"rk4", mechanism, Agreement::kOrderOfStep};
  r.mechanism.experiment.stepper = StepperKind::kRk4;
  return r;
}

}  // namespace lipkin::test::restate
