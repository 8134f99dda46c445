#include "collision/collision.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collision/broad_phase.hpp"
#include "collision/narrow_phase.hpp"

namespace lipkin {

namespace {

constexpr std::size_t kManifoldReserve = 64;  // points where two faces of up to some thirty corners overlap

std::vector<Shape> make_shapes(const std::vector<CollisionShape>& descriptions) {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < descriptions.size(); ++i) {
    try {
      shapes.push_back(make_shape(descriptions[i]));
    } catch (const InvalidArgument& e) {
      throw InvalidArgument(fmt::format("shape {}: {}", i, e.what()));
    }
  }
  return shapes;
}

void check_exclusions(const std::vector<std::pair<int, int>>& excluded, std::size_t count) {
  for (const auto& [a, b] : excluded)
    for (const int i : {a, b})
      if (i < 0 || static_cast<std::size_t>(i) >= count)
        throw InvalidArgument(fmt::format("excluded pair ({}, {}): expected shapes from 0 to {}", a, b, count - 1));
}

// Pairs that could meet but have no gap function.
void check_pairs(const std::vector<Shape>& shapes, const std::vector<std::pair<int, int>>& excluded) {
  std::vector<int> not_convex;
  for (int i = 0; i < static_cast<int>(shapes.size()); ++i)
    if (!shapes[static_cast<std::size_t>(i)].convex) not_convex.push_back(i);
  const auto is_excluded = [&](int a, int b) {
    return std::any_of(excluded.begin(), excluded.end(),
                       [&](const auto& pair) { return pair == std::pair(a, b) || pair == std::pair(b, a); });
  };
  for (std::size_t i = 0; i < not_convex.size(); ++i) {
    for (std::size_t j = i + 1; j < not_convex.size(); ++j) {
      const int a = not_convex[i], b = not_convex[j];
      const Shape &first = shapes[static_cast<std::size_t>(a)], &second = shapes[static_cast<std::size_t>(b)];
      if (first.owner == second.owner || has_gap_function(first.kind, second.kind) || is_excluded(a, b)) continue;
      throw InvalidArgument(
          fmt::format("shapes {} and {} could meet, but there is no contact between a {} and a {}; expected one of "
                      "them to be convex, or the pair to be excluded",
                      a, b, name_of(first.kind), name_of(second.kind)));
    }
  }
}

}  // namespace

struct Collision::Impl {
  std::vector<Shape> shapes;
  BroadPhase broad;
  NarrowPhase narrow;
  Manifold manifold;
  std::vector<ContactPoint> contacts;
  std::size_t tested_gaps = 0;

  Impl(std::vector<Shape> shapes_in, const std::vector<std::pair<int, int>>& excluded)
      : shapes(std::move(shapes_in)), broad(shapes, excluded) {
    manifold.reserve(kManifoldReserve);
  }

  void add_spheres(const CandidatePair& pair, double margin);
  void add_on_plane(const CandidatePair& pair, std::span<const Transform<double>> X_WS, double margin);
  void add_in_cup(const CandidatePair& pair, std::span<const Transform<double>> X_WS, double margin);
  void add_general(const CandidatePair& pair, std::span<const Transform<double>> X_WS, double margin);
  void add_ground_contact(const CandidatePair& pair, bool ground_first, double gap, const Vec3d& n, const Ball& ball);
};

void Collision::Impl::add_spheres(const CandidatePair& pair, double margin) {
  const std::span<const Ball> balls = broad.balls();
  const Ball &a = balls[static_cast<std::size_t>(pair.a)], &b = balls[static_cast<std::size_t>(pair.b)];
  const Vec3d between = b.centre - a.centre;
  const double touching = a.radius + b.radius, near = touching + margin;
  const double squared = squared_norm(between);
  if (!(squared < near * near) || !(near > 0)) return;
  const double distance = std::sqrt(squared), gap = distance - touching;
  if (!(gap < margin)) return;
  const Vec3d n = distance > 0 ? (1 / distance) * between : Vec3d::unit(2);
  contacts.push_back({pair.a, pair.b, 0, gap, n, a.centre + a.radius * n, b.centre - b.radius * n});
}

