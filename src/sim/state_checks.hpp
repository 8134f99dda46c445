// Whether a state is one that a model can go on from.
#pragma once

#include "lipkin/state.hpp"
#include "model/model_data.hpp"

namespace lipkin {

// By the sizes of its parts.
bool has_sizes_of(const ModelData& data, const State& state);

// By all that it points to.
bool fits(const ModelData& data, const State& state);

// False where one has no direction.
bool normalize_quaternions(const ModelData& data, double* q);

}  // namespace lipkin
