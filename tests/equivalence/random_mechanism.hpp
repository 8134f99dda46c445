// Random small mechanisms: trees and loops with motors, friction, gears, limits, servos, springs and contacts.
#pragma once

#include <cstdint>

#include "equivalence/mechanism.hpp"

namespace lipkin::test {

// The same seed gives the same mechanism everywhere. Nothing in it contradicts itself: no motor works against another
// or against a limit, loops can move, and what is prescribed begins at the speed that the mechanism has.
Mechanism random_mechanism(std::uint64_t seed);

}  // namespace lipkin::test
