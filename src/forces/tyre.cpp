#include "forces/tyre.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "forces/evaluate_forces.hpp"
#include "forces/ground.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

// The plane of the ground under a wheel goes through four points around the place where it touches, as in Rill and
// Castro, Road Vehicle Dynamics (2nd ed. 2020), section 3.2: half the distance between them, in radii.
constexpr double kHalfPatch = 0.15;
// Ground that is higher than this above the lowest point of the wheel is none, in radii.
constexpr double kReach = 1;
// Below this speed the rolling resistance falls to zero [m/s].
constexpr double kRestSpeed = 0.05;

struct GroundPlane {
  Vec3<double> point, normal;
};

Vec3<double> unit(const Vec3<double>& v) { return (1 / norm(v)) * v; }

std::optional<GroundPlane> plane_below(const ModelData& model, const TyreData& tyre, const Vec3<double>& center,
                                       const Vec3<double>& axis) {
  const Vec3<double> along = cross(axis, model.up);
  const double upright = norm(along);
  if (upright < 1e-6) return std::nullopt;  // the wheel lies on its side
  const Vec3<double> x = (1 / upright) * along, y = cross(model.up, x);
  const Vec3<double> lowest = center - tyre.radius * cross(x, axis);
  const double reach = kReach * tyre.radius, step = kHalfPatch * tyre.radius;
  const Vec3<double> places[4] = {lowest + step * x, lowest - step * x, lowest + step * y, lowest - step * y};
  Vec3<double> found[4], sum = Vec3<double>::zero();
  for (int i = 0; i < 4; ++i) {
    const std::optional<double> above = ground_above(model, places[i], reach);
    if (!above) return std::nullopt;
    found[i] = places[i] + *above * model.up;
    sum += found[i];
  }
  return GroundPlane{0.25 * sum, unit(cross(found[0] - found[1], found[2] - found[3]))};
}

double tread_stiffness(const TyreData& tyre, int k) { return tyre.slip_force[k] / tyre.relaxation[k]; }

// The part of the friction ellipse that a force uses.
double used_by(const double* force, const double* limit) {
  return std::hypot(force[0] / limit[0], force[1] / limit[1]);
}

// Damping acts as far as the ellipse lets it: the largest part p of it, 0 to 1, with |elastic + p damping| <= 1, which
// is a p^2 + 2 b p + c <= 0. Elastic forces lie in the ellipse but for rounding, so c <= 0, and where the root is
// needed either b or a is above zero: each has the form of the root that does not subtract (Numerical Recipes, 3rd ed.
// 2007, section 5.6), since without damping a and b are zero.
double damped_part(const double* elastic, const double* damping, const double* limit) {
  double a = 0, b = 0, c = -1;
  for (int k = 0; k < 2; ++k) {
    const double e = elastic[k] / limit[k], d = damping[k] / limit[k];
    a += d * d, b += e * d, c += e * e;
  }
  c = std::min(c, 0.0);
  if (a + 2 * b + c <= 0) return 1;
  const double root = std::sqrt(b * b - a * c);
  return std::min(b > 0 ? -c / (b + root) : (root - b) / a, 1.0);
}

// Brings the shear into the ellipse and says how much of it is used.
double keep_within(const TyreData& tyre, const double* limit, double* shear) {
  const double elastic[2] = {tread_stiffness(tyre, 0) * shear[0], tread_stiffness(tyre, 1) * shear[1]};
  const double used = used_by(elastic, limit);
  if (used <= 1) return used;
  for (int k = 0; k < 2; ++k) shear[k] /= used;
  return 1;
}

// theta of (2), 0 to 1: f = 1 - (1 - theta)^3.
double slip_part(double f) { return 1 - std::cbrt(1 - f); }

// g of (2) in theta: f = 3 theta (1 - theta + theta^2 / 3), so nothing is divided by zero.
double relaxation_factor(double theta) { return 1 / (1 - theta + theta * theta / 3); }

// At which rolling takes the shear away: g |v_r| / sigma [1/s].
double fading(const TyreData& tyre, const TyreState& s, int k) {
  return relaxation_factor(slip_part(s.used)) * std::abs(s.roll) / tyre.relaxation[k];
}

// d z' of (1). A damping d below 4 k over the fading takes energy out whatever happens; it approaches that bound where
// it would exceed it.
double damping_force(const TyreData& tyre, const TyreState& s, int k) {
  const double rate = fading(tyre, s, k);
  const double damping = tyre.tread_damping / (1 + tyre.tread_damping * rate / (4 * tread_stiffness(tyre, k)));
  return damping * (-s.slip[k] - rate * s.shear[k]);
}

void shear_force(const TyreData& tyre, const double* memory, TyreState& s) {
  for (int k = 0; k < 2; ++k) {
    s.limit[k] = tyre.friction[k] * s.load;
    s.shear[k] = memory[tyre.memory + k];
  }
  if (!(s.limit[0] > 0 && s.limit[1] > 0)) {
    s.shear[0] = s.shear[1] = 0;
    return;
  }
  s.used = keep_within(tyre, s.limit, s.shear);
  double damping[2];
  for (int k = 0; k < 2; ++k) {
    s.force[k] = tread_stiffness(tyre, k) * s.shear[k];
    damping[k] = damping_force(tyre, s, k);
  }
  const double part = damped_part(s.force, damping, s.limit);
  for (int k = 0; k < 2; ++k) s.force[k] += part * damping[k];
}

