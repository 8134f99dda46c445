// Wakes a thread that waits for the time or for somebody at the door. Ringing never waits, whoever holds what.
#pragma once

#include <chrono>

namespace lipkin {

class Doorbell {
 public:
  Doorbell();
  ~Doorbell();
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;

  void ring();
  // Until the time, or until somebody has rung since the last wait.
  void wait_until(std::chrono::steady_clock::time_point time);
  // Forgets what was rung: for one who waits for file() to be readable instead.
  void answer();
  int file() const { return file_; }

 private:
  int file_;
};

}  // namespace lipkin
