#include "record/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "lipkin/error.hpp"

namespace lipkin {
namespace {

constexpr int kMaxNameAttempts = 100;

[[noreturn]] void throw_cannot_open(const std::filesystem::path& path, int error_number) {
  throw InputError({path.string()}, fmt::format("cannot be written: {}", std::strerror(error_number)));
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  if (path_ == "-") {
    file_ = stdout;
    owns_file_ = false;
    return;
  }
  std::error_code ignored;
  const auto status = std::filesystem::status(path_, ignored);
  if (std::filesystem::is_directory(status)) throw_cannot_open(path_, EISDIR);
  const bool replaceable = !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
  if (replaceable) {
    open_beside_target();
  } else {
    file_ = std::fopen(path_.c_str(), "w");
    if (file_ == nullptr) throw_cannot_open(path_, errno);
  }
}

AtomicFile::~AtomicFile() { discard(); }

// Created exclusively, so that neither another run nor an older file is overwritten.
void AtomicFile::open_beside_target() {
  for (int attempt = 0; attempt < kMaxNameAttempts; ++attempt) {
    temporary_ = path_.parent_path() / fmt::format(".{}.{}-{}.part", path_.filename().string(), getpid(), attempt);
    const int descriptor = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      file_ = ::fdopen(descriptor, "w");
      return;
    }
    if (errno != EEXIST) break;
  }
  throw_cannot_open(path_, errno);
}

void AtomicFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail_writing(errno);
}

void AtomicFile::commit() {
  if (!owns_file_) {
    if (std::fflush(file_) != 0) fail_writing(errno);
    return;
  }
  std::FILE* const file = std::exchange(file_, nullptr);
  const bool flushed = std::fclose(file) == 0;
  if (!flushed) fail_writing(errno);
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail_writing(errno);
  temporary_.clear();
}

void AtomicFile::fail_writing(int error_number) {
  discard();
  throw Error(fmt::format("{}: error: cannot be written completely: {}", path_.string(), std::strerror(error_number)));
}

void AtomicFile::discard() {
  if (std::FILE* const file = std::exchange(file_, nullptr); file != nullptr && owns_file_) std::fclose(file);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

}  // namespace lipkin
