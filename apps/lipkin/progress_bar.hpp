// A line on the terminal that says how far a run is.
#pragma once

#include <chrono>

namespace lipkin::cli {

// Draws on stderr, and only when that is a terminal; removes itself.
class ProgressBar {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ProgressBar(double duration);  // simulated [s]
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Cheap unless it is time to draw again.
  void update(double simulated, Clock::time_point now) {
    if (now >= next_drawing_) draw(simulated, now);
  }

  void clear();

 private:
  void draw(double simulated, Clock::time_point now);

  double duration_;
  Clock::time_point start_;
  Clock::time_point next_drawing_;
  bool visible_ = false;
};

}  // namespace lipkin::cli
