// The cone |s_1, s_2| <= s_0 of one to three values, for interior-point methods: how far a step may go, and the scaling
// of Nesterov and Todd in which a value s and its dual y look alike: W s = W⁻¹ y = v. Formulas: Vandenberghe, The
// CVXOPT linear and quadratic cone program solvers (2010), section 5; J = diag(1, -1, -1).
#pragma once

#include <algorithm>
#include <cmath>

namespace lipkin {

inline constexpr int kConeSizeMost = 3;

inline double cone_dot(const double* a, const double* b, int size) {
  double sum = 0;
  for (int k = 0; k < size; ++k) sum += a[k] * b[k];
  return sum;
}

// sᵀ J s: positive inside.
inline double cone_depth(const double* s, int size) {
  const double length = std::sqrt(cone_dot(s + 1, s + 1, size - 1));
  return (s[0] - length) * (s[0] + length);
}

// How far from s along d the boundary is; at most `most`.
inline double step_to_boundary(const double* s, const double* d, int size, double most) {
  if (size == 1) return d[0] < 0 ? std::min(most, -s[0] / d[0]) : most;
  const double a = cone_depth(d, size), b = s[0] * d[0] - cone_dot(s + 1, d + 1, size - 1), c = cone_depth(s, size);
  // The smallest positive root of a t² + 2 b t + c.
  const double root = b * b - a * c;
  if (root < 0 || (a >= 0 && b >= 0)) return most;
  const double t = c / (std::sqrt(root) - b);
  return t > 0 ? std::min(most, t) : most;
}

struct ConeScaling {
  int size = 0;
  double scale = 1;
  double w[kConeSizeMost] = {}, v[kConeSizeMost] = {};  // W = scale (2 v vᵀ - J), W² = scale² (2 w wᵀ - J)

  void set(const double* s, const double* y) {
    const double s_length = std::sqrt(cone_depth(s, size)), y_length = std::sqrt(cone_depth(y, size));
    scale = std::sqrt(y_length / s_length);
    const double half = 0.5 / std::sqrt(0.5 * (1 + cone_dot(s, y, size) / (s_length * y_length)));
    for (int k = 0; k < size; ++k) w[k] = half * (y[k] / y_length + sign(k) * s[k] / s_length);
    const double root = std::sqrt(2 * (w[0] + 1));
    for (int k = 0; k < size; ++k) v[k] = (w[k] + (k == 0 ? 1 : 0)) / root;
  }

  double square(int i, int j) const { return scale * scale * (2 * w[i] * w[j] - (i == j ? sign(i) : 0)); }

  void times_square(const double* x, double* out) const {
    const double sum = cone_dot(w, x, size);
    for (int k = 0; k < size; ++k) out[k] = scale * scale * (2 * w[k] * sum - sign(k) * x[k]);
  }

  void times(const double* x, double* out) const {
    const double sum = cone_dot(v, x, size);
    for (int k = 0; k < size; ++k) out[k] = scale * (2 * v[k] * sum - sign(k) * x[k]);
  }

  void divide(const double* x, double* out) const {
    const double sum = v[0] * x[0] - cone_dot(v + 1, x + 1, size - 1);
    for (int k = 0; k < size; ++k) out[k] = sign(k) * (2 * v[k] * sum - x[k]) / scale;
  }

  static double sign(int k) { return k == 0 ? 1 : -1; }
};

// x with a ∘ x = b in the cone's product a ∘ b = (aᵀ b, a_0 b_1 + b_0 a_1, ...).
inline void cone_quotient(const double* a, const double* b, int size, double* x) {
  x[0] = (a[0] * b[0] - cone_dot(a + 1, b + 1, size - 1)) / cone_depth(a, size);
  for (int k = 1; k < size; ++k) x[k] = (b[k] - x[0] * a[k]) / a[0];
}

inline void cone_product(const double* a, const double* b, int size, double* x) {
  x[0] = cone_dot(a, b, size);
  for (int k = 1; k < size; ++k) x[k] = a[0] * b[k] + b[0] * a[k];
}

}  // namespace lipkin
