// A file that appears under its name only when it is complete.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace lipkin {

class AtomicFile {
 public:
  // Path "-" is standard output; devices and pipes are written to directly. Throws InputError when it cannot be opened.
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Throws Error naming the file and the system's reason.
  void write(std::string_view bytes);
  void commit();

 private:
  void open_beside_target();
  [[noreturn]] void fail_writing(int error_number);
  void discard();

  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty: written to directly
  std::FILE* file_ = nullptr;
  bool owns_file_ = true;  // false: standard output
};

}  // namespace lipkin
