// Which pairs of shapes may be near each other. The list is made with some room to spare (a skin around every shape,
// Verlet 1967) and kept while nothing has moved further than the skin; it always holds every pair that is nearer than
// the margin, so that what is made of it does not depend on when it was made.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "collision/cell_grid.hpp"
#include "collision/shape.hpp"

namespace lipkin {

// How a pair is treated: the frequent kinds have short ways of their own.
enum class PairWay : std::uint8_t { kGeneral, kSphereSphere, kPlaneSphere, kCupSphere };

struct CandidatePair {
  int a = 0, b = 0;  // a < b
  PairWay way = PairWay::kGeneral;
};

// Around a shape; of spheres the shape itself.
struct Ball {
  Vec3d centre;       // world [m]
  double radius = 0;  // [m]
};

class BroadPhase {
 public:
  BroadPhase(std::span<const Shape> shapes, std::vector<std::pair<int, int>> excluded);

  // Every pair that may be nearer than `margin` [m], sorted by (a, b), and some more.
  std::span<const CandidatePair> candidates(std::span<const Shape> shapes, std::span<const Transform<double>> X_WS,
                                            double margin);

  // Around every shape in the poses of the last call.
  std::span<const Ball> balls() const { return balls_; }

 private:
  bool still_valid(std::span<const Shape> shapes, std::span<const Transform<double>> X_WS, double margin) const;
  void place_balls(std::span<const Shape> shapes, std::span<const Transform<double>> X_WS);
  void adapt_skin();
  void rebuild(std::span<const Shape> shapes, std::span<const Transform<double>> X_WS, double margin);
  void find_unbounded_pairs(std::span<const Shape> shapes, std::span<const Transform<double>> X_WS, double reach);
  void find_bounded_pairs(std::span<const Shape> shapes, std::span<const Transform<double>> X_WS, double reach);
  void measure_levers(std::span<const Shape> shapes, std::span<const Transform<double>> X_WS);
  void add(std::span<const Shape> shapes, int a, int b);
  bool is_excluded(int a, int b) const;
  void sort_found();

  std::vector<std::pair<int, int>> excluded_;  // sorted, first < second
  std::vector<int> bounded_, unbounded_;       // shapes
  std::vector<Ball> balls_;

  // The list and where the shapes were when it was made.
  std::vector<CandidatePair> list_, found_;
  std::vector<Ball> built_balls_;
  std::vector<Transform<double>> built_poses_;
  std::vector<double> lever_;  // how far from its centre a turn of the shape matters [m]
  bool built_ = false;
  double built_margin_ = 0;
  double widest_asked_ = 0;    // the largest margin since the list was made [m]
  double skin_ = 0;            // how far every shape may move before the list is made again [m]
  double typical_radius_ = 0;  // [m]
  long calls_since_build_ = 0;

  CellGrid grid_;
  std::vector<CellGrid::Item> grid_items_;
  std::vector<std::size_t> counts_;
};

}  // namespace lipkin
