// The bytes of an XML file as UTF-8 text with '\n' line ends, checked before anything is built from them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "io/diagnostic_list.hpp"

namespace lipkin {

// Far above real robots (a few MB, 20,000 elements), low enough that what is built from them stays below 256 MiB.
inline constexpr std::size_t kMaxXmlBytes = std::size_t{32} << 20;
inline constexpr std::size_t kMaxXmlElements = 100'000;
inline constexpr std::size_t kMaxXmlAttributes = 2000;  // of one element: looking for repeated ones takes their square

inline constexpr int kMaxXmlDepth = 100;                // of the parser
inline constexpr std::size_t kHopelessXmlDepth = 1000;  // seen before it parses

std::string too_deep_message();

// The whole file. Throws InputError, naming the file as `shown_name`, when it is missing, unreadable or larger than
// kMaxXmlBytes.
std::string read_xml_bytes(const std::filesystem::path& path, const std::string& shown_name);

// UTF-8 (also where it says nothing) and ISO-8859-1 are understood; single bytes that are no UTF-8 are replaced, with a
// warning. Throws InputError for UTF-16 and other encodings, NUL bytes, a DOCTYPE, and more than
// kMaxXmlElements elements or kMaxXmlAttributes of one.
std::string decode_xml(std::string bytes, const std::string& shown_name, DiagnosticList& diagnostics);

}  // namespace lipkin
