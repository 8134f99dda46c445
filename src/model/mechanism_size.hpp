// How large a mechanism is: the length that rows, tolerances and rounding are compared with.
#pragma once

#include "model/model_data.hpp"

namespace lipkin {

// A length that is typical for the mechanism [m].
double mechanism_size(const ModelData& model);

}  // namespace lipkin
