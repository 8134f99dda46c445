#include "progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "text.hpp"

namespace lipkin::cli {
namespace {

constexpr int kBarWidth = 30;
constexpr std::chrono::milliseconds kFirstDrawing{300};  // short runs show nothing
constexpr std::chrono::milliseconds kInterval{100};

bool stderr_is_terminal() {
  const char* const terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

}  // namespace

ProgressBar::ProgressBar(double duration)
    : duration_(duration),
      start_(Clock::now()),
      next_drawing_(stderr_is_terminal() ? start_ + kFirstDrawing : Clock::time_point::max()) {}

void ProgressBar::clear() {
  if (visible_) fmt::print(stderr, "\r\033[K");
  visible_ = false;
}

void ProgressBar::draw(double simulated, Clock::time_point now) {
  const double fraction = std::clamp(simulated / duration_, 0.0, 1.0);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const auto filled = static_cast<std::size_t>(fraction * kBarWidth);
  const std::string bar = std::string(filled, '#') + std::string(kBarWidth - filled, '.');
  const std::string left = fraction > 0 ? duration_text(elapsed * (1 - fraction) / fraction) : "?";
  fmt::print(stderr, "\r[{}] {:3.0f} %  t = {:.4g} of {:.4g} s  {} x real time  {} left\033[K", bar, 100 * fraction,
             simulated, duration_, factor_text(simulated / elapsed), left);
  std::fflush(stderr);
  visible_ = true;
  next_drawing_ = now + kInterval;
}

}  // namespace lipkin::cli
