// YAML text -> Node tree, within bounds on size and depth.
#pragma once

#include <cstddef>
#include <string>

#include "io/diagnostic_list.hpp"
#include "io/node.hpp"

namespace lipkin {

inline constexpr std::size_t kMaxYamlNodes = 2'000'000;  // aliases expanded
inline constexpr std::size_t kMaxYamlDepth = 32;

// The one document in `text`. Keys given twice go to `diagnostics`; throws InputError where the text is no YAML, holds
// nothing or several documents, or exceeds the bounds. `file` names it in messages.
Node parse_yaml(const std::string& text, const std::string& file, DiagnosticList& diagnostics);

}  // namespace lipkin
