// Where rays meet shapes.
#pragma once

#include "collision/geometry.hpp"
#include "lipkin/model_builder.hpp"

namespace lipkin {

struct Ray {
  Vec3d origin;     // [m]
  Vec3d direction;  // of length 1
};

// Distance along a ray, given in the frame of a shape, to the surface: where it enters, or from within where it leaves.
// Infinity where it misses. Planes are met from above; meshes, height fields and cups from both sides.
double ray_distance(const ShapeGeometry& geometry, const Ray& ray);

// Whether a ray, along the axes of a zone, begins in it or meets it.
bool ray_meets(const ZoneSpec& zone, const Ray& ray);

}  // namespace lipkin
