#include "collision/broad_phase.hpp"

#include <algorithm>

#include "collision/gap_functions.hpp"

namespace lipkin {

namespace {

PairWay way_of(ShapeKind a, ShapeKind b) {
  const bool sphere_a = a == ShapeKind::kSphere, sphere_b = b == ShapeKind::kSphere;
  if (sphere_a && sphere_b) return PairWay::kSphereSphere;
  if (!sphere_a && !sphere_b) return PairWay::kGeneral;
  const ShapeKind other = sphere_a ? b : a;
  if (other == ShapeKind::kPlane) return PairWay::kPlaneSphere;
  return other == ShapeKind::kCup ? PairWay::kCupSphere : PairWay::kGeneral;
}

// Is the ball further than `reach` from the box around the shape? Balls around slabs and rods are much too large.
bool beyond_box(const Shape& shape, const Transform<double>& X, const Vec3d& centre, const Ball& ball, double reach) {
  if (shape.kind == ShapeKind::kSphere) return false;
  const Vec3d p = transpose_times(X.R, ball.centre - centre);
  double squared = 0;
  for (int k = 0; k < 3; ++k) {
    const double excess = std::max(std::abs(p[k]) - shape.half_extents[k], 0.0);
    squared += excess * excess;
  }
  const double near = ball.radius + reach;
  return squared > near * near;
}

bool near_plane(const Transform<double>& X, const Ball& ball, double reach) {
  return dot(X.R.column(2), ball.centre - X.p) - ball.radius <= reach;
}

bool near_wall(const ConeWall& wall, const Transform<double>& X, const Ball& ball, double reach) {
  const Vec3d p = transpose_times(X.R, ball.centre - X.p);
  return cup_wall_gap(wall, p, ball.radius) <= reach && in_cup(wall, p, ball.radius + reach);
}

double squared_turn_of(const Mat3<double>& A, const Mat3<double>& B) {
  double sum = 0;
  for (int k = 0; k < 9; ++k) sum += (A.e[k] - B.e[k]) * (A.e[k] - B.e[k]);
  return sum / 2;  // (2 sin(angle / 2))^2: the square of the largest stretch of A - B
}

}  // namespace

BroadPhase::BroadPhase(std::span<const Shape> shapes, std::vector<std::pair<int, int>> excluded)
    : excluded_(std::move(excluded)) {
  for (auto& [a, b] : excluded_)
    if (a > b) std::swap(a, b);
  std::sort(excluded_.begin(), excluded_.end());
  std::vector<double> radii;
  for (int i = 0; i < static_cast<int>(shapes.size()); ++i) {
    const Shape& shape = shapes[static_cast<std::size_t>(i)];
    (shape.unbounded ? unbounded_ : bounded_).push_back(i);
    if (!shape.unbounded && shape.owner != 0) radii.push_back(shape.bounding_radius);
  }
  if (!radii.empty()) {
    const auto middle = radii.begin() + static_cast<std::ptrdiff_t>(radii.size() / 2);
    std::nth_element(radii.begin(), middle, radii.end());
    typical_radius_ = *middle;
  }
  skin_ = 0.1 * typical_radius_;
  balls_.resize(shapes.size());
  lever_.resize(shapes.size());
}

std::span<const CandidatePair> BroadPhase::candidates(std::span<const Shape> shapes,
                                                      std::span<const Transform<double>> X_WS, double margin) {
  place_balls(shapes, X_WS);
  ++calls_since_build_;
  widest_asked_ = calls_since_build_ == 1 ? margin : std::max(widest_asked_, margin);
  if (!still_valid(shapes, X_WS, margin)) rebuild(shapes, X_WS, margin);
  return list_;
}

void BroadPhase::place_balls(std::span<const Shape> shapes, std::span<const Transform<double>> X_WS) {
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Shape& shape = shapes[i];
    const bool sphere = shape.kind == ShapeKind::kSphere;
    balls_[i] = {sphere ? X_WS[i].p : X_WS[i] * shape.centre, shape.bounding_radius};
  }
}

// How far any point of a shape has moved: the way of the centre and the lever times the turn.
bool BroadPhase::still_valid(std::span<const Shape> shapes, std::span<const Transform<double>> X_WS,
                             double margin) const {
  if (!built_) return false;
  constexpr long kPatience = 30;  // calls; a list for a much larger margin is too long
  if (calls_since_build_ > kPatience && widest_asked_ < 0.5 * built_margin_ - 2 * skin_) return false;
  const double way = std::min(skin_, skin_ - (margin - built_margin_) / 2);  // a wider margin takes of the skins
  if (way < 0) return false;
  const double squared_way = way * way;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const double moved = squared_norm(balls_[i].centre - built_balls_[i].centre);
    if (shapes[i].kind == ShapeKind::kSphere) {
      if (!(moved <= squared_way)) return false;
      continue;
    }
    const double turned = squared_turn_of(X_WS[i].R, built_poses_[i].R);
    if (!(std::sqrt(moved) + lever_[i] * std::sqrt(turned) <= way)) return false;
  }
  return true;
}

