// The contact points of a list of pairs: what one thread does of the narrow phase, with memory of its own.
#pragma once

#include <span>
#include <vector>

#include "collision/broad_phase.hpp"
#include "collision/collision.hpp"
#include "collision/narrow_phase.hpp"

namespace lipkin {

class PairContacts {
 public:
  PairContacts();

  // What the pairs are tested against.
  struct Scene {
    std::span<const Shape> shapes;
    std::span<const Ball> balls;
    std::span<const Transform<double>> X_WS;
    double margin;  // [m]
  };

  // Adds the points of the pairs, in their order, with a gap below the margin.
  void find(const Scene& scene, std::span<const CandidatePair> pairs, std::vector<ContactPoint>& contacts);

  std::vector<ContactPoint> contacts;  // for the caller

 private:
  NarrowPhase narrow_;
  Manifold manifold_;
};

}  // namespace lipkin
