// Makes the direction of a gap exact where rims and curved walls take part.
#pragma once

#include "collision/separation.hpp"

namespace lipkin {

// False where the result is not known to be exact: there may be no unique direction, or the start was too far off.
bool sharpen(const CorePair& pair, Separation& s);

}  // namespace lipkin
