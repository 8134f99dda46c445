// Steps that are too long for what moves in them.
#pragma once

#include <vector>

#include "lipkin/error.hpp"
#include "lipkin/simulation.hpp"

namespace lipkin {

// Springs that a fixed step lets grow without bound, motors that turn by more than a radian in a step, swings and falls
// of which a step is a large part.
void warn_of_long_steps(const Simulation& simulation, std::vector<Diagnostic>& warnings);

// To one digit.
double rounded_down(double x);

}  // namespace lipkin
