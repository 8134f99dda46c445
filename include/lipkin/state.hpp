// Everything that decides the future of a simulation.
#pragma once

#include <cstdint>
#include <vector>

#include "lipkin/model.hpp"

namespace lipkin {

struct State {
  double t = 0;                 // [s]
  std::vector<double> q;        // coordinates, see JointType; size q_count
  std::vector<double> u;        // velocities; size u_count
  std::vector<double> control;  // actuator commands set from outside; NaN: the actuator follows its own signal
  double step_size = 0;         // what an adaptive stepper will try next; 0: it chooses [s]
  std::uint64_t step_count = 0;
};

// The model's initial state.
State initial_state(const Model& model);

// 64-bit hash of every bit of the state: equal states, equal hashes.
std::uint64_t state_hash(const State& state);

// 16 hexadecimal digits, as printed by the program.
std::string hash_text(std::uint64_t hash);

}  // namespace lipkin
