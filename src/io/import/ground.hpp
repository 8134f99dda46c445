// A plane under a model that was imported without one.
#pragma once

#include <optional>

#include "lipkin/model_builder.hpp"

namespace lipkin {

// Adds the plane z = 0 with friction 1.
void add_ground(ModelBuilder& builder);

// Where a level plane of the world lies that touches [m]; none: there is no ground.
std::optional<double> ground_height(const Model& model);

// The same model, with whatever moves freely lifted or lowered so that its lowest contact shape is a millimetre above
// the plane z = 0 at the start.
Model standing_on_ground(const Model& model);

}  // namespace lipkin
