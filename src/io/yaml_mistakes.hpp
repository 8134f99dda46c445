// What is wrong with a text that is no YAML, in words for those who do not know its grammar.
#pragma once

#include <optional>
#include <string>

#include "lipkin/error.hpp"

namespace lipkin {

// The mistake behind what the parser says at a place: brackets and quotes left open are looked for in the text itself,
// since a parser sees them only far behind. Lines and columns count from 1.
InputError yaml_mistake(const std::string& text, const std::string& file, const std::string& parser_message, int line,
                        int column);

// A quote that is open at the end of a text that the parser took as it is, as yaml-cpp does.
std::optional<InputError> open_quote(const std::string& text, const std::string& file);

}  // namespace lipkin
