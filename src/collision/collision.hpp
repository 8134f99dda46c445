// Which shapes are near each other, how far apart, and where: gaps, normals and points on both bodies, before and after
// touching. Knows shapes and poses, nothing of joints or laws.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "lipkin/model_builder.hpp"
#include "spatial/transform.hpp"

namespace lipkin {

struct CollisionShape {
  ShapeGeometry geometry;
  int owner = 0;  // the link that carries it: shapes of one owner never touch; owner 0 does not move
};

struct ContactPoint {
  int shape_a = 0, shape_b = 0;  // a < b
  std::uint64_t feature = 0;     // names the point among those of the pair; the same from step to step while it lasts
  double gap = 0;                // signed distance along the normal, negative when the shapes overlap [m]
  Vec3<double> normal;           // unit, from a to b, world axes
  Vec3<double> p_A, p_B;         // on each surface, world [m]; p_B - p_A = gap * normal
};

class ThreadPool;

class Collision {
 public:
  // `excluded`: pairs of shapes that never touch. Throws InvalidArgument naming both kinds where a pair that could meet
  // has no gap function (two planes, two meshes of which neither is convex, ...).
  Collision(std::vector<CollisionShape> shapes, const std::vector<std::pair<int, int>>& excluded);
  ~Collision();
  Collision(Collision&&) noexcept;
  Collision& operator=(Collision&&) noexcept;

  // Every contact point whose gap is below `margin` [m], sorted by (shape_a, shape_b, feature). X_WS: pose of every
  // shape. The answer depends on the poses and the margin alone, not on earlier calls or the threads (null: the
  // calling one). Takes nothing from the heap once its buffers have grown to what the scene needs.
  std::span<const ContactPoint> update(std::span<const Transform<double>> X_WS, double margin,
                                       ThreadPool* threads = nullptr);

  // How many pairs of shapes had their gap computed in the last update.
  std::size_t tested_gaps() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lipkin
