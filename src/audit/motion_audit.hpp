// Whether joints, loops, gears, rods, limits and drives are where their laws want them: measured from poses and
// velocities alone, by formulas that share nothing with the rows that the solvers see (tree/closure_rows.cpp).
//
// A joint holds a frame F of one link against a frame M of another; d is the way from F to M, v and w what M's origin
// and axes do against the first link. Depending on its type it holds d or a part of it, and axes:
//
//   gap of lengths    |d|, or what is left of d across (along) the axis z_F
//   gap of angles     the chord |a_F - a_M| of axes that coincide, |x_F · y_M| of the axes of a universal joint
//   rates             the same parts of v and w
#pragma once

#include <string>
#include <vector>

#include "audit/audit_report.hpp"
#include "audit/audited_coordinate.hpp"
#include "audit/motor_signals.hpp"
#include "lipkin/state.hpp"
#include "state/workspace.hpp"

namespace lipkin {

class MotionAudit {
 public:
  explicit MotionAudit(const ModelData& model);

  bool empty() const {
    return joints_.empty() && coordinates_.empty() && limits_.empty() && ways_.empty() && turns_.empty();
  }

  // Before a step: how far limits are passed already. Where they act only once they are passed, a step may pass them.
  void begin_step(const ModelData& model, const Transform<double>* X_WL, State& state);

  // Gaps, their rates and limits at the end of a step of h; kinematics: its poses belong to the state, V_WL are the
  // velocities of links that belong to u.
  void measure(const ModelData& model, const KinematicsWork& kinematics, const Motion<double>* V_WL, const State& state,
               const MotorSignals::View& motors, double h, bool ahead, AuditReport& report) const;

  // The rates of the gaps alone, at the state's poses, with velocities u and V_WL.
  void measure_rates(const ModelData& model, const Transform<double>* X_WL, const Motion<double>* V_WL,
                     const State& state, const double* u, const MotorSignals::View& motors, AuditReport& report) const;

  // Likewise where gaps are fed back into the rates: each is to shrink by the rate `feedback` times itself [1/s], and
  // what is measured is how far its rate is from that. ahead: prescribed positions have no gaps, they are met by the
  // step that follows.
  void measure_fed_back(const ModelData& model, const AuditedMotion& motion, const State& state,
                        const MotorSignals::View& motors, double feedback, bool ahead, AuditReport& report) const;

  // Motors whose speed is prescribed: what they have travelled is checked too (audit/drive_travel.hpp).
  struct Speed {
    int item, motor;
    bool is_length;
  };
  std::vector<Speed> speeds(const ModelData& model) const;

  // "loop 'wrist'", "motor 'm1'", "a limit of joint 'a'"; for what is worst in a report.
  std::string name_of(const ModelData& model, int item) const;

 private:
  // A joint that rows hold.
  struct HeldJoint {
    int item, closure, link_a, link_b;
    JointType type;
    Vec3<double> p_AF, p_BM;
    Vec3<double> x_A, z_A, x_B, y_B, z_B;  // axes of F in a, of M in b
  };
  enum class What { kGear, kMotor };
  // A coordinate that follows another or a time law.
  struct HeldCoordinate {
    int item;
    What what;
    int index;
    bool is_length;
  };
  struct HeldLimit {  // of a coordinate that stays within bounds
    int item, index;
    bool is_length;
  };
  struct HeldWay {  // between two points
    int item, index;
  };
  struct Item {
    enum class Of { kClosure, kGear, kMotor, kLimit, kBallLimit, kDistance } of;
    int index;
  };

  int add(Item::Of of, int index) {
    items_.push_back({of, index});
    return static_cast<int>(items_.size()) - 1;
  }
  template <bool gap, bool rate>
  static void measure_joint(const HeldJoint& joint, const Transform<double>* X_WL, const Motion<double>* V_WL,
                            const double* closure_q, double pitch, AuditReport& report);
  static void measure_lengths_fed_back(const HeldJoint& joint, const AuditedMotion& motion, double turned, double pitch,
                                       double feedback, AuditReport& report);
  static void measure_angles_fed_back(const HeldJoint& joint, const AuditedMotion& motion, double feedback,
                                      AuditReport& report);
  static double rate_between(const DistanceData& distance, const AuditedMotion& motion);
  static double gap_of(const ModelData& model, const HeldCoordinate& held, const State& state,
                       const MotorSignals::View& motors);
  static double rate_of_gap(const ModelData& model, const HeldCoordinate& held, const AuditedMotion& motion,
                            const State& state, const MotorSignals::View& motors);
  void measure_other_gaps(const ModelData& model, const Transform<double>* X_WL, const State& state,
                          const MotorSignals::View& motors, double h, bool ahead, AuditReport& report) const;
  void measure_other_rates(const ModelData& model, const Transform<double>* X_WL, const Motion<double>* V_WL,
                           const State& state, const double* u, const MotorSignals::View& motors,
                           AuditReport& report) const;
  bool is_within_limits(const ModelData& model, const State& state) const;
  template <class Take>
  void visit_limits(const ModelData& model, const Transform<double>* X_WL, const State& state, const Take& take) const;

  std::vector<Item> items_;
  std::vector<HeldJoint> joints_;
  std::vector<HeldCoordinate> coordinates_;
  std::vector<HeldLimit> limits_;
  std::vector<HeldWay> ways_, turns_;  // distances; limits of ball joints
  std::vector<PassedLimit> passed_;    // scratch of begin_step
  double left_passed_ = 0;             // how far limits may stay passed [m] or [rad]
};

}  // namespace lipkin
