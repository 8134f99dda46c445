// What time stepping has checked of each of its steps, and how far it may be off before a motion counts as one that
// cannot be followed.
#pragma once

#include "audit/drive_travel.hpp"
#include "audit/law_audit.hpp"
#include "audit/motion_audit.hpp"
#include "audit/tendon_jumps.hpp"

namespace lipkin {

// Beyond these a run stops (Experiment::tolerated).
struct TolerableViolation {
  double length = 0;    // [m]
  double angle = 0;     // [rad]
  double rate = 0;      // [m/s] or [rad/s]
  bool gaps = true;     // whether gaps count; where nothing closes them their drift is what was asked for
  bool solved = false;  // the rates right after the solve count, not those at the end: nothing makes these fit
};

class StepAudit {
 public:
  // tree_friction_is_force: it has no rows then. turns: bilateral rows turn what laws sit on.
  explicit StepAudit(const ModelData& model, bool tree_friction_is_force = false, bool turns = false);

  bool empty() const { return motion_.empty() && laws_.empty() && !has_contacts_; }

  // Before anything moves; kinematics: of the state. Forgets the last step's report. What limits have been passed is
  // part of the state.
  void begin_step(const ModelData& model, const KinematicsWork& kinematics, State& state) {
    report_ = {};
    motion_.begin_step(model, kinematics.X_WL.data(), state);
    travel_.begin_step(model, state);
    if (!jumps_.empty())
      jumps_.begin_step(model, kinematics.X_WL.data(), velocities(model, kinematics, state.u.data()));
  }

  // Right before the solve of a step of h, at the state and with the kinematics of its linearisation: what motors aim
  // at. Ahead: gaps are closed at the end of the step that follows the solve; otherwise the positions came first.
  void aim(const ModelData& model, const State& state, double h, const MotorSignals::Aim& aim, Workspace& work) {
    h_ = h, ahead_ = aim.ahead;
    signals_.read_aim(model, state, h, aim, work);
  }

  // After the solve: velocities u, impulses in the state's memory, its coordinates and kinematics those at which the
  // solve was done.
  struct SolveChecks {
    bool contacts;
    bool rates;           // those of joints and drives are checked there, not at the end
    double feedback = 0;  // gaps are to shrink at this rate [1/s]
  };
  void check_solve(const ModelData& model, const KinematicsWork& kinematics, const State& state, const double* u,
                   const SolveChecks& checks);

  // At the end of the step; kinematics of work: poses and, where velocities_fit, velocities of the state.
  void check_end(const ModelData& model, bool velocities_fit, const State& state, Workspace& work);

  // Gaps and rates of a state that is none of a step's own, but made of several; kinematics of work as above.
  AuditReport of_state(const ModelData& model, bool velocities_fit, const State& state, Workspace& work);

  const AuditReport& report() const { return report_; }  // of the step, until the next one begins

  const MotionAudit& motion() const { return motion_; }
  const LawAudit& laws() const { return laws_; }

 private:
  void measure(const ModelData& model, bool velocities_fit, const State& state, Workspace& work, AuditReport& report);
  const Motion<double>* velocities(const ModelData& model, const KinematicsWork& kinematics, const double* u);

  MotionAudit motion_;
  LawAudit laws_;
  MotorSignals signals_;
  DriveTravel travel_;
  TendonJumps jumps_;
  double h_ = 0;
  bool ahead_ = true;
  bool looks_at_contacts_ = false;  // in this step
  bool has_contacts_, turns_;
  std::vector<Motion<double>> V_;
  AuditReport report_;
};

// What passes the tolerances most, as a multiple of what is tolerated; at most 1: nothing does.
struct Excess {
  double times = 0, value = 0, tolerated = 0;
  int item = -1;                      // of MotionAudit; a contact: the point that the constraints know; a tendon
  const char *unit = "", *what = "";  // "m", "is off by"
  enum class Of { kMotion, kContact, kTendon } of = Of::kMotion;
};
Excess worst_excess(const AuditReport& report, const TolerableViolation& tolerable);

}  // namespace lipkin
