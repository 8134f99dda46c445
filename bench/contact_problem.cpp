#include "contact_problem.hpp"

#include <cmath>
#include <cstddef>

namespace lipkin::bench {
namespace {

constexpr double kTouching = 1e-5;  // gap below which spheres of a settled pile carry weight [m]

Triple cross(const Triple& a, const Triple& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Triple& a, const Triple& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Triple scaled(double factor, const Triple& v) { return {factor * v[0], factor * v[1], factor * v[2]}; }
Triple between(const Triple& a, const Triple& b) { return {b[0] - a[0], b[1] - a[1], b[2] - a[2]}; }

// A sphere's place in z: three translations, with friction three rotations, and room up to the grain.
int run_length(bool friction) { return friction ? 6 : 4; }
static_assert(kRunGrain == 2);

double inertia_of(const Cup& cup) { return 0.4 * cup.mass() * Cup::kRadius * Cup::kRadius; }

std::array<Triple, 3> frame_of(const Triple& normal) {
  const Triple other = std::abs(normal[0]) < 0.5 ? Triple{1, 0, 0} : Triple{0, 1, 0};
  const Triple across = cross(normal, other);
  const Triple tangent = scaled(1 / std::sqrt(dot(across, across)), across);
  return {normal, tangent, cross(normal, tangent)};
}

class PileProblem {
 public:
  PileProblem(const Cup& cup, std::span<const SphereMotion> spheres, bool friction)
      : cup_(cup), spheres_(spheres), friction_(friction), length_(run_length(friction)) {
    problem_.z_count = length_ * static_cast<int>(spheres.size());
    for (int i = 0; i < static_cast<int>(spheres.size()); ++i) {
      for (const CupPlane& plane : cup.planes) add_wall(i, plane);
      for (int j = 0; j < i; ++j) add_pair(j, i);
    }
  }

  Problem take() { return std::move(problem_); }

 private:
  const SphereMotion& sphere(int i) const { return spheres_[static_cast<std::size_t>(i)]; }

  void add_wall(int i, const CupPlane& plane) {
    const double gap = dot(plane.normal, between(plane.point, sphere(i).position)) - Cup::kRadius;
    if (gap < kTouching) add_contact(-1, i, plane.normal);
  }

  void add_pair(int a, int b) {
    const Triple apart = between(sphere(a).position, sphere(b).position);
    const double distance = std::sqrt(dot(apart, apart));
    if (distance - 2 * Cup::kRadius < kTouching) add_contact(a, b, scaled(1 / distance, apart));
  }

  // The normal points from a (-1: the cup) to b.
  void add_contact(int a, int b, const Triple& normal) {
    Block block;
    block.law = LawKind::kContact;
    block.row_begin = static_cast<int>(problem_.b.size());
    block.row_count = friction_ ? 3 : 1;
    block.run_begin = static_cast<int>(problem_.runs.size());
    block.run_count = a < 0 ? 1 : 2;
    block.width = block.run_count * length_;
    block.y_begin = problem_.y.size();
    block.mu = friction_ ? Cup::kFriction : 0;
    if (a >= 0) problem_.runs.push_back({length_ * a, length_});
    problem_.runs.push_back({length_ * b, length_});
    const auto frame = frame_of(normal);
    for (int row = 0; row < block.row_count; ++row) add_row(a, b, frame[0], frame[static_cast<std::size_t>(row)]);
    problem_.blocks.push_back(block);
  }

  // gamma = d . (v_b + w_b x (-r n) - v_a - w_a x r n): turning counts alike for both spheres.
  void add_row(int a, int b, const Triple& normal, const Triple& direction) {
    const Triple turning = scaled(-Cup::kRadius, cross(normal, direction));
    double gamma = 0;
    if (a >= 0) gamma += add_part(sphere(a), scaled(-1, direction), turning);
    gamma += add_part(sphere(b), direction, turning);
    problem_.b.push_back(gamma);
    problem_.compliance.push_back(0);
    problem_.lambda.push_back(0);
  }

  // A sphere's part of a row, whitened by the roots of its mass and inertia; its part of the free gap velocity.
  double add_part(const SphereMotion& motion, const Triple& moving, const Triple& turning) {
    const double move = 1 / std::sqrt(cup_.mass()), turn = 1 / std::sqrt(inertia_of(cup_));
    for (const double value : moving) problem_.y.push_back(move * value);
    if (friction_) {
      for (const double value : turning) problem_.y.push_back(turn * value);
    }
    if (!friction_) problem_.y.push_back(0);
    Triple velocity = motion.velocity;
    velocity[2] -= Cup::kGravity * Cup::kTimeStep;
    return dot(moving, velocity) + (friction_ ? dot(turning, motion.angular_velocity) : 0);
  }

  const Cup& cup_;
  std::span<const SphereMotion> spheres_;
  bool friction_;
  int length_;
  Problem problem_;
};

}  // namespace

Problem pile_problem(const Cup& cup, std::span<const SphereMotion> spheres, bool friction) {
  return PileProblem(cup, spheres, friction).take();
}

Triple velocity_after(const Cup& cup, const SphereMotion& sphere, std::size_t index, bool friction,
                      std::span<const double> z) {
  Triple velocity = sphere.velocity;
  velocity[2] -= Cup::kGravity * Cup::kTimeStep;
  const std::size_t begin = index * static_cast<std::size_t>(run_length(friction));
  for (std::size_t k = 0; k < 3; ++k) velocity[k] += z[begin + k] / std::sqrt(cup.mass());
  return velocity;
}

}  // namespace lipkin::bench
