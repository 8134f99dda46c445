#include "steppers/free_spin.hpp"

#include <Eigen/Dense>

namespace lipkin {

namespace {

constexpr int kIterationsMost = 8;
constexpr double kExact = 1e-15;  // of the spin

Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& w) {
  Eigen::Matrix3d m;
  m << 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0;
  return m;
}

// About the centre of mass c, along the link.
Eigen::Matrix3d central_inertia(const RigidInertia<double>& rigid, const Eigen::Vector3d& c) {
  Eigen::Matrix3d I;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) I(i, j) = rigid.J(i, j);
  return I - rigid.m * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
}

// The spin after h of the torque that an explicit step from w to `guess` implies; `guess` where Newton's method does
// not get there, which takes more than a radian per step.
Eigen::Vector3d midpoint_spin(const Eigen::Matrix3d& I, double h, const Eigen::Vector3d& w,
                              const Eigen::Vector3d& guess) {
  const Eigen::Vector3d push = I * (guess - w) + h * w.cross(I * w);
  Eigen::Vector3d after = guess;
  for (int i = 0; i < kIterationsMost; ++i) {
    const Eigen::Vector3d middle = 0.5 * (w + after), L = I * middle;
    const Eigen::Vector3d missing = push - I * (after - w) - h * middle.cross(L);
    const Eigen::Matrix3d slope = I + 0.5 * h * (cross_matrix(middle) * I - cross_matrix(L));
    const Eigen::Vector3d change = slope.inverse() * missing;
    after += change;
    if (change.norm() <= kExact * after.norm()) return after;
  }
  return (0.5 * (w + after)).norm() * h < 1 ? after : guess;
}

}  // namespace

void turn_free_bodies(const ModelData& model, double h, const State& state, double* u) {
  for (const int index : model.lone_links) {
    const Link& link = model.links[index];
    const RigidInertia<double>& rigid = model.rigid_inertia[index];
    const Eigen::Map<const Eigen::Vector3d> w(state.u.data() + link.u_index + 3);
    if (w.squaredNorm() == 0) continue;
    Eigen::Map<Eigen::Vector3d> v_after(u + link.u_index), w_after(u + link.u_index + 3);
    const Eigen::Vector3d c = Eigen::Vector3d(rigid.h[0], rigid.h[1], rigid.h[2]) / rigid.m;
    const Eigen::Vector3d spin = midpoint_spin(central_inertia(rigid, c), h, w, w_after);
    // The centre of mass moves as it did; the link's origin turns around it.
    const double* r = state.q.data() + link.q_index + 3;
    v_after -= Eigen::Quaterniond(r[0], r[1], r[2], r[3]) * (spin - w_after).cross(c);
    w_after = spin;
  }
}

}  // namespace lipkin
