// Random numbers that are the same on every machine and in every library.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstdint>
#include <random>

namespace lipkin::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // The distributions of <random> differ between libraries; the engine does not.
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  int integer(int low, int high) {  // both included
    return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(double probability) { return uniform(0, 1) < probability; }

  Eigen::Vector3d vector(double size) {
    Eigen::Vector3d v;
    for (int k = 0; k < 3; ++k) v[k] = uniform(-size, size);
    return v;
  }
  Eigen::VectorXd values(Eigen::Index count, double size) {
    Eigen::VectorXd v(count);
    for (Eigen::Index k = 0; k < count; ++k) v[k] = uniform(-size, size);
    return v;
  }
  Eigen::Vector3d unit_vector() {
    for (;;) {
      const Eigen::Vector3d v = vector(1);
      if (v.norm() > 0.1 && v.norm() < 1) return v.normalized();
    }
  }
  // Evenly over all orientations.
  Eigen::Quaterniond quaternion() {
    for (;;) {
      Eigen::Vector4d v;
      for (int k = 0; k < 4; ++k) v[k] = uniform(-1, 1);
      if (v.norm() > 0.1 && v.norm() < 1) return Eigen::Quaterniond(v[0], v[1], v[2], v[3]).normalized();
    }
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace lipkin::test
