#include "server/doorbell.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "lipkin/error.hpp"

namespace lipkin {

Doorbell::Doorbell() : file_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (file_ < 0) throw Error(std::string("no event can be made: ") + std::strerror(errno));
}

Doorbell::~Doorbell() { ::close(file_); }

void Doorbell::ring() {
  const std::uint64_t one = 1;
  // The only failure is a full counter, which is rung too.
  [[maybe_unused]] const ssize_t written = ::write(file_, &one, sizeof one);
}

void Doorbell::answer() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t read = ::read(file_, &count, sizeof count);
}

void Doorbell::wait_until(std::chrono::steady_clock::time_point time) {
  constexpr std::int64_t kSecond = 1000000000;
  const auto left = std::chrono::nanoseconds(time - std::chrono::steady_clock::now()).count();
  if (left <= 0) return;
  const timespec timeout{left / kSecond, left % kSecond};
  pollfd door{file_, POLLIN, 0};
  if (::ppoll(&door, 1, &timeout, nullptr) > 0) answer();
}

}  // namespace lipkin
