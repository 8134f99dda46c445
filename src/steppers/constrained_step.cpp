#include "steppers/constrained_step.hpp"

#include "forces/evaluate_forces.hpp"
#include "steppers/free_spin.hpp"
#include "tree/kernels.hpp"

namespace lipkin {

void StateBackup::keep(const State& state) {
  t_ = state.t;
  q_ = state.q;
  u_ = state.u;
  closure_q_ = state.closure_q;
}

void StateBackup::restore(State& state) const {
  state.t = t_;
  state.q = q_;
  state.u = u_;
  state.closure_q = closure_q_;
}

void set_implicit_diag(const ModelData& model, double h, Workspace& work) {
  for (int j = 0; j < model.u_count; ++j)
    work.diag[j] = model.armature[j] + h * (model.damping[j] + h * model.stiffness[j]);
}

void velocities_without_impulses(const ModelData& model, double h, const State& state, Workspace& work,
                                 std::vector<double>& u) {
  evaluate_forces_there(model, state, h, work);
  kernels().acceleration(model.links.data(), static_cast<int>(model.links.size()), model.gravity, state.q.data(),
                         state.u.data(), work.tau.data(), work.has_external ? work.external.data() : nullptr,
                         work.tree(), work.du.data());
  u.resize(model.u_count);
  for (int j = 0; j < model.u_count; ++j) u[j] = state.u[j] + h * work.du[j];
  turn_free_bodies(model, h, state, u.data());
}

}  // namespace lipkin
