// Changes to a scene file before it is read: --set path=value.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "io/diagnostic_list.hpp"
#include "io/node.hpp"

namespace lipkin {

// Each override is a path and a value in YAML. A path is the name of a parameter, or leads through the file by keys,
// names of list items and positions in lists from 0: "length", "bodies.rod1.joint.damping", "gravity.2". The last key
// may be new. Mistakes go to the diagnostics, placed at "--set path=value". Where the file includes others, names that
// it does not know may be parameters of these, with their prefixes; they are returned with their values.
std::map<std::string, Node> apply_overrides(Node& root,
                                            const std::vector<std::pair<std::string, std::string>>& overrides,
                                            DiagnosticList& diagnostics);

// A name that is neither a parameter of the scene nor of a file that it includes; `parameters`: those there are.
void report_unknown_parameter(const std::string& name, const SourceLocation& where, std::vector<std::string> parameters,
                              DiagnosticList& diagnostics);

}  // namespace lipkin
