#include "steppers/prescribed_step.hpp"

#include <algorithm>
#include <cmath>

#include "forces/actuators.hpp"
#include "model/bilateral_laws.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

// Of the acceleration's amplitude: by how much it may change in a step.
constexpr double kBend = 0.01;

// Where a step is looked at: not at equal distances, which a motion in step with them would pass unseen, and not at its
// end, where a table may have a knot.
constexpr double kLooks[] = {0, 0.25, 0.6, 0.95};
constexpr int kSpans = 3;

double velocity_ahead(const ModelData& model, const MotorData& motor, const State& state, double ahead,
                      Workspace& work) {
  return motor.kind == MotorKind::kVelocity ? acting_target_value(model, motor, state, ahead, work)
                                            : acting_target(model, motor, state, ahead, work).rate;
}

bool sees(const ModelData& model, const MotorData& motor, const State& state, double h, Workspace& work) {
  double last_v = 0, last_a = 0, fastest = 0, hardest = 0, jerk = 0;
  for (int k = 0; k <= kSpans; ++k) {
    const double v = velocity_ahead(model, motor, state, kLooks[k] * h, work);
    fastest = std::max(fastest, std::abs(v));
    if (k > 0) {
      const double a = (v - last_v) / ((kLooks[k] - kLooks[k - 1]) * h);
      hardest = std::max(hardest, std::abs(a));
      if (k > 1) jerk = std::max(jerk, std::abs(a - last_a) / (0.5 * (kLooks[k] - kLooks[k - 2]) * h));
      last_a = a;
    }
    last_v = v;
  }
  return bend(h, jerk, hardest, fastest, kLeastAmplitude * norm(model.gravity)) <= 1;
}

}  // namespace

double bend(double h, double jerk, double acceleration, double velocity, double least) {
  const double amplitude = std::sqrt(acceleration * acceleration + jerk * velocity);
  return jerk == 0 ? 0 : h * jerk / (kBend * std::max(amplitude, least));
}

double step_for_prescribed_motions(const ModelData& model, const State& state, double longest, double shortest,
                                   Workspace& work) {
  double h = longest;
  bool has_kinematics = false;
  for (const MotorData& motor : model.motors) {
    if (!is_prescribed(motor) || std::holds_alternative<double>(motor.target)) continue;
    if (!has_kinematics) update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
    has_kinematics = true;
    while (0.5 * h >= shortest && !sees(model, motor, state, h, work)) h *= 0.5;
  }
  return h;
}

}  // namespace lipkin
