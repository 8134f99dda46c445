// Shapes for the viewer.
#pragma once

#include "session/json.hpp"

namespace lipkin {

Json shape_json(const ShapeSpec& shape);

// Of a sphere about the shape frame's origin that holds what is seen of it [m]; 0 for shapes without end.
double shape_radius(const ShapeGeometry& geometry);

}  // namespace lipkin
