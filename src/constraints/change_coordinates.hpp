// One mechanism in two kinds of coordinates: carries a state from one to the other.
#pragma once

#include "lipkin/state.hpp"
#include "model/model_data.hpp"

namespace lipkin {

// `from` and `to` have the same bodies and joints; one of them has some joints cut (model/cut_joints.hpp). Poses,
// velocities, turns of angles, applied forces of joints that neither cuts, and all that is not of coordinates stay; the
// memory of the solver starts anew.
State change_coordinates(const ModelData& from, const State& state, const ModelData& to);

// A joint with applied forces that have no place there; empty: there is none.
std::string applied_without_place(const ModelData& from, const State& state, const ModelData& to);

// Applied forces of the joints that both have, by name.
void keep_applied(const ModelData& from, const State& before, const ModelData& to, State& state);

}  // namespace lipkin
