#include "steppers/state_stamp.hpp"

#include <cstring>

namespace lipkin {

namespace {

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

}  // namespace

StateStamp::StateStamp(const ModelData& model)
    : q_(model.q_count),
      u_(model.u_count),
      applied_(model.u_count),
      control_(model.controls.size()),
      inputs_(model.inputs.size()),
      memory_(model.memory_count) {}

bool StateStamp::matches(const State& state) const {
  return known_ && state.t == t_ && same(state.q, q_) && same(state.u, u_) && same(state.applied, applied_) &&
         same(state.control, control_) && same(state.inputs, inputs_) && same(state.memory, memory_);
}

void StateStamp::remember(const State& state) {
  known_ = true;
  t_ = state.t;
  q_ = state.q;
  u_ = state.u;
  applied_ = state.applied;
  control_ = state.control;
  inputs_ = state.inputs;
  memory_ = state.memory;
}

}  // namespace lipkin
