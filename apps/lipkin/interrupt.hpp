// Ctrl-C as a question a loop can ask.
#pragma once

#include <csignal>

namespace lipkin::cli {

// While it lives, SIGINT and SIGTERM only set a flag; a second one ends the process as usual.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  static bool requested();

 private:
  struct sigaction old_interrupt_, old_terminate_;
};

}  // namespace lipkin::cli
