// The equations of motion in local coordinates around the start of a step: y = (theta, u), dy/dt = (dexp⁻¹ u, du/dt).
// Runge-Kutta methods on it are Munthe-Kaas methods on the configuration manifold (docs/decisions/0003).
#pragma once

#include <vector>

#include "steppers/stepper.hpp"

namespace lipkin {

class LocalSystem {
 public:
  explicit LocalSystem(const ModelData& model);

  int size() const { return 2 * u_count_; }

  // Takes the state as centre, where theta = 0, and writes y there.
  void begin(const ModelData& model, const State& state, Workspace& work, double* y);

  // Moves the state to y around the centre, at time t.
  void place(const ModelData& model, double t, const double* y, State& state) const;

  // place(), then rate = dy/dt there.
  void evaluate(const ModelData& model, double t, const double* y, State& state, Workspace& work, double* rate) const;

  // The rate at the centre, where d theta/dt = u, of the state just given to begin(). The state keeps its bits: placing
  // it at theta = 0 would normalize its quaternions once more, and a run restored there would differ.
  void evaluate_centre(const ModelData& model, const State& state, Workspace& work, double* rate) const;

  // Back to the centre.
  void restore(double t, State& state) const;

  // Magnitude of what y measures at the centre, for error weights: |q|, one radian for rotations, |u|.
  void sizes(const ModelData& model, double* size) const;

 private:
  int u_count_;
  std::vector<double> q_, u_;
};

}  // namespace lipkin
