// What motors ask for, read from their signals by the audit itself, at the times that a step says.
#pragma once

#include <vector>

#include "lipkin/state.hpp"
#include "state/workspace.hpp"

namespace lipkin {

// Whether a motor gives its motion to the coordinate, by what the scene asks of it. The audit's own word
// (model/bilateral_laws.hpp has the program's): a motor that the steps took for another kind would not be held, and
// with one word for both it would not be missed.
bool prescribes(const MotorData& motor);

class MotorSignals {
 public:
  explicit MotorSignals(const ModelData& model);

  // What motors ask for, one value per motor of the model: its coordinate, its rate, the part of max_force.
  struct View {
    const double *value, *rate, *effort;
  };

  // Before a solve of h: what its velocities are to meet. ahead: the positions follow them, so that coordinates are met
  // at the end of the step; otherwise they came first. A limited motor's value is where it is to be a step later: its
  // target at that time, or where there is a settling time, on the way there from here (a speed: its rate); a
  // servo's rate that of its target.
  struct Aim {
    bool ahead;
    double settling_time = 0;  // [s]
  };
  void read_aim(const ModelData& model, const State& state, double h, const Aim& aim, Workspace& work);
  View aim() const { return {value_.data(), rate_.data(), effort_.data()}; }

  // Prescribed motions at the time of the state; the kinematics of work belong to it. Speeds that follow what is known
  // only once the step is over (velocities, forces, controllers) ask for what they did in the solve.
  void read_here(const ModelData& model, const State& state, Workspace& work);
  View here() const { return {here_value_.data(), here_rate_.data(), effort_.data()}; }
  bool needs_kinematics() const { return needs_kinematics_; }  // to be read here

 private:
  enum class Is : char { kLimited, kPosition, kSpeed, kLaggingSpeed };
  std::vector<Is> is_;
  bool needs_kinematics_ = false;
  std::vector<double> value_, rate_, effort_, here_value_, here_rate_;
};

}  // namespace lipkin
