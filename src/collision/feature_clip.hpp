// Where the features of two cores face each other: their outlines are projected along the contact normal and cut with
// each other; every corner of what they share is a contact point. The gap between two planes is linear, so the smallest
// one is at such a corner.
#pragma once

#include "collision/convex.hpp"
#include "collision/manifold.hpp"

namespace lipkin {

// Adds the points with a gap below `limit` for the features of two cores, all in one frame. `normal` is a unit vector
// from the first to the second, at most kFlatSine from perpendicular to the features. Adds nothing where one feature is
// a corner or two edges cross: there is one point then, and the caller knows it.
void clip_features(const FlatFeature& first, const FlatFeature& second, const Vec3d& normal, double limit,
                   Manifold& manifold);

}  // namespace lipkin
