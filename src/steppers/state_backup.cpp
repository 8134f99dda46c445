#include "steppers/state_backup.hpp"

namespace lipkin {

void StateBackup::keep(const State& state) {
  t = state.t;
  impulse_step = state.impulse_step;
  step_size = state.step_size;
  step_error = state.step_error;
  step_count = state.step_count;
  q = state.q;
  u = state.u;
  closure_q = state.closure_q;
  memory = state.memory;
  row_impulses = state.row_impulses;
  projection = state.projection;
  reactions = state.reactions;
  carried_impulses = state.carried_impulses;
  contacts = state.contacts;
  passed_limits = state.passed_limits;
}

void StateBackup::restore(State& state) const {
  state.t = t;
  state.impulse_step = impulse_step;
  state.step_size = step_size;
  state.step_error = step_error;
  state.step_count = step_count;
  state.q = q;
  state.u = u;
  state.closure_q = closure_q;
  state.memory = memory;
  state.row_impulses = row_impulses;
  state.projection = projection;
  state.reactions = reactions;
  state.carried_impulses = carried_impulses;
  state.contacts = contacts;
  state.passed_limits = passed_limits;
}

}  // namespace lipkin
