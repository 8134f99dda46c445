// One node of the tree as the kernels see it: plain data, one contiguous record per link.
#pragma once

#include <cstdint>

#include "spatial/inertia.hpp"

namespace lipkin {

// How a link moves against its parent. Axis joints move along a coordinate axis of the link frame: revolute joints
// along x, y or z, prismatic likewise, screw and cylindrical along z. See lipkin/model.hpp for q and u.
enum class LinkKind : std::uint8_t {
  kRevoluteX,
  kRevoluteY,
  kRevoluteZ,
  kPrismaticX,
  kPrismaticY,
  kPrismaticZ,
  kScrew,
  kCylindrical,
  kUniversal,
  kPlanar,
  kBall,
  kFree
};

constexpr bool is_revolute(LinkKind kind) { return kind <= LinkKind::kRevoluteZ; }

// A body, or several bodies merged by fixed joints, carried by one moving joint. The link frame L is fixed to it with
// its origin on the joint (docs/decisions/0001). Link 0 is the world; a parent's index is smaller than its child's.
struct alignas(64) Link {
  std::int32_t parent = 0;
  std::int32_t q_index = 0;       // first coordinate
  std::int32_t u_index = 0;       // first velocity
  std::int32_t multi_index = -1;  // record in TreeWork::multi for every kind but revolute
  LinkKind kind = LinkKind::kRevoluteZ;
  bool aligned = false;      // X_PF.R is the identity
  bool rigid = true;         // the inertia is that of a rigid body
  bool alone = false;        // a free joint on the world, and no children
  bool principal = false;    // alone, with L at the centre of mass along principal axes
  double pitch = 0;          // screw: advance per angle [m/rad]
  Transform<double> X_PF;    // joint frame in the parent's link frame; L coincides with it at q = 0
  Inertia6<double> inertia;  // about L's origin along L
};

}  // namespace lipkin
