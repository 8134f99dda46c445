// Reads a file that should hold text a person wrote.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lipkin {

inline constexpr std::size_t kMaxTextFileBytes = std::size_t{64} << 20;

// The whole file. Throws InputError, naming the file as `shown_name`, when it is missing, no regular file, unreadable,
// larger than kMaxTextFileBytes, or not UTF-8 text.
std::string read_text_file(const std::filesystem::path& path, const std::string& shown_name);

// The whole file, whatever it holds. Throws InputError, naming the file as `shown_name`, when it is missing, no regular
// file, unreadable or larger than `max_bytes`.
std::string read_file_bytes(const std::filesystem::path& path, const std::string& shown_name, std::size_t max_bytes);

// Length of the UTF-8 sequence at the beginning of `text`, which is not empty; 0 where it is none.
std::size_t utf8_length(std::string_view text);
struct ReadFile {
  std::filesystem::path path;
  std::string text;
};

// While it lives, every file that the functions above read on this thread is kept in a list.
class FileCollector {
 public:
  explicit FileCollector(std::vector<ReadFile>& files);
  ~FileCollector();
  FileCollector(const FileCollector&) = delete;
  FileCollector& operator=(const FileCollector&) = delete;
};

}  // namespace lipkin
