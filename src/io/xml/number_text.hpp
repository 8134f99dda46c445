// Numbers as files write them, the same in every locale.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lipkin {

// The words of a text, separated by white space.
std::vector<std::string_view> words_of(std::string_view text);

// Reads a decimal number, 'inf' and 'nan' included. Returns what is wrong with the word, ready for a message; empty:
// nothing. Too small numbers are zero.
std::string read_number(std::string_view word, double& value);

}  // namespace lipkin
