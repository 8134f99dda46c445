#include "audit/step_audit.hpp"

#include "tree/kernels.hpp"

namespace lipkin {

StepAudit::StepAudit(const ModelData& model)
    : motion_(model), laws_(model), has_contacts_(!model.contact_shapes.empty()), V_(model.links.size()) {}

const Motion<double>* StepAudit::velocities(const ModelData& model, const KinematicsWork& kinematics, const double* u) {
  kernels().link_velocities(model.links.data(), static_cast<int>(model.links.size()), kinematics.X_WL.data(),
                            kinematics.S_W.data(), u, V_.data());
  return V_.data();
}

void StepAudit::check_solve(const ModelData& model, const KinematicsWork& kinematics, const State& state,
                            const double* u, double h, bool ahead, bool contacts, bool rates,
                            const MotionAudit::Targets& targets, const double* effort) {
  const Transform<double>* X_WL = kinematics.X_WL.data();
  contacts = contacts && has_contacts_;
  const bool looks_at_links = contacts || (rates && !motion_.empty()) || laws_.needs_link_velocities();
  const Motion<double>* V_WL = looks_at_links ? velocities(model, kinematics, u) : nullptr;
  const LawAudit::Solved solved = {X_WL, V_WL, state, u, h, ahead, targets, effort};
  laws_.measure(model, solved, report_);
  if (contacts) laws_.measure_contacts(model, solved, report_);
  if (!rates) return;
  AuditReport at_solve;
  motion_.measure_rates(model, X_WL, V_WL, state.q.data(), u, targets, at_solve);
  report_.solved_speed.take(at_solve.speed);
  report_.solved_turn_rate.take(at_solve.turn_rate);
}

void StepAudit::check_end(const ModelData& model, const KinematicsWork& kinematics, bool velocities_fit,
                          const State& state, double h, bool ahead, const MotionAudit::Targets& targets) {
  if (motion_.empty()) return;
  const Motion<double>* V_WL = velocities_fit ? kinematics.V_WL.data() : velocities(model, kinematics, state.u.data());
  motion_.measure(model, kinematics, V_WL, state, targets, h, ahead, report_);
}

Excess worst_excess(const AuditReport& report, const TolerableViolation& tolerable) {
  Excess worst;
  const auto consider = [&](const Worst& found, double tolerated, const char* unit, const char* what) {
    const double times = found.value / tolerated;
    if (std::isnan(worst.times) || times <= worst.times) return;
    worst = {times, found.value, tolerated, found.item, unit, what, Excess::Of::kMotion};
  };
  if (tolerable.gaps) {
    consider(report.length, tolerable.length, "m", "is off by");
    consider(report.angle, tolerable.angle, "rad", "is off by");
  }
  consider(report.passed_length, tolerable.length, "m", "is passed by");
  consider(report.passed_angle, tolerable.angle, "rad", "is passed by");
  consider(tolerable.solved ? report.solved_speed : report.speed, tolerable.rate, "m/s", "is missed by");
  consider(tolerable.solved ? report.solved_turn_rate : report.turn_rate, tolerable.rate, "rad/s", "is missed by");
  return worst;
}

}  // namespace lipkin
