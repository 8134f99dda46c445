#include "audit/step_audit.hpp"

#include "tree/kernels.hpp"

namespace lipkin {

constexpr std::size_t kFewContacts = 16;  // looked at after every step for what they hold

StepAudit::StepAudit(const ModelData& model, bool tree_friction_is_force, bool turns)
    : motion_(model),
      laws_(model, tree_friction_is_force),
      signals_(model),
      travel_(model, motion_),
      jumps_(model),
      has_contacts_(!model.contact_shapes.empty()),
      turns_(turns),
      V_(model.links.size()) {}

const Motion<double>* StepAudit::velocities(const ModelData& model, const KinematicsWork& kinematics, const double* u) {
  kernels().link_velocities(model.links.data(), static_cast<int>(model.links.size()), kinematics.X_WL.data(),
                            kinematics.S_W.data(), u, V_.data());
  return V_.data();
}

void StepAudit::check_solve(const ModelData& model, const KinematicsWork& kinematics, const State& state,
                            const double* u, const SolveChecks& checks) {
  const Transform<double>* X_WL = kinematics.X_WL.data();
  const bool contacts = checks.contacts && has_contacts_;
  looks_at_contacts_ = contacts;
  const bool looks_at_links = contacts || (checks.rates && !motion_.empty()) || laws_.needs_link_velocities();
  const Motion<double>* V_WL = looks_at_links ? velocities(model, kinematics, u) : nullptr;
  const LawAudit::Solved solved = {X_WL, V_WL, state, u, h_, ahead_, signals_.aim()};
  laws_.measure(model, solved, report_);
  if (contacts) laws_.measure_contacts(model, solved, report_);
  if (!checks.rates) return;
  AuditReport at_solve;
  if (checks.feedback > 0) {
    motion_.measure_fed_back(model, {X_WL, V_WL, u}, state, signals_.aim(), checks.feedback, ahead_, at_solve);
  } else {
    motion_.measure_rates(model, X_WL, V_WL, state, u, signals_.aim(), at_solve);
  }
  report_.solved_speed.take(at_solve.speed);
  report_.solved_turn_rate.take(at_solve.turn_rate);
}

void StepAudit::check_end(const ModelData& model, bool velocities_fit, const State& state, Workspace& work) {
  if (!jumps_.empty())
    jumps_.end_step(model, work.kinematics.X_WL.data(), velocities(model, work.kinematics, state.u.data()), h_,
                    report_);
  if (motion_.empty()) return;
  measure(model, velocities_fit, state, work, report_);
  travel_.end_step(model, state, h_, ahead_, signals_.aim(), report_);
  if (!turns_ || !velocities_fit || !ahead_) return;  // else nothing has moved the velocities since the solve
  const KinematicsWork& end = work.kinematics;
  laws_.measure_held(model, {end.X_WL.data(), end.V_WL.data(), state, state.u.data(), h_, ahead_, signals_.aim()},
                     looks_at_contacts_ || state.contacts.size() <= kFewContacts, report_);
}

AuditReport StepAudit::of_state(const ModelData& model, bool velocities_fit, const State& state, Workspace& work) {
  AuditReport found;
  if (!motion_.empty()) measure(model, velocities_fit, state, work, found);
  return found;
}

void StepAudit::measure(const ModelData& model, bool velocities_fit, const State& state, Workspace& work,
                        AuditReport& report) {
  KinematicsWork& kinematics = work.kinematics;
  if (!velocities_fit) velocities(model, kinematics, state.u.data());
  // Signals look at the velocities of the workspace, which are those of the solve where they do not fit.
  const bool lend = !velocities_fit && signals_.needs_kinematics();
  if (lend) std::swap(kinematics.V_WL, V_);
  signals_.read_here(model, state, work);
  if (lend) std::swap(kinematics.V_WL, V_);
  const Motion<double>* V_WL = velocities_fit ? kinematics.V_WL.data() : V_.data();
  motion_.measure(model, kinematics, V_WL, state, signals_.here(), h_, ahead_, report);
}

Excess worst_excess(const AuditReport& report, const TolerableViolation& tolerable) {
  Excess worst;
  const auto consider = [&](const Worst& found, double tolerated, const char* unit, const char* what,
                            Excess::Of of = Excess::Of::kMotion) {
    if (found.value <= tolerated) return;
    const double times = found.value / tolerated;
    if (std::isnan(worst.times) || times <= worst.times) return;
    worst = {times, found.value, tolerated, found.item, unit, what, of};
  };
  if (tolerable.gaps) {
    consider(report.length, tolerable.length, "m", "is off by");
    consider(report.angle, tolerable.angle, "rad", "is off by");
  }
  consider(report.passed_length, tolerable.length, "m", "is passed by");
  consider(report.passed_angle, tolerable.angle, "rad", "is passed by");
  consider(tolerable.solved ? report.solved_speed : report.speed, tolerable.rate, "m/s", "is missed by");
  consider(tolerable.solved ? report.solved_turn_rate : report.turn_rate, tolerable.rate, "rad/s", "is missed by");
  // What hangs on a string that has jumped is thrown about: nothing else that is off then is the cause.
  if (report.jump.value > tolerable.length) worst.times = 0;
  consider(report.jump, tolerable.length, "m", "jumps by", Excess::Of::kTendon);
  return worst;
}

}  // namespace lipkin
