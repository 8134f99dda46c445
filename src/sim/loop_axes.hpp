// The axis of a loop, or of a joint in it, that is not as those of the others are: why nothing in the loop moves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/model_data.hpp"

namespace lipkin {

struct OddAxis {
  std::string part;  // "loop 'pin'" or "joint 'rod'"
  SourceLocation where;
  std::string axis, others;  // as they are written in its frame: "z", "[0, 0.6, 0.8]"
};

// Joints of the tree that a loop goes through, as indices into ModelData::joints.
std::vector<int> joints_around(const ModelData& model, const ClosureData& closure);

// Where all that turns about an axis in a loop has the same, but for one.
std::optional<OddAxis> odd_axis_of(const ModelData& model, int closure, const std::vector<Transform<double>>& X_WL);

}  // namespace lipkin
