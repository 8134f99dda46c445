// Changes to a scene file before it is read: --set path=value.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/diagnostic_list.hpp"
#include "io/node.hpp"

namespace lipkin {

// Each override is a path and a value in YAML. A path is the name of a parameter, or leads through the file by keys,
// names of list items and positions in lists from 0: "length", "bodies.rod1.joint.damping", "gravity.2". The last key
// may be new. Mistakes go to the diagnostics, placed at "--set path=value".
void apply_overrides(Node& root, const std::vector<std::pair<std::string, std::string>>& overrides,
                     DiagnosticList& diagnostics);

}  // namespace lipkin
