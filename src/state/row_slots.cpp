#include "state/row_slots.hpp"

#include "model/bilateral_laws.hpp"

namespace lipkin {

std::vector<RowSlot> row_slots(const ModelData& model, bool tree_friction_is_force) {
  std::vector<RowSlot> slots;
  const auto add = [&](RowKind kind, std::size_t index) { slots.push_back({kind, static_cast<int>(index)}); };
  for (std::size_t i = 0; i < model.limits.size(); ++i) {
    add(RowKind::kLimitLower, i);
    add(RowKind::kLimitUpper, i);
  }
  for (std::size_t i = 0; i < model.ball_limits.size(); ++i) add(RowKind::kBallLimit, i);
  for (std::size_t i = 0; i < model.joint_frictions.size(); ++i) {
    const DofRef& dof = model.joint_frictions[i].dof;
    const bool in_tree = dof.is_in_tree() && !tree_friction_is_force;
    if (in_tree || dof.closure >= 0 || dof.tendon >= 0) add(RowKind::kFriction, i);
  }
  for (std::size_t i = 0; i < model.motors.size(); ++i)
    if (!is_prescribed(model.motors[i])) add(RowKind::kMotor, i);
  for (std::size_t i = 0; i < model.row_springs.size(); ++i) add(RowKind::kSpring, i);
  for (std::size_t i = 0; i < model.distances.size(); ++i) {
    if (is_rod(model.distances[i])) continue;
    add(RowKind::kRopeUpper, i);
    if (model.distances[i].lower > 0) add(RowKind::kRopeLower, i);
  }
  return slots;
}

}  // namespace lipkin
