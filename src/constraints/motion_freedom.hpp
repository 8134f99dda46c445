// Whether prescribed motions have a freedom of their own: one that loops, gears and other drives leave them.
#pragma once

#include <string>
#include <vector>

#include "lipkin/state.hpp"
#include "model/model_data.hpp"

namespace lipkin {

// Throws InputError where an edit prescribes a motion that has none, with what holds it; or takes that of one that was
// prescribed before. Both models are in the joints' own coordinates, each with a state where its loops are closed.
//
// A new motion gets no freedom that another drive has, limited or not, brakes apart: with a limit, either gives way. It
// is judged by the rank of the rows at the present pose; at a dead point a motion may have none that has one a little
// later.
void check_motion_freedoms(const ModelData& before, const State& state_before, const ModelData& after,
                           const State& state_after);

// For coordinates of the tree, at a state where the loops are closed: the loops, gears and rods that together leave it
// no freedom, there and in a pose nearby; empty where it has one.
std::vector<std::vector<std::string>> holders_of_coordinates(const ModelData& model, const State& state,
                                                             const std::vector<DofRef>& dofs);

}  // namespace lipkin
