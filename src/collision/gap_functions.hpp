// Contact points of one pair of shapes, by kinds. Each adds the points with a gap below `margin` to the manifold, in
// the world, with the normal from the first to the second shape.
#pragma once

#include "collision/manifold.hpp"
#include "collision/separation.hpp"
#include "collision/shape.hpp"

namespace lipkin {

// Memory that the gap functions use again and again.
struct GapScratch {
  struct DoubtfulTriangle {
    int triangle = 0;
    bool apart = false;  // the shape does not reach it
  };
  ExpandingPolytope polytope;
  std::vector<DoubtfulTriangle> doubtful;
};

struct PosedShape {
  const Shape& shape;
  const Transform<double>& X;  // in the world
};

void plane_contacts(const PosedShape& plane, const PosedShape& other, double margin, Manifold& manifold);
void cup_contacts(const PosedShape& cup, const PosedShape& other, double margin, Manifold& manifold);

// The gap of a ball around p, in the frame of the cup, to its wall: (r_bottom + k z - l) cos(psi) - radius.
double cup_wall_gap(const ConeWall& wall, const Vec3d& p, double radius);
// Unit, from the wall to the axis, in the frame of the cup.
Vec3d cup_wall_normal(const ConeWall& wall, const Vec3d& p);
// A ball whose whole volume is outside the cone has left the cup, or was never in it; nor does a cup hold what is
// above its rim or below its bottom.
bool in_cup(const ConeWall& wall, const Vec3d& p, double radius);

void sphere_convex_contacts(const PosedShape& sphere, const PosedShape& other, double margin, Manifold& manifold);
void capsule_capsule_contacts(const PosedShape& first, const PosedShape& second, double margin, Manifold& manifold);
void box_box_contacts(const PosedShape& first, const PosedShape& second, double margin, ExpandingPolytope& polytope,
                      Manifold& manifold);
void convex_convex_contacts(const PosedShape& first, const PosedShape& second, double margin,
                            ExpandingPolytope& polytope, Manifold& manifold);

void mesh_contacts(const PosedShape& mesh, const PosedShape& other, double margin, GapScratch& scratch,
                   Manifold& manifold);
void height_field_contacts(const PosedShape& field, const PosedShape& other, double margin, GapScratch& scratch,
                           Manifold& manifold);

// The points of two cores that come nearest along s.normal, in the frame of the pair; the roundings are taken off.
void add_core_contacts(const CorePair& pair, const Separation& s, double margin, Manifold& manifold);

// The same for a normal of a face along which the cores are `gap` apart. Adds nothing, and says so, where the face does
// not lie opposite the other core: the cores are further apart then.
bool add_face_contacts(const CorePair& pair, const Vec3d& normal, double gap, double margin, Manifold& manifold);

// The points of a triangle, the first of the pair, and of what of the second core lies opposite it, however deep the
// rest of that core may be.
void add_facing_contacts(const CorePair& pair, const Vec3d& normal, double margin, Manifold& manifold);

// Turns the points from `begin` on from the frame X to the world.
void points_to_world(const Transform<double>& X, Manifold& manifold, std::size_t begin);

}  // namespace lipkin
