// Whether the length of a string that goes around something has jumped in a step: it came off while it was wound, went
// the other way round, or one of its ends went into what it winds around. Whatever holds that length would move what
// hangs on it to where it fits again.
//
// By going around, a string is longer than straight by some way that changes, for each of both ends, by at most twice
// what that end moves against the body in the middle. Between two steps it may change by as much as the velocities
// before and after explain, and small corrections of positions: what pushes limits back, and closes gaps.
#pragma once

#include <vector>

#include "audit/audit_report.hpp"
#include "lipkin/state.hpp"
#include "state/workspace.hpp"

namespace lipkin {

class TendonJumps {
 public:
  explicit TendonJumps(const ModelData& model);

  bool empty() const { return strings_.empty(); }

  // V_WL: the velocities of links that belong to the state.
  void begin_step(const ModelData& model, const Transform<double>* X_WL, const Motion<double>* V_WL);
  void end_step(const ModelData& model, const Transform<double>* X_WL, const Motion<double>* V_WL, double h,
                AuditReport& report) const;

 private:
  struct String {
    int tendon, branch, point;  // the piece that ends at this point
    double weight;              // of the branch
    // At the begin of the step: how much longer it is [m]; of both ends together [m/s]; where they are, as seen from
    // the body in the middle.
    double detour, speed;
    Vec3<double> p_a, p_b;
  };
  static String looked_at(const ModelData& model, const String& string, const Transform<double>* X_WL,
                          const Motion<double>* V_WL);

  std::vector<String> strings_;
  double corrected_;  // as far as corrections may move an end [m]
};

}  // namespace lipkin
