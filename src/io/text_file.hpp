// Reads a file that should hold text a person wrote.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace lipkin {

inline constexpr std::size_t kMaxTextFileBytes = std::size_t{64} << 20;

// The whole file. Throws InputError, naming the file as `shown_name`, when it is missing, no regular file, unreadable,
// larger than kMaxTextFileBytes, or not UTF-8 text.
std::string read_text_file(const std::filesystem::path& path, const std::string& shown_name);

}  // namespace lipkin
