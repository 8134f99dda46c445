// Why attributes that no reader asks for are ignored.
#pragma once

#include "io/xml/xml_document.hpp"
#include "lipkin/import.hpp"

namespace lipkin {

// Adds the attributes that have not been read and that this table knows to the report, with the reason.
void note_reasons(const XmlElement& root, ImportReport& report);

}  // namespace lipkin
