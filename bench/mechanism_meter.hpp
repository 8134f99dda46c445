// How exact a motion of a plane mechanism is, told from the motion of its rods alone: the same for every engine.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "planar_mechanism.hpp"

namespace lipkin::bench {

class MechanismMeter {
 public:
  explicit MechanismMeter(const PlanarMechanism& mechanism);

  void observe(double t, std::span<const RodState> rods);

  // Kinetic and potential [J].
  double energy(std::span<const RodState> rods) const;

  // Adds gap_m (worst distance of two points that a pin joins), drift_J (largest change of the energy), and for the
  // linkage off_line_m (worst distance of D to its line), for the chain tip_error_m (at 1 s), rest_s (slower than
  // 1e-3 rad/s from then on), still_s (slower than 1e-9 rad/s) and end_rate. Times are -1 where it never rests.
  void report(nlohmann::json& reply) const;

 private:
  double gap_of(const Pin& pin, std::span<const RodState> rods) const;
  void observe_linkage(std::span<const RodState> rods);
  void observe_chain(double t, std::span<const RodState> rods);

  const PlanarMechanism& mechanism_;
  double gap_ = 0, off_line_ = 0, tip_error_ = -1, drift_ = 0;
  double energy_ = 0;  // at the start
  double rest_ = -1, still_ = -1, end_rate_ = 0;
  bool began_ = false;
};

}  // namespace lipkin::bench
