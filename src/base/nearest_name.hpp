// The known name a person most likely meant, for the hints in error messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lipkin {

// The name of `known` closest to `wanted` by edit distance (insert, delete, replace, swap neighbours; upper and lower
// case alike); empty when none is close enough to be a slip of the keyboard.
std::string nearest_name(std::string_view wanted, std::span<const std::string> known);

// "did you mean 'NAME'?" with the nearest name, or empty: a Diagnostic's hint.
std::string did_you_mean(std::string_view wanted, std::span<const std::string> known);

}  // namespace lipkin
