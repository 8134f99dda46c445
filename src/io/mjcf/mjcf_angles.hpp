// Angles in radians where the file does not say so: MJCF takes degrees then.
#pragma once

#include "io/mjcf/mjcf_model.hpp"

namespace lipkin {

// Warns once of a model whose hinges all stay within a turn if their angles are read as radians, and not all on whole
// degrees.
void warn_of_radians(const MjcfModel& model, DiagnosticList& diagnostics);

}  // namespace lipkin
