// Makes the direction of a gap exact where rims and curved walls take part: GJK stops at about 1e-5 there, since its
// simplices shrink to points.
#pragma once

#include "collision/separation.hpp"

namespace lipkin {

void sharpen(const CorePair& pair, Separation& s);

}  // namespace lipkin
