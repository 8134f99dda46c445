#include "mechanism_meter.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>

namespace lipkin::bench {
namespace {

constexpr double kLine = 0.525;                // x of the linkage's straight line [m]
constexpr Point kTip{-1.55658, -1.23918};      // of the chain at 1 s (SCENES.md, extrapolated) [m]
constexpr double kSlow = 1e-3, kStill = 1e-9;  // [rad/s]

// Keeps the time since when the rate has been below `limit`.
void keep_since(double& since, double t, double rate, double limit) {
  if (!(rate < limit)) {
    since = -1;
  } else if (since < 0) {
    since = t;
  }
}

}  // namespace

MechanismMeter::MechanismMeter(const PlanarMechanism& mechanism) : mechanism_(mechanism) {}

double MechanismMeter::gap_of(const Pin& pin, std::span<const RodState> rods) const {
  const auto b = rods[static_cast<std::size_t>(pin.b)].point(pin.at_b);
  if (pin.slides) return std::hypot(b[1] - pin.ground[1], b[2]);
  const auto a =
      pin.a < 0 ? std::array{pin.ground[0], pin.ground[1], 0.0} : rods[static_cast<std::size_t>(pin.a)].point(pin.at_a);
  return std::hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
}

double MechanismMeter::energy(std::span<const RodState> rods) const {
  double energy = 0;
  for (std::size_t i = 0; i < rods.size(); ++i) {
    const Rod& rod = mechanism_.rods[i];
    const auto& v = rods[i].velocity;
    energy += rod.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2 +
              rod.inertia() * rods[i].rate * rods[i].rate / 2 + rod.mass * kPlaneGravity * rods[i].com[1];
  }
  return energy;
}

void MechanismMeter::observe(double t, std::span<const RodState> rods) {
  for (const Pin& pin : mechanism_.pins) gap_ = std::max(gap_, gap_of(pin, rods));
  const double now = energy(rods);
  if (!began_) energy_ = now;
  began_ = true;
  drift_ = std::max(drift_, std::abs(now - energy_));
  if (mechanism_.name == "peaucellier") observe_linkage(rods);
  if (mechanism_.name == "five-link-chain") observe_chain(t, rods);
}

// D is the second end of the last two rods.
void MechanismMeter::observe_linkage(std::span<const RodState> rods) {
  for (std::size_t i = rods.size() - 2; i < rods.size(); ++i) {
    off_line_ = std::max(off_line_, std::abs(rods[i].point(mechanism_.rods[i].length / 2)[0] - kLine));
  }
}

void MechanismMeter::observe_chain(double t, std::span<const RodState> rods) {
  end_rate_ = 0;
  for (const RodState& rod : rods) end_rate_ = std::max(end_rate_, std::abs(rod.rate));
  keep_since(rest_, t, end_rate_, kSlow);
  keep_since(still_, t, end_rate_, kStill);
  if (std::abs(t - 1) > 1e-9) return;
  const auto tip = rods.back().point(mechanism_.rods.back().length / 2);
  tip_error_ = std::hypot(tip[0] - kTip[0], tip[1] - kTip[1]);
}

void MechanismMeter::report(nlohmann::json& reply) const {
  reply["gap_m"] = gap_;
  reply["drift_J"] = drift_;
  if (mechanism_.name == "peaucellier") reply["off_line_m"] = off_line_;
  if (mechanism_.name != "five-link-chain") return;
  reply["tip_error_m"] = tip_error_;
  reply["rest_s"] = rest_;
  reply["still_s"] = still_;
  reply["end_rate"] = end_rate_;
}

}  // namespace lipkin::bench
