// Channels whose rate of change is known.
#pragma once

#include "model/channel.hpp"

namespace lipkin {

// Whether it is known how fast such a channel changes with time and along the velocities (forces/channel_rates.hpp):
// what is measured of time and poses, and what holds still over a step. Not so velocities, forces, controllers.
bool has_rate(ChannelKind kind);

}  // namespace lipkin
