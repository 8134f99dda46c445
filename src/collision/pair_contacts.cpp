#include "collision/pair_contacts.hpp"

#include <cmath>

#include "base/fetch.hpp"

namespace lipkin {

namespace {

constexpr std::size_t kManifoldReserve = 64;  // points where two faces of up to some thirty corners overlap

constexpr std::size_t kFetchAhead = 12;  // pairs: about as long as memory takes

using Scene = PairContacts::Scene;

// `n`: from the ground to the ball.
void add_ground_contact(const CandidatePair& pair, bool ground_first, double gap, const Vec3d& n, const Ball& ball,
                        std::vector<ContactPoint>& contacts) {
  const Vec3d on_ball = ball.centre - ball.radius * n, on_ground = ball.centre - (gap + ball.radius) * n;
  if (ground_first)
    contacts.push_back({pair.a, pair.b, 0, gap, n, on_ground, on_ball});
  else
    contacts.push_back({pair.a, pair.b, 0, gap, -n, on_ball, on_ground});
}

void add_spheres(const Scene& scene, const CandidatePair& pair, std::vector<ContactPoint>& contacts) {
  const std::span<const Ball> balls = scene.balls;
  const Ball &a = balls[static_cast<std::size_t>(pair.a)], &b = balls[static_cast<std::size_t>(pair.b)];
  const Vec3d between = b.centre - a.centre;
  const double touching = a.radius + b.radius, near = touching + scene.margin;
  const double squared = squared_norm(between);
  if (!(squared < near * near) || !(near > 0)) return;
  const double distance = std::sqrt(squared), gap = distance - touching;
  if (!(gap < scene.margin)) return;
  const Vec3d n = distance > 0 ? (1 / distance) * between : Vec3d::unit(2);
  contacts.push_back({pair.a, pair.b, 0, gap, n, a.centre + a.radius * n, b.centre - b.radius * n});
}

void add_on_plane(const Scene& scene, const CandidatePair& pair, std::vector<ContactPoint>& contacts) {
  const bool plane_first = scene.shapes[static_cast<std::size_t>(pair.a)].kind == ShapeKind::kPlane;
  const Transform<double>& X = scene.X_WS[static_cast<std::size_t>(plane_first ? pair.a : pair.b)];
  const Ball& ball = scene.balls[static_cast<std::size_t>(plane_first ? pair.b : pair.a)];
  const Vec3d n = X.R.column(2);
  const double gap = dot(n, ball.centre - X.p) - ball.radius;
  if (gap < scene.margin) add_ground_contact(pair, plane_first, gap, n, ball, contacts);
}

void add_in_cup(const Scene& scene, const CandidatePair& pair, std::vector<ContactPoint>& contacts) {
  const bool cup_first = scene.shapes[static_cast<std::size_t>(pair.a)].kind == ShapeKind::kCup;
  const auto cup = static_cast<std::size_t>(cup_first ? pair.a : pair.b);
  const Ball& ball = scene.balls[static_cast<std::size_t>(cup_first ? pair.b : pair.a)];
  const Transform<double>& X = scene.X_WS[cup];
  const ConeWall& wall = scene.shapes[cup].wall;
  const Vec3d p = transpose_times(X.R, ball.centre - X.p);
  const double gap = cup_wall_gap(wall, p, ball.radius);
  if (gap < scene.margin && in_cup(wall, p, ball.radius))
    add_ground_contact(pair, cup_first, gap, X.R * cup_wall_normal(wall, p), ball, contacts);
}

}  // namespace

PairContacts::PairContacts() { manifold_.reserve(kManifoldReserve); }

void PairContacts::find(const Scene& scene, std::span<const CandidatePair> pairs, std::vector<ContactPoint>& found) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    // The second shapes of pairs lie anywhere in memory.
    if (i + kFetchAhead < pairs.size()) fetch(scene.balls[static_cast<std::size_t>(pairs[i + kFetchAhead].b)]);
    const CandidatePair& pair = pairs[i];
    switch (pair.way) {
      case PairWay::kSphereSphere:
        add_spheres(scene, pair, found);
        break;
      case PairWay::kPlaneSphere:
        add_on_plane(scene, pair, found);
        break;
      case PairWay::kCupSphere:
        add_in_cup(scene, pair, found);
        break;
      case PairWay::kGeneral: {
        const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
        narrow_.find_contacts({scene.shapes[a], scene.X_WS[a]}, {scene.shapes[b], scene.X_WS[b]}, scene.margin,
                              manifold_);
        for (const ManifoldPoint& p : manifold_)
          found.push_back({pair.a, pair.b, p.feature, p.gap, p.normal, p.p_first, p.p_second});
        break;
      }
    }
  }
}

}  // namespace lipkin
