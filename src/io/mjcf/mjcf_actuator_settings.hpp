// What an actuator of MJCF does: force = gain * control + bias, through a transmission.
#pragma once

#include "io/mjcf/mjcf_model.hpp"

namespace lipkin {

// The shortcuts (<motor>, <position>, ...) are settings of one general actuator, in classes as well: each starts from
// what the classes around left and changes what it stands for.
struct MjcfActuator {
  std::string name, tag;
  bool has_fixed_gain = true;
  double gain = 1;
  bool has_affine_bias = false, has_known_bias = true;
  Eigen::Vector3d bias = Eigen::Vector3d::Zero();  // constant, per length, per velocity
  std::string dynamics = "none";
  double time_constant = 1;  // of its dynamics [s]
  double activation_lower = -kMjcfUnlimited, activation_upper = kMjcfUnlimited;
  double damping_ratio = 0;  // of a position servo; 0: `bias` says it
  std::array<double, 6> gear{1, 0, 0, 0, 0, 0};
  double control_lower = -kMjcfUnlimited, control_upper = kMjcfUnlimited;
  double force_lower = -kMjcfUnlimited, force_upper = kMjcfUnlimited;
  double damping = 0, armature = 0;  // of its own, before the gear
  double inherited_range = 0;        // of the control (intvelocity: of the activation), from that of the joint

  Eigen::Vector3d effective_bias() const { return has_affine_bias ? bias : Eigen::Vector3d::Zero().eval(); }
};

// The attributes that all actuators share come with their defaults in `element`.
struct MjcfActuatorElement {
  MjcfElement element;
  MjcfActuator settings;
};
MjcfActuatorElement read_mjcf_actuator(const ElementReader& reader, const MjcfModel& model);

}  // namespace lipkin
