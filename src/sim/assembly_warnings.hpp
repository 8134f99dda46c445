// Positions and velocities that were given, and are far from those that a run begins with: loops, gears, rods and
// drives fit neither.
#pragma once

#include <vector>

#include "lipkin/error.hpp"
#include "lipkin/state.hpp"
#include "model/model_data.hpp"

namespace lipkin {

// start: in the coordinates of the model. closes: what was open most as given, "loop 'C'"; empty: nothing was. Return
// whether they warn.
bool warn_of_moved_joints(const ModelData& model, const State& start, const std::string& closes,
                          std::vector<Diagnostic>& warnings);
bool warn_of_changed_speeds(const ModelData& model, const State& start, std::vector<Diagnostic>& warnings);

}  // namespace lipkin
