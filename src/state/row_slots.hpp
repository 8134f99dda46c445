// What the numbers in State::row_impulses belong to: one slot for each row of a law that is neither bilateral nor a
// contact. Solvers that keep the bilateral rows put theirs behind.
#pragma once

#include <cstddef>
#include <vector>

#include "model/model_data.hpp"

namespace lipkin {

enum class RowKind { kLimitLower, kLimitUpper, kBallLimit, kFriction, kMotor, kSpring, kRopeUpper, kRopeLower };

// What closes and opens, and pushes one way only.
constexpr bool is_unilateral(RowKind kind) {
  return kind == RowKind::kLimitLower || kind == RowKind::kLimitUpper || kind == RowKind::kBallLimit ||
         kind == RowKind::kRopeUpper || kind == RowKind::kRopeLower;
}

struct RowSlot {
  RowKind kind;
  int index;  // into the model's list of its kind

  bool operator==(const RowSlot&) const = default;
};

// In the order of the numbers. Prescribed motions and rods have none: they are bilateral. tree_friction_is_force: nor
// has the friction of joints of the tree.
std::vector<RowSlot> row_slots(const ModelData& model, bool tree_friction_is_force = false);

// That of a limit, for those who look at limits alone: they come first, those of ball joints behind them.
constexpr std::size_t limit_slot(std::size_t limit, bool is_upper) { return 2 * limit + (is_upper ? 1 : 0); }
inline std::size_t ball_limit_slot(const ModelData& model, std::size_t limit) {
  return limit_slot(model.limits.size(), false) + limit;
}

}  // namespace lipkin