// A list that is made again after a few calls costs more than one that is a bit longer.
void BroadPhase::adapt_skin() {
  if (!built_) return;
  if (calls_since_build_ < 4) skin_ = std::min(1.5 * skin_, 0.5 * typical_radius_);
  if (calls_since_build_ > 100) skin_ = std::max(0.7 * skin_, 0.02 * typical_radius_);
}

void BroadPhase::rebuild(std::span<const Shape> shapes, std::span<const Transform<double>> X_WS, double margin) {
  adapt_skin();
  calls_since_build_ = 0;
  built_ = true;
  built_margin_ = margin;
  built_balls_.assign(balls_.begin(), balls_.end());
  built_poses_.assign(X_WS.begin(), X_WS.end());
  measure_levers(shapes, X_WS);
  found_.clear();
  const double reach = margin + 2 * skin_;
  find_unbounded_pairs(shapes, X_WS, reach);
  find_bounded_pairs(shapes, X_WS, reach);
  sort_found();
}

// A turning plane sweeps everything up to the furthest shape, and that may come nearer by the skin.
void BroadPhase::measure_levers(std::span<const Shape> shapes, std::span<const Transform<double>> X_WS) {
  Vec3d middle = Vec3d::zero();
  double furthest = 0;
  if (!bounded_.empty()) middle = balls_[static_cast<std::size_t>(bounded_.front())].centre;
  for (const int i : bounded_) {
    const auto k = static_cast<std::size_t>(i);
    lever_[k] = shapes[k].bounding_radius;
    furthest = std::max(furthest, norm(balls_[k].centre - middle) + balls_[k].radius);
  }
  for (const int u : unbounded_) {
    const auto k = static_cast<std::size_t>(u);
    lever_[k] = furthest + norm(X_WS[k].p - middle) + skin_;
  }
}

void BroadPhase::find_unbounded_pairs(std::span<const Shape> shapes, std::span<const Transform<double>> X_WS,
                                      double reach) {
  for (const int u : unbounded_) {
    const Shape& ground = shapes[static_cast<std::size_t>(u)];
    const Transform<double>& X = X_WS[static_cast<std::size_t>(u)];
    for (const int i : bounded_) {
      const Ball& ball = balls_[static_cast<std::size_t>(i)];
      const bool near =
          ground.kind == ShapeKind::kPlane ? near_plane(X, ball, reach) : near_wall(ground.wall, X, ball, reach);
      if (near) add(shapes, std::min(u, i), std::max(u, i));
    }
  }
}

void BroadPhase::find_bounded_pairs(std::span<const Shape> shapes, std::span<const Transform<double>> X_WS,
                                    double reach) {
  grid_items_.clear();
  for (const int i : bounded_) {
    const Ball& ball = balls_[static_cast<std::size_t>(i)];
    grid_items_.push_back({ball.centre, 2 * ball.radius + reach, i});
  }
  grid_.build(grid_items_);
  grid_.for_each_pair([&](int i, int j) {
    const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
    if (beyond_box(shapes[a], X_WS[a], balls_[a].centre, balls_[b], reach)) return;
    if (beyond_box(shapes[b], X_WS[b], balls_[b].centre, balls_[a], reach)) return;
    add(shapes, std::min(i, j), std::max(i, j));
  });
}

void BroadPhase::add(std::span<const Shape> shapes, int a, int b) {
  const Shape &first = shapes[static_cast<std::size_t>(a)], &second = shapes[static_cast<std::size_t>(b)];
  if (first.owner == second.owner || is_excluded(a, b)) return;  // the world's own shapes have the owner 0 in common
  found_.push_back({a, b, way_of(first.kind, second.kind)});
}

bool BroadPhase::is_excluded(int a, int b) const {
  return !excluded_.empty() && std::binary_search(excluded_.begin(), excluded_.end(), std::pair(a, b));
}

// By b, then, keeping that order, by a: two counting sorts.
void BroadPhase::sort_found() {
  list_.resize(found_.size());
  const auto sort_by = [&](auto&& key, const std::vector<CandidatePair>& from, std::vector<CandidatePair>& to) {
    counts_.assign(balls_.size() + 1, 0);
    for (const CandidatePair& pair : from) ++counts_[static_cast<std::size_t>(key(pair)) + 1];
    for (std::size_t k = 0; k + 1 < counts_.size(); ++k) counts_[k + 1] += counts_[k];
    for (const CandidatePair& pair : from) to[counts_[static_cast<std::size_t>(key(pair))]++] = pair;
  };
  sort_by([](const CandidatePair& pair) { return pair.b; }, found_, list_);
  sort_by([](const CandidatePair& pair) { return pair.a; }, list_, found_);
  std::swap(list_, found_);
}

}  // namespace lipkin
