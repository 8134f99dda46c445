// How fast channels change along the velocities, and signals with them.
#pragma once

#include <optional>

#include "lipkin/state.hpp"
#include "state/workspace.hpp"

namespace lipkin {

// d/dt of a channel that is a function of time and coordinates, or holds still over a step, as inputs do; needs the
// kinematics of the state. Nothing where it is not known: see has_rate().
std::optional<double> channel_rate(const ModelData& model, const State& state, const Workspace& work,
                                   const Channel& channel);

struct SignalMotion {
  double value = 0, rate = 0;
};

// A signal and its derivative (of what has no known rate as if it held still: servos and motors with a max_force may
// follow that, prescribed positions may not) a time `ahead` of the state, as far as the velocities of the state lead.
// Allocates nothing: uses work.slots and work.slot_rates.
SignalMotion signal_ahead(const ModelData& model, const State& state, double ahead, Workspace& work,
                          const SignalData& signal);

// The same value where nobody asks for the rate.
double signal_value_ahead(const ModelData& model, const State& state, double ahead, Workspace& work,
                          const SignalData& signal);

}  // namespace lipkin
