// One mechanism in two kinds of coordinates: carries a state from one to the other.
#pragma once

#include "lipkin/state.hpp"
#include "model/model_data.hpp"

namespace lipkin {

// `from` and `to` have the same bodies and joints; one of them has some joints cut (model/cut_joints.hpp). Poses,
// velocities, turns of angles and all that is not of coordinates stay; the memory of the solver starts anew.
State change_coordinates(const ModelData& from, const State& state, const ModelData& to);

}  // namespace lipkin
