// What a step changes in a state, kept so that a step which is refused leaves nothing behind.
#pragma once

#include "lipkin/state.hpp"

namespace lipkin {

// Pushes, drags, edits and what is set from outside change between steps only. Keeping allocates nothing once a state
// of the same size was kept.
struct StateBackup {
  double t = 0, impulse_step = 0, step_size = 0, step_error = 0;
  std::uint64_t step_count = 0;
  std::vector<double> q, u, closure_q, memory, row_impulses, projection, reactions, carried_impulses;
  std::vector<ContactMemory> contacts;
  bool has_rows = true, has_contacts = true;
  std::vector<PassedLimit> passed_limits;

  // with_rows: what belongs to rows, loops and tendons; without, there are none. Contacts are many: whoever has them
  // elsewhere keeps none here, and puts them back by himself.
  void keep(const State& state, bool with_rows = true, bool with_contacts = true);
  void restore(State& state) const;
};

}  // namespace lipkin
