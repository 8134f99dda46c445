// Several engines on one task: the same answers first, then their speeds in turn.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine_process.hpp"
#include "options.hpp"

namespace lipkin::bench {

// Forward dynamics of two exact algorithms differ by rounding only; the worst seen here is 2e-12.
inline constexpr double kAccelerationTolerance = 1e-6;

// Explicit and implicit damping differ by up to 7e-6 on the chains and 6e-5 on the humanoid over the short motion of
// the check. Bullet without its damping differs by 5e-4 to 2e-3 and 0.1; one mass wrong by 1 % by 2e-4 or more.
inline constexpr double kMotionTolerance = 1e-4;

// Largest |a - b| in terms of the largest |b|.
double relative_difference(std::span<const double> a, std::span<const double> b);

// FNV-1a over the bits of the values, as 16 hexadecimal digits: equal results, equal hashes.
std::string hash_of(std::span<const double> values);

struct Speed {
  std::vector<double> rounds;  // [ns per state]
  double best() const;
  double median() const;
};

// An engine on one task. After a failure it takes no part in the rest.
class Competitor {
 public:
  Competitor(std::string name, EngineCommand command);

  void load(const TreeTask& task);

  // Starts a new process on the same task. Where a process's memory happens to lie changes its speed for as long as it
  // runs: by up to 8 % seen with MuJoCo, 3 % with Lipkin.
  void relaunch(const TreeTask& task);

  // Takes the short motion that is compared, in fine steps.
  void move(const TreeTask& task);

  // Estimates the error of that motion by halving its steps.
  void move_in_half_steps(const TreeTask& task);

  // Hashes the angles after the motion that is timed: long enough for every rounding to reach them.
  void take_fingerprint();

  // Compares accelerations and motion with the reference's and fails where they differ.
  void check_against(const Competitor& reference);

  void measure(Measure what, double seconds, Clock clock = Clock::kCpu);

  bool takes_part() const { return error_.empty() && description_.refusal.empty(); }
  const std::string& name() const { return description_.engine.empty() ? name_ : description_.engine; }
  const std::string& error() const { return error_; }
  const EngineDescription& description() const { return description_; }
  const Speed& speed(Measure what) const { return what == Measure::kStep ? step_ : forward_dynamics_; }

  // Largest relative difference to the reference, or for the reference itself its own residual: the equations of motion
  // at state 0, and the change of the short motion when its steps are halved.
  double residual(Measure what) const { return what == Measure::kStep ? motion_residual_ : acceleration_residual_; }
  // Of every acceleration, or of the timed motion's end; empty where no fingerprint was taken.
  std::string hash(Measure what) const;

 private:
  template <class Action>
  void attempt(Action&& action);

  std::string name_;
  EngineCommand command_;
  std::unique_ptr<EngineProcess> process_;
  EngineDescription description_;
  std::string error_;
  std::vector<double> motion_;  // joint angles relative to the start [rad]
  double acceleration_residual_ = 0;
  double motion_residual_ = 0;
  std::string motion_hash_;
  Speed forward_dynamics_, step_;
};

}  // namespace lipkin::bench