// `n`: from the ground to the ball.
void Collision::Impl::add_ground_contact(const CandidatePair& pair, bool ground_first, double gap, const Vec3d& n,
                                         const Ball& ball) {
  const Vec3d on_ball = ball.centre - ball.radius * n, on_ground = ball.centre - (gap + ball.radius) * n;
  if (ground_first)
    contacts.push_back({pair.a, pair.b, 0, gap, n, on_ground, on_ball});
  else
    contacts.push_back({pair.a, pair.b, 0, gap, -n, on_ball, on_ground});
}

void Collision::Impl::add_on_plane(const CandidatePair& pair, std::span<const Transform<double>> X_WS, double margin) {
  const bool plane_first = shapes[static_cast<std::size_t>(pair.a)].kind == ShapeKind::kPlane;
  const Transform<double>& X = X_WS[static_cast<std::size_t>(plane_first ? pair.a : pair.b)];
  const Ball& ball = broad.balls()[static_cast<std::size_t>(plane_first ? pair.b : pair.a)];
  const Vec3d n = X.R.column(2);
  const double gap = dot(n, ball.centre - X.p) - ball.radius;
  if (gap < margin) add_ground_contact(pair, plane_first, gap, n, ball);
}

void Collision::Impl::add_in_cup(const CandidatePair& pair, std::span<const Transform<double>> X_WS, double margin) {
  const bool cup_first = shapes[static_cast<std::size_t>(pair.a)].kind == ShapeKind::kCup;
  const auto cup = static_cast<std::size_t>(cup_first ? pair.a : pair.b);
  const Ball& ball = broad.balls()[static_cast<std::size_t>(cup_first ? pair.b : pair.a)];
  const Transform<double>& X = X_WS[cup];
  const ConeWall& wall = shapes[cup].wall;
  const Vec3d p = transpose_times(X.R, ball.centre - X.p);
  const double gap = cup_wall_gap(wall, p, ball.radius);
  if (gap < margin && in_cup(wall, p, ball.radius))
    add_ground_contact(pair, cup_first, gap, X.R * cup_wall_normal(wall, p), ball);
}

void Collision::Impl::add_general(const CandidatePair& pair, std::span<const Transform<double>> X_WS, double margin) {
  const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
  narrow.find_contacts({shapes[a], X_WS[a]}, {shapes[b], X_WS[b]}, margin, manifold);
  for (const ManifoldPoint& p : manifold)
    contacts.push_back({pair.a, pair.b, p.feature, p.gap, p.normal, p.p_first, p.p_second});
}

Collision::Collision(std::vector<CollisionShape> shapes, const std::vector<std::pair<int, int>>& excluded) {
  check_exclusions(excluded, shapes.size());
  std::vector<Shape> made = make_shapes(shapes);
  check_pairs(made, excluded);
  impl_ = std::make_unique<Impl>(std::move(made), excluded);
}

Collision::~Collision() = default;
Collision::Collision(Collision&&) noexcept = default;
Collision& Collision::operator=(Collision&&) noexcept = default;

std::span<const ContactPoint> Collision::update(std::span<const Transform<double>> X_WS, double margin) {
  Impl& impl = *impl_;
  if (X_WS.size() != impl.shapes.size())
    throw InvalidArgument(fmt::format("{} poses for {} shapes", X_WS.size(), impl.shapes.size()));
  impl.contacts.clear();
  const std::span<const CandidatePair> candidates = impl.broad.candidates(impl.shapes, X_WS, margin);
  impl.tested_gaps = candidates.size();
  for (const CandidatePair& pair : candidates) {
    switch (pair.way) {
      case PairWay::kSphereSphere:
        impl.add_spheres(pair, margin);
        break;
      case PairWay::kPlaneSphere:
        impl.add_on_plane(pair, X_WS, margin);
        break;
      case PairWay::kCupSphere:
        impl.add_in_cup(pair, X_WS, margin);
        break;
      case PairWay::kGeneral:
        impl.add_general(pair, X_WS, margin);
        break;
    }
  }
  return impl.contacts;
}

std::size_t Collision::tested_gaps() const { return impl_->tested_gaps; }

}  // namespace lipkin
