// One mechanism before and after an edit of its parts: carries a state from one model to the other.
#pragma once

#include "lipkin/state.hpp"
#include "model/model_data.hpp"

namespace lipkin {

// Both models are in the joints' own coordinates. Bodies, joints and actuators are matched by name. Bodies stay where
// they are as far as the joints let them, angles keep their turns; where the tree changed, velocities are those nearest
// in the norm of M, so that momentum is kept in every direction that is still free. Memory of the solver is kept where
// its rows are the same.
State carry_state(const ModelData& from, const State& before, const ModelData& to);

// Whether `to` has no joint, gear, rod or prescribed motion that `from` has not.
bool asks_for_nothing_new(const ModelData& from, const ModelData& to);

// Whether both have the same of these: a state that fits one fits the other.
bool holds_alike(const ModelData& a, const ModelData& b);

// Whether both have the same joints in the same places.
bool has_same_joints(const ModelData& a, const ModelData& b);

}  // namespace lipkin
