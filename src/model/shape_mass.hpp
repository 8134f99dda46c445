// Mass properties of shapes and of bodies made of them.
#pragma once

#include "lipkin/model_builder.hpp"

namespace lipkin {

// Whether every edge of the mesh is shared by exactly two triangles that turn the same way.
bool is_closed(const ShapeMesh& mesh);

// Whether the shape encloses a volume and so can have a mass: not a plane, a cup, a height field or an open mesh.
bool is_solid(const ShapeGeometry& geometry);

// The functions below are for solids of checked dimensions.
double volume(const ShapeSpec& shape);  // [m^3]

// A shape of the given mass in the shape's own frame.
MassProperties solid_mass_properties(const ShapeSpec& shape, double mass);

// Two parts as one body, both in the same frame.
MassProperties combined(const MassProperties& a, const MassProperties& b);

// The same properties seen from the frame in which the part stands at `pose`.
MassProperties moved(const MassProperties& part, const Pose& pose);

// All shapes that have a mass or a density together.
MassProperties mass_properties_of(const std::vector<ShapeSpec>& shapes);

}  // namespace lipkin
