// The name a person most likely meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lipkin::cli {

// The known name nearest to a misspelled one; empty when none is near.
std::string nearest_name(std::string_view misspelled, const std::vector<std::string>& known);

// " (did you mean 'x'?)", or nothing.
std::string suggestion(std::string_view misspelled, const std::vector<std::string>& known);

// "a, b, c".
std::string joined(const std::vector<std::string>& names);

}  // namespace lipkin::cli
