// How fast channels change along the velocities, and signals with them.
#pragma once

#include "lipkin/state.hpp"
#include "state/workspace.hpp"

namespace lipkin {

// d/dt of a channel that is a function of time and coordinates; needs the kinematics of the state. Zero for others:
// inputs and controllers hold still over a step, velocities and forces count as if they did.
double channel_rate(const ModelData& model, const State& state, const Workspace& work, const Channel& channel);

struct SignalMotion {
  double value = 0, rate = 0;
};

// A signal and its derivative a time `ahead` of the state, as far as the velocities of the state lead. Allocates
// nothing: uses work.slots and work.slot_rates.
SignalMotion signal_ahead(const ModelData& model, const State& state, double ahead, Workspace& work,
                          const SignalData& signal);

// The same value where nobody asks for the rate.
double signal_value_ahead(const ModelData& model, const State& state, double ahead, Workspace& work,
                          const SignalData& signal);

}  // namespace lipkin
