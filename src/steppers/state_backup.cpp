#include "steppers/state_backup.hpp"

#include <algorithm>

namespace lipkin {

namespace {

// Most lists of most states are empty or short: calls would cost more than what they copy.
template <class T>
inline void keep_items(const std::vector<T>& items, std::vector<T>& kept) {
  if (items.size() != kept.size()) {
    kept = items;
  } else if (!items.empty()) {
    std::copy(items.begin(), items.end(), kept.begin());
  }
}

}  // namespace

void StateBackup::keep(const State& state, bool with_rows, bool with_contacts) {
  t = state.t;
  impulse_step = state.impulse_step;
  step_size = state.step_size;
  step_error = state.step_error;
  step_count = state.step_count;
  keep_items(state.q, q);
  keep_items(state.u, u);
  keep_items(state.memory, memory);
  has_rows = with_rows;
  if (with_rows) {
    keep_items(state.closure_q, closure_q);
    keep_items(state.row_impulses, row_impulses);
    keep_items(state.projection, projection);
    keep_items(state.reactions, reactions);
    keep_items(state.carried_impulses, carried_impulses);
    keep_items(state.passed_limits, passed_limits);
  }
  has_contacts = with_contacts;
  if (with_contacts) keep_items(state.contacts, contacts);
}

void StateBackup::restore(State& state) const {
  state.t = t;
  state.impulse_step = impulse_step;
  state.step_size = step_size;
  state.step_error = step_error;
  state.step_count = step_count;
  state.q = q;
  state.u = u;
  state.memory = memory;
  if (has_rows) {
    state.closure_q = closure_q;
    state.row_impulses = row_impulses;
    state.projection = projection;
    state.reactions = reactions;
    state.carried_impulses = carried_impulses;
    state.passed_limits = passed_limits;
  }
  if (has_contacts) state.contacts = contacts;
}

}  // namespace lipkin