// One step of (1) from the shear b without fading, implicit in the shear and in g: with f = 1 - (1 - theta)^3 the
// factor is g = 1 / (1 - theta + theta^2 / 3), the shear falls with theta and f grows, so there is one theta in [0, 1]
// where they meet, or none: then the tread slides. Newton's method within a bracket.
class FadingStep {
 public:
  FadingStep(const TyreData& tyre, const TyreState& s, double h) {
    for (int k = 0; k < 2; ++k) {
      b_[k] = s.shear[k] - h * s.slip[k];
      c_[k] = h * std::abs(s.roll) / tyre.relaxation[k];
      w_[k] = tread_stiffness(tyre, k) / s.limit[k];
    }
  }

  void solve(double theta, double* shear) const {
    double low = 0, high = 1;
    for (int i = 0; i < kMostIterations; ++i) {
      const auto [residual, slope] = look_at(theta);
      (residual > 0 ? low : high) = theta;
      double next = slope < 0 ? theta - residual / slope : 2;
      if (!(next >= low && next <= high)) next = 0.5 * (low + high);
      const double moved = std::abs(next - theta);
      theta = next;
      if (moved < 1e-14) break;
    }
    for (int k = 0; k < 2; ++k) shear[k] = b_[k] / (1 + relaxation_factor(theta) * c_[k]);
  }

 private:
  static constexpr int kMostIterations = 60;

  // What the shear uses of the ellipse less f, and its derivative.
  std::pair<double, double> look_at(double theta) const {
    const double g = relaxation_factor(theta), rest = 1 - theta;
    double square = 0, change = 0;
    for (int k = 0; k < 2; ++k) {
      const double shrunk = 1 + g * c_[k], part = w_[k] * b_[k] / shrunk;
      square += part * part;
      change -= part * part * c_[k] / shrunk;
    }
    const double used = std::sqrt(square);
    const double by_g = used > 0 ? change / used : 0;
    return {used - (1 - rest * rest * rest), by_g * g * g * (1 - 2 * theta / 3) - 3 * rest * rest};
  }

  double b_[2], c_[2], w_[2];
};

}  // namespace

TyreState tyre_state(const ModelData& model, const TyreData& tyre, const KinematicsWork& k, const double* memory) {
  TyreState s;
  const Transform<double>& X = k.X_WL[tyre.link];
  const Vec3<double> center = X * tyre.center_L;
  s.axis = X.R * tyre.axis_L;
  const std::optional<GroundPlane> plane = plane_below(model, tyre, center, s.axis);
  if (!plane) return s;
  s.normal = plane->normal;
  const Vec3<double> along = cross(s.axis, s.normal);
  if (norm(along) < 1e-6) return s;
  s.along = unit(along);
  s.across = cross(s.normal, s.along);
  const Vec3<double> lowest = center - (tyre.radius - tyre.crown) * cross(s.along, s.axis) - tyre.crown * s.normal;
  s.depth = dot(plane->point - lowest, s.normal);
  if (s.depth <= 0) return s;
  s.p = lowest + s.depth * s.normal;
  const Vec3<double> v = point_velocity(k, tyre.link, s.p);
  s.load = std::max(tyre.stiffness * s.depth - tyre.damping * dot(v, s.normal), 0.0);
  s.touches = s.load > 0;
  s.slip[0] = dot(v, s.along), s.slip[1] = dot(v, s.across);
  const double spin = dot(k.V_WL[tyre.link].w, s.axis);
  const double lever = dot(cross(s.axis, center - s.p), s.along);
  s.roll = spin * lever;
  s.forward = s.slip[0] + s.roll;
  s.resistance = -tyre.rolling_resistance * s.load * lever * s.roll / std::hypot(s.roll, kRestSpeed);
  if (s.touches) shear_force(tyre, memory, s);
  return s;
}

void load_tyres(const ModelData& model, const State& state, Workspace& work) {
  for (const TyreData& tyre : model.tyres) {
    const TyreState s = tyre_state(model, tyre, work.kinematics, state.memory.data());
    if (!s.touches) continue;
    const Vec3<double> force = s.load * s.normal + s.force[0] * s.along + s.force[1] * s.across;
    load_link(work, tyre.link, s.p, force, s.resistance * s.axis);
  }
}

void advance_tyres(const ModelData& model, const KinematicsWork& kinematics, double h, State& state) {
  for (const TyreData& tyre : model.tyres) {
    const TyreState s = tyre_state(model, tyre, kinematics, state.memory.data());
    double* shear = &state.memory[tyre.memory];
    const bool grips = s.touches && s.limit[0] > 0 && s.limit[1] > 0;
    shear[0] = shear[1] = 0;
    if (!grips) continue;
    FadingStep(tyre, s, h).solve(slip_part(s.used), shear);
    keep_within(tyre, s.limit, shear);
  }
}

double tyre_energy(const ModelData& model, const KinematicsWork& kinematics, const double* memory) {
  double energy = 0;
  for (const TyreData& tyre : model.tyres) {
    const TyreState s = tyre_state(model, tyre, kinematics, memory);
    if (s.depth <= 0) continue;
    energy += 0.5 * tyre.stiffness * s.depth * s.depth;
    for (int k = 0; k < 2; ++k) energy += 0.5 * tread_stiffness(tyre, k) * s.shear[k] * s.shear[k];
  }
  return energy;
}

}  // namespace lipkin
