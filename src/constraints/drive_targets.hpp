// What motors ask for, at the time that a stage of a step needs it: coordinates, rates and efforts.
#pragma once

#include <limits>

#include "constraints/constraint_options.hpp"

namespace lipkin {

class DriveTargets {
 public:
  explicit DriveTargets(const ModelData& model);

  const MotorTargets& values() const { return values_; }
  MotorTargets& values() { return values_; }
  bool any_prescribed() const { return has_prescribed_; }  // some motor prescribes its motion
  bool follow_poses() const { return follows_poses_; }     // and some such motion depends on where things are

  // A time `ahead` of the state.
  void evaluate(const ModelData& model, double ahead, const State& state, Workspace& work);

  // At a state that no step has led to: coordinates of prescribed speeds are wherever they are.
  void evaluate_anew(const ModelData& model, const State& state, Workspace& work);

  void measure_offsets(const ModelData& model, const State& state, Workspace& work, std::vector<double>& offsets) const;

  // In a step of h from the state.
  void aim(const ModelData& model, const ConstraintOptions& options, ContactTiming timing, double h, const State& state,
           Workspace& work);

  // Of prescribed motions, at the end of the step.
  void evaluate_at_end(const ModelData& model, const State& state, Workspace& work);

  // Prescribed speeds have no gap; prescribed positions none where the step that follows the velocities meets them:
  // their coordinates are those of the state.
  void have_no_gap(const ModelData& model, ContactTiming timing, const State& state);

  // What prescribed positions follow moves while gaps are closed, lengths of tendons and coordinates of loops too.
  // work.kinematics: poses of the state.
  void follow(const ModelData& model, State& state, Workspace& work);

 private:
  void evaluate_effort(const ModelData& model, double ahead, std::size_t motor, const State& state, Workspace& work);

  static constexpr double kNever = std::numeric_limits<double>::quiet_NaN();

  MotorTargets values_;
  std::vector<double> end_rate_;  // of prescribed positions, at the time aimed at
  double aimed_at_ = kNever;      // the end of the step that the values are those of [s]
  bool has_prescribed_ = false, follows_poses_ = false;
};

}  // namespace lipkin
