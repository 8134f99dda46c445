#include "comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace lipkin::bench {
namespace {

constexpr double kMotionDuration = 0.01;  // [s]
constexpr int kMotionSteps = 500;

std::vector<double> flattened(const std::vector<std::vector<double>>& rows) {
  std::vector<double> values;
  for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
  return values;
}

std::vector<double> motion_from(const TreeState& start, EngineProcess& process, int steps) {
  std::vector<double> motion = process.move(kMotionDuration / steps, steps);
  for (std::size_t i = 0; i < motion.size(); ++i) motion[i] -= start.q[i];
  return motion;
}

}  // namespace

double relative_difference(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return INFINITY;
  double difference = 0, scale = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(a[i] - b[i]));
    scale = std::max(scale, std::abs(b[i]));
  }
  return scale > 0 ? difference / scale : difference;
}

std::string hash_of(std::span<const double> values) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const double value : values) {
    for (auto bits = std::bit_cast<std::uint64_t>(value), byte = 0ul; byte < 8; ++byte, bits >>= 8) {
      hash = (hash ^ (bits & 0xff)) * 0x100000001b3u;
    }
  }
  return fmt::format("{:016x}", hash);
}

double Speed::best() const { return rounds.empty() ? NAN : *std::ranges::min_element(rounds); }

double Speed::median() const {
  if (rounds.empty()) return NAN;
  std::vector<double> sorted = rounds;
  std::ranges::sort(sorted);
  return sorted[sorted.size() / 2];
}

Competitor::Competitor(std::string name, EngineCommand command)
    : name_(std::move(name)), command_(std::move(command)) {}

template <class Action>
void Competitor::attempt(Action&& action) {
  if (!takes_part()) return;
  try {
    action();
  } catch (const EngineError& error) {
    error_ = error.what();
  }
}

void Competitor::load(const TreeTask& task) {
  attempt([&] {
    process_ = std::make_unique<EngineProcess>(command_);
    description_ = process_->load(task);
    acceleration_residual_ = description_.residual;
  });
}

void Competitor::relaunch(const TreeTask& task) {
  attempt([&] {
    process_ = std::make_unique<EngineProcess>(command_);
    process_->load(task);
  });
}

void Competitor::move(const TreeTask& task) {
  attempt([&] { motion_ = motion_from(task.start, *process_, kMotionSteps); });
}

void Competitor::move_in_half_steps(const TreeTask& task) {
  attempt(
      [&] { motion_residual_ = relative_difference(motion_, motion_from(task.start, *process_, 2 * kMotionSteps)); });
}

void Competitor::take_fingerprint() {
  attempt([&] { motion_hash_ = hash_of(process_->move(kTimeStep, kStepsPerRun)); });
}

void Competitor::check_against(const Competitor& reference) {
  attempt([&] {
    acceleration_residual_ = 0;
    const auto& expected = reference.description_.accelerations;
    for (std::size_t state = 0; state < expected.size(); ++state) {
      const double difference = relative_difference(description_.accelerations.at(state), expected[state]);
      acceleration_residual_ = std::max(acceleration_residual_, difference);
    }
    motion_residual_ = relative_difference(motion_, reference.motion_);
    if (!(acceleration_residual_ <= kAccelerationTolerance)) {
      throw EngineError(fmt::format("accelerations differ from {}'s by {:.1e}, at most {:.0e} is rounding",
                                    reference.name(), acceleration_residual_, kAccelerationTolerance));
    }
    if (!(motion_residual_ <= kMotionTolerance)) {
      throw EngineError(fmt::format("the motion differs from {}'s by {:.1e}, at most {:.0e} is the way of stepping",
                                    reference.name(), motion_residual_, kMotionTolerance));
    }
  });
}

void Competitor::measure(Measure what, double seconds, Clock clock) {
  attempt([&] {
    Speed& speed = what == Measure::kStep ? step_ : forward_dynamics_;
    speed.rounds.push_back(process_->measure(what, seconds, clock) / description_.states_per_call);
  });
}

std::string Competitor::hash(Measure what) const {
  return what == Measure::kStep ? motion_hash_ : hash_of(flattened(description_.accelerations));
}

}  // namespace lipkin::bench
