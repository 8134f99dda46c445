// Forces, torques and motions that a person puts onto a running model: parts of it with a law in time.
#pragma once

#include <optional>
#include <string>

#include "lipkin/model_builder.hpp"
#include "session/arguments.hpp"

namespace lipkin {

struct ModelParts;

// Times closer than this are the same: far below a step, far above the rounding of a clock that ran for days [s].
inline constexpr double kSameTime = 1e-9;

enum class TimeLawKind { kConstant, kRamp, kSine, kExpression };

// A factor over the time s since the start [s].
struct TimeLaw {
  TimeLawKind kind = TimeLawKind::kConstant;
  double rise = 0;         // ramp: from 0 to 1 in this time [s]
  double frequency = 0;    // sine [Hz]
  double phase = 0;        // sine [rad]
  std::string expression;  // of s and the variables of the model
};

enum class IconKind { kForce, kTorque, kMotion };

struct Icon {
  std::string name;
  IconKind kind = IconKind::kForce;
  std::string body;                                  // forces, torques
  Eigen::Vector3d point = Eigen::Vector3d::Zero();   // in the body frame [m]
  Eigen::Vector3d vector = Eigen::Vector3d::Zero();  // [N] or [N m]
  ForceFrame frame = ForceFrame::kWorld;
  std::string joint;  // motions
  int dof = 0;
  MotorKind motion = MotorKind::kVelocity;
  double value = 0;                 // [rad/s] or [m/s]; [rad] or [m] away from `origin`
  std::optional<double> max_force;  // [N m] or [N]; none: prescribed
  TimeLaw law;
  double start = 0;                // [s]
  std::optional<double> duration;  // [s]; none: for ever
  std::string style = "push";      // how it is drawn
  bool active = false;             // motions: the motor is part of the model
  double origin = 0;               // position motions: the coordinate at the start

  double end() const;  // [s]
};

// The arguments of apply_*; `now`: the default start.
Icon read_icon(IconKind kind, Arguments& arguments, double now);

// What is given of the arguments of edit_icon.
void edit_icon(Arguments& arguments, Icon& icon);

Json icon_json(const Icon& icon);

// The factor as an expression of time, zero outside the icon's time.
std::string factor_expression(const Icon& icon);

// Puts the icon into the model's parts; a motion only while it is active.
void add_icon(const Icon& icon, ModelParts& parts);

}  // namespace lipkin
