#include "io/text_file.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string_view>
#include <system_error>

#include "lipkin/error.hpp"

namespace lipkin {
namespace {

SourceLocation position_of(const std::string& file, std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line_begin = before.rfind('\n') + 1;  // npos + 1 = 0: the first line
  return {file, static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<int>(offset - line_begin) + 1};
}

bool is_text_character(char c) {
  return static_cast<std::uint8_t>(c) >= 0x20 ? c != 0x7F : c == '\n' || c == '\r' || c == '\t';
}

void require_text(const std::string& text, const std::string& shown_name) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = is_text_character(text[i]) ? utf8_length(std::string_view(text).substr(i)) : 0;
    if (length == 0) throw InputError(position_of(shown_name, text, i), "not a text file: expected UTF-8 text");
    i += length;
  }
}

thread_local std::vector<ReadFile>* collected = nullptr;

}  // namespace

// RFC 3629, section 4: no overlong forms, no surrogates, nothing beyond U+10FFFF.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool surrogate = first == 0xED && byte(1) > 0x9F;
  const bool too_large = first == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

FileCollector::FileCollector(std::vector<ReadFile>& files) { collected = &files; }
FileCollector::~FileCollector() { collected = nullptr; }

std::string read_file_bytes(const std::filesystem::path& path, const std::string& shown_name, std::size_t max_bytes) {
  const SourceLocation where{shown_name};
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) throw InputError(where, "there is no such file");
  if (std::filesystem::is_directory(status)) throw InputError(where, "this is a folder: expected a file");
  if (!std::filesystem::is_regular_file(status)) throw InputError(where, "this is not a regular file");
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && size > max_bytes)
    throw InputError(where, "the file is larger than " + std::to_string(max_bytes >> 20) + " MiB");
  std::ifstream stream(path, std::ios::binary);
  std::string bytes(error ? 0 : static_cast<std::size_t>(size), '\0');
  if (error || !stream || !stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    throw InputError(where, "the file cannot be read");
  if (collected) collected->push_back({path, bytes});
  return bytes;
}

std::string read_text_file(const std::filesystem::path& path, const std::string& shown_name) {
  std::string text = read_file_bytes(path, shown_name, kMaxTextFileBytes);
  require_text(text, shown_name);
  return text;
}

}  // namespace lipkin
