// The smallest mechanism that still shows something.
#pragma once

#include <functional>

#include "equivalence/mechanism.hpp"

namespace lipkin::test {

// Leaves out parts and makes numbers plain as long as `shows` holds.
Mechanism shrink(Mechanism mechanism, const std::function<bool(const Mechanism&)>& shows);

// What fitted together before an edit that moves bodies does so after it: ends of loops are put where they meet, ropes
// keep their slack, limits their distance, the ground its distance from the lowest shape.
void refit(const Mechanism& before, Mechanism& after);

// Whether nothing is violated at the start: limits, gears, prescribed positions.
bool is_consistent(const Mechanism& mechanism);

// What it is made of, in words, sorted: "friction, prescribed speed, revolute".
std::string features(const Mechanism& mechanism);

}  // namespace lipkin::test
