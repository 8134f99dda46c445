// One <joint> or <freejoint>.
#pragma once

#include "io/mjcf/mjcf_model.hpp"

namespace lipkin {

// Position and axis as the file has them; nothing after a mistake.
std::optional<MjcfJoint> read_mjcf_joint(const MjcfElement& element, const MjcfCompiler& compiler);

// A range that counts if `limited` says so, or says nothing and there is one and the compiler sets limits by itself.
// Empty where there is none.
std::vector<double> read_limited_range(const MjcfElement& element, const char* range, const char* limited,
                                       bool has_auto_limits);

}  // namespace lipkin
