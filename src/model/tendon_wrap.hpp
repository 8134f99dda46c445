// The shortest way of a string between two points around a sphere or a cylinder.
#pragma once

#include <optional>

#include "spatial/vec3.hpp"

namespace lipkin {

// Where the string touches first and last, and how long it lies on the surface.
struct TendonTouch {
  Vec3<double> first, last;
  double length = 0;  // [m]
};

// Whether a point at this distance from the centre or the axis is inside, and not on the surface within rounding.
bool lies_inside(double distance, double radius);

// Points in the frame of the sphere or cylinder (about z). Nothing where the string passes straight, or a point lies
// inside. side: of the two ways round, in the plane across a cylinder's axis or through a sphere's centre, the string
// goes the one whose middle, half-way between the directions of both points, is on the side of this point; where the
// point lies inside, the string passes within and touches at one place, if it does. As MuJoCo does it ("Spatial
// tendons", computation chapter of its documentation) but for when the string comes off; a sphere in the plane of its
// centre and the two points, a cylinder as a helix.
//
// Lengths are continuous while both points stay outside, but where the middle of the ways comes to lie across from that
// point: there a string that was wound by more than half a turn goes the other way.
std::optional<TendonTouch> touch_sphere(const Vec3<double>& a, const Vec3<double>& b, double radius,
                                        const Vec3<double>* side);
std::optional<TendonTouch> touch_cylinder(const Vec3<double>& a, const Vec3<double>& b, double radius,
                                          const Vec3<double>* side);

}  // namespace lipkin
