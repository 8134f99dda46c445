// Rows between two links, beside each other: gamma = f_a · V_a + f_b · V_b per row, where f is what a unit
// impulse of the row does to the link: moment about L's origin and force, world axes.
#pragma once

#include "state/workspace.hpp"

namespace lipkin {

template <int lanes>
struct alignas(64) RowsBeside {
  static constexpr int kLanes = lanes;  // room for so many rows
  double f_a[6 * kLanes];               // component by component: moment x of every row, moment y, ..., force z
  double f_b[6 * kLanes];
  int link_a = 0, link_b = 0;
  int count = 0;

  void clear(int a, int b) {
    __builtin_memset(f_a, 0, sizeof f_a);
    __builtin_memset(f_b, 0, sizeof f_b);
    link_a = a;
    link_b = b;
    count = 0;
  }

  // A row whose rate is direction · (velocity of b at p_b - velocity of a at p_a); points in the world.
  void add_linear(const KinematicsWork& k, const Vec3<double>& direction, const Vec3<double>& p_a,
                  const Vec3<double>& p_b) {
    put(f_a, -cross(p_a - k.X_WL[link_a].p, direction), -direction);
    put(f_b, cross(p_b - k.X_WL[link_b].p, direction), direction);
    ++count;
  }

  // Three such rows, and no others so far; in place of clear().
  void set_linear(int a, int b, const KinematicsWork& k, const Vec3<double> (&direction)[3], const Vec3<double>& p_a,
                  const Vec3<double>& p_b) {
    link_a = a;
    link_b = b;
    count = 3;
    const Vec3<double> r_a = p_a - k.X_WL[a].p, r_b = p_b - k.X_WL[b].p;
    Vec3<double> moment_a[kLanes] = {}, moment_b[kLanes] = {}, force[kLanes] = {};
    for (int r = 0; r < 3; ++r) {
      moment_a[r] = cross(direction[r], r_a);
      moment_b[r] = cross(r_b, direction[r]);
      force[r] = direction[r];
    }
    for (int i = 0; i < 3; ++i) {
      for (int r = 0; r < kLanes; ++r) f_a[i * kLanes + r] = moment_a[r][i];
      for (int r = 0; r < kLanes; ++r) f_b[i * kLanes + r] = moment_b[r][i];
      for (int r = 0; r < kLanes; ++r) f_a[(3 + i) * kLanes + r] = -force[r][i];
      for (int r = 0; r < kLanes; ++r) f_b[(3 + i) * kLanes + r] = force[r][i];
    }
  }

  // A row whose rate is axis · (angular velocity of b - that of a).
  void add_angular(const Vec3<double>& axis) {
    put(f_a, -axis, Vec3<double>::zero());
    put(f_b, axis, Vec3<double>::zero());
    ++count;
  }

  // Adds s times an angular row to the last row (screws).
  void add_to_last(double s, const Vec3<double>& axis) {
    for (int k = 0; k < 3; ++k) {
      f_a[k * kLanes + count - 1] -= s * axis[k];
      f_b[k * kLanes + count - 1] += s * axis[k];
    }
  }

  void rates(const Motion<double>& V_a, const Motion<double>& V_b, double* gamma) const {
    for (int r = 0; r < count; ++r) gamma[r] = 0;
    for (int k = 0; k < 3; ++k)
      for (int r = 0; r < count; ++r)
        gamma[r] += f_a[k * kLanes + r] * V_a.w[k] + f_b[k * kLanes + r] * V_b.w[k] +
                    f_a[(3 + k) * kLanes + r] * V_a.v[k] + f_b[(3 + k) * kLanes + r] * V_b.v[k];
  }

 private:
  void put(double* f, const Vec3<double>& moment, const Vec3<double>& force) const {
    for (int k = 0; k < 3; ++k) {
      f[k * kLanes + count] = moment[k];
      f[(3 + k) * kLanes + count] = force[k];
    }
  }
};

using SpatialRows = RowsBeside<8>;  // any joint

}  // namespace lipkin
