// A plane under a model that was imported without one.
#pragma once

#include <optional>

#include "lipkin/model_builder.hpp"

namespace lipkin {

// Adds the plane z = 0 with friction 1 to what `model` was built from; lower where what is held by the world reaches
// below it: then a millimetre below everything.
void add_ground(ModelBuilder& builder, const Model& model);

// Where a level plane of the world lies that touches [m]; none: there is no ground.
std::optional<double> ground_height(const Model& model);

// The same model, with whatever moves freely lifted or lowered so that its lowest contact shape is a millimetre above
// the ground at the start. Beside things that touch and are held by the world, such as a box in a drawer, it stays
// where it is.
Model standing_on_ground(const Model& model);

}  // namespace lipkin
