// A folder of its own below the system's temporary one, gone with all that is in it when this is.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "lipkin/error.hpp"

namespace lipkin {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "lipkin-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw Error("no folder can be made as " + pattern);
    path_ = std::filesystem::canonical(pattern);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace lipkin
