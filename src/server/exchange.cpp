#include "server/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace lipkin {

namespace {

constexpr std::size_t kMostMessages = 4096;  // that wait for the simulation
constexpr std::size_t kMostPieceBytes = 256 << 10;
constexpr auto kComeBack = std::chrono::milliseconds(1);

}  // namespace

const std::string& LateText::whole() {
  make();
  return whole_;
}

const std::vector<SharedText>& LateText::pieces() {
  make();
  return pieces_;
}

void LateText::make() {
  if (!make_) return;
  whole_ = std::exchange(make_, nullptr)();
  if (whole_.size() <= kMostPieceBytes) return;
  std::vector<std::string_view> parts;
  for (std::string_view left = whole_; !left.empty(); left.remove_prefix(parts.back().size())) {
    std::size_t size = std::min(left.size(), kMostPieceBytes);
    while (size < left.size() && (left[size] & 0xC0) == 0x80) --size;  // not within a letter of UTF-8
    parts.push_back(left.substr(0, size));
  }
  for (std::size_t i = 0; i < parts.size(); ++i)
    pieces_.push_back(std::make_shared<const std::string>(fmt::format(
        R"({{"type":"piece","piece":{},"pieces":{},"text":{}}})", i, parts.size(), nlohmann::json(parts[i]).dump())));
  whole_ = {};
}

bool Exchange::post(Incoming message) {
  const bool may_be_refused = message.kind == Incoming::Kind::kText || message.kind == Incoming::Kind::kScene;
  {
    const std::lock_guard lock(mutex_);
    if (inbox_.size() >= kMostMessages && may_be_refused) return false;
    inbox_.push_back(std::move(message));
  }
  simulation_bell_.ring();
  return true;
}

void Exchange::stop() {
  stopping_ = true;
  simulation_bell_.ring();
}

Exchange::Delivery Exchange::take(std::string& frame) {
  Delivery delivery;
  const std::lock_guard lock(mutex_);
  delivery.texts.swap(outbox_);
  delivery.has_frame = std::exchange(has_frame_, false);
  if (delivery.has_frame) frame.swap(frame_between_);
  return delivery;
}

SharedText Exchange::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

RealTimeReport Exchange::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

void Exchange::fetch(std::deque<Incoming>& messages) {
  messages.clear();
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) messages.swap(inbox_);
  was_locked_out_ = was_locked_out_ || !lock.owns_lock();
}

void Exchange::set_status(std::string status, const RealTimeReport& report) {
  status_leaves_ = std::make_shared<const std::string>(std::move(status));
  report_leaves_ = report;
}

// Asleep, not in circles: who holds the lock may need this processor to let go of it.
void Exchange::wait_until(std::chrono::steady_clock::time_point time) {
  const bool comes_back = std::exchange(was_locked_out_, false);
  simulation_bell_.wait_until(comes_back ? std::min(time, std::chrono::steady_clock::now() + kComeBack) : time);
}

bool Exchange::deliver() {
  if (leaving_.empty() && !frame_leaves_ && !status_leaves_) return true;
  {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    was_locked_out_ = was_locked_out_ || !lock.owns_lock();
    if (!lock.owns_lock()) return false;
    outbox_.insert(outbox_.end(), std::make_move_iterator(leaving_.begin()), std::make_move_iterator(leaving_.end()));
    if (frame_leaves_) frame_.swap(frame_between_);
    has_frame_ = has_frame_ || frame_leaves_;
    if (status_leaves_) status_ = std::move(status_leaves_), report_ = report_leaves_;
  }
  leaving_.clear();
  frame_leaves_ = false;
  status_leaves_.reset();
  network_bell_.ring();
  return true;
}

}  // namespace lipkin
