#include "sim/energy_watch.hpp"

#include <algorithm>
#include <cmath>

#include "model/mechanism_size.hpp"

namespace lipkin {

namespace {

constexpr double kLeastSpeed = 1e-9;          // less is standing still [m/s]
constexpr double kRoundingOfEnergies = 1e-9;  // of the energies
// What is pushed out of where it begins is lifted, by this part of the mechanism's size.
constexpr double kLifted = 1e-3;
// Of what moves. Semi-implicit Euler keeps another energy, around which the real one swings, by a third with 20 steps
// in a swing (sim/gravity_warnings.cpp): less than kSwing is invented only where the least of many looks has risen.
constexpr double kVisiblePart = 0.1, kSwing = 0.5;

}  // namespace

EnergyWatch::EnergyWatch(const ModelData& model) noexcept
    : passive_(model.motors.empty() && model.actuators.empty() && model.body_forces.empty() &&
               model.controllers.empty()) {}

void EnergyWatch::look(const ModelData& model, const State& state, const Energy& energy, Statistics& statistics) {
  const double now = energy.total();
  if (!passive_ || !std::isfinite(now)) return;
  if (std::any_of(state.applied.begin(), state.applied.end(), [](double force) { return force != 0; }))
    return start_anew();
  double mass = 0;
  for (std::size_t i = 1; i < model.links.size(); ++i) mass += model.rigid_inertia[i].m;
  const double lifting = mass * norm(model.gravity) * kLifted * mechanism_size(model);
  const double rounding = kRoundingOfEnergies * (energy.kinetic + std::abs(energy.gravitational) + energy.elastic);
  const double nothing = mass * kLeastSpeed * kLeastSpeed;
  statistics.energy_at_rest = std::max(statistics.energy_at_rest, lifting + rounding + nothing);
  statistics.energy_moving = std::max(statistics.energy_moving, energy.kinetic);
  least_ = std::min(least_, now);
  least_in_block_ = std::min(least_in_block_, now);
  statistics.energy_swing = std::max(statistics.energy_swing, now - least_);
  if (++looks_ < kBlock) return;
  if (least_before_ < kNothing)
    statistics.energy_invented = std::max(statistics.energy_invented, least_in_block_ - least_before_);
  least_before_ = std::min(least_before_, least_in_block_);
  least_in_block_ = kNothing;
  looks_ = 0;
}

bool invents_energy(const Statistics& s) {
  return s.energy_invented > kVisiblePart * s.energy_moving + s.energy_at_rest ||
         s.energy_swing > kSwing * s.energy_moving + s.energy_at_rest;
}

}  // namespace lipkin
