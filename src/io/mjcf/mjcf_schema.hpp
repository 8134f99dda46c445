// Which elements and attributes MJCF has, as far as misspelled ones must be told from those that are merely not used.
#pragma once

#include "io/diagnostic_list.hpp"
#include "io/xml/xml_document.hpp"

namespace lipkin {

// Every element and attribute below <mujoco> that MuJoCo does not know is a mistake; those that it knew once are
// warnings. What is only looked at (cameras, materials, ...) and what other tables define (sensors, flexes, plugins)
// may have any attributes.
void check_mjcf_words(const XmlElement& root, DiagnosticList& diagnostics);

}  // namespace lipkin
