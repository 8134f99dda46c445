// Energy that comes from nowhere. Where nothing drives a mechanism, its energy only shrinks: what it gains all the
// same, steps have invented. Measured now and then from poses and velocities alone, by none of the code that makes
// steps.
#pragma once

#include <limits>

#include "lipkin/simulation.hpp"
#include "model/model_data.hpp"

namespace lipkin {

class EnergyWatch {
 public:
  static constexpr int kEvery = 64;  // steps between two looks

  EnergyWatch() = default;
  // Of a model that can only keep energy or lose it, or of one that is driven, where there is nothing to look for.
  explicit EnergyWatch(const ModelData& model) noexcept;

  // The state or the values of the model have changed otherwise than by steps, or something pushed: it counts anew.
  void start_anew() { *this = passive_ ? EnergyWatch(Passive()) : EnergyWatch(); }

  bool is_passive() const { return passive_; }
  void look(const ModelData& model, const State& state, const Energy& energy, Statistics& statistics);

 private:
  struct Passive {};
  explicit EnergyWatch(Passive) : passive_(true) {}

  static constexpr int kBlock = 8;  // looks
  static constexpr double kNothing = std::numeric_limits<double>::infinity();

  bool passive_ = false;
  double least_ = kNothing;         // since it counts [J]
  double least_before_ = kNothing;  // likewise, without the block of looks that is open
  double least_in_block_ = kNothing;
  int looks_ = 0;  // in the block
};

}  // namespace lipkin
