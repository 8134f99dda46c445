#include "audit/drive_travel.hpp"

#include <cmath>

#include "model/tendon_path.hpp"

namespace lipkin {

namespace {

// Whoever keeps the clock may round it between two steps: the same time within this part of a step.
constexpr double kSameTime = 1e-6;

}  // namespace

DriveTravel::DriveTravel(const ModelData& model, const MotionAudit& motion) {
  for (const MotionAudit::Speed& speed : motion.speeds(model)) {
    if (!has_coordinate(model.motors[speed.motor].dof, model)) continue;
    travels_.push_back({});
    travels_.back().speed = speed;
  }
}

void DriveTravel::begin_step(const ModelData& model, const State& state) {
  for (Travel& t : travels_) {
    t.from = coordinate_of(model.motors[t.speed.motor].dof, model, state.q.data(), state.closure_q.data());
    t.goes_on = std::abs(state.t - t_) <= kSameTime * h_ && t.from == t.to;
    if (!t.goes_on) t.off = 0;
  }
}

void DriveTravel::end_step(const ModelData& model, const State& state, double h, bool ahead,
                           const MotorSignals::View& motors, AuditReport& report) {
  for (Travel& t : travels_) {
    const double aimed = motors.rate[t.speed.motor];
    t.to = coordinate_of(model.motors[t.speed.motor].dof, model, state.q.data(), state.closure_q.data());
    if (ahead || t.goes_on) t.off += t.to - t.from - h * (ahead ? aimed : t.rate);
    t.rate = aimed;
    (t.speed.is_length ? report.length : report.angle).take(std::abs(t.off), t.speed.item);
  }
  t_ = state.t, h_ = h;
}

}  // namespace lipkin
