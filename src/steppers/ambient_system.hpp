// The equations of motion in one vector y = (q, u) for multistep methods, whose history must mean the same from step to
// step: quaternions are four plain numbers here, read as if they were normalized (docs/decisions/0008).
#pragma once

#include <vector>

#include "steppers/stepper.hpp"

namespace lipkin {

class AmbientSystem {
 public:
  explicit AmbientSystem(const ModelData& model) : q_count_(model.q_count), u_count_(model.u_count) {}

  int size() const { return q_count_ + u_count_; }

  void take(const ModelData& model, const State& state, Workspace& work, double* y) const;

  // Moves the state to y at time t, its quaternions unit.
  void place(const ModelData& model, double t, const double* y, State& state) const;

  // place(), then rate = dy/dt there.
  void evaluate(const ModelData& model, double t, const double* y, State& state, Workspace& work, double* rate) const;

  // Magnitude of what y measures, for error weights: |q|, 1 for the numbers of a quaternion, |u|.
  void sizes(const ModelData& model, const double* y, double* size) const;

  // theta: what a small change dq of q moves, per velocity; and back, for dq = T(q) theta.
  void to_local(const ModelData& model, const double* q, const double* dq, double* theta) const;
  void add_local(const ModelData& model, const double* q, double scale, const double* theta, double* dq) const;

 private:
  int q_count_, u_count_;
};

}  // namespace lipkin
