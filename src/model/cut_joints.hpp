// Maximal coordinates: every body free, every joint cut into rows.
#pragma once

#include "lipkin/model.hpp"

namespace lipkin {

// The same mechanism with a free joint per body that a moving joint carried; that joint keeps its name and number and
// closes a loop instead. Bodies joined rigidly stay one. Free joints of the world are left alone.
Model cut_joints(const Model& model);

}  // namespace lipkin
