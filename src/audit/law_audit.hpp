// Whether the impulses of a step obey the laws of friction, motors, limits and contacts: measured from the velocities
// that they led to and the impulses alone, by formulas that share nothing with the solvers.
//
// A law that is not met is given as a speed. Where something slides at gamma and its friction is not what the law
// gives, the sliding counts as far as the impulse is off, gamma |Lambda - Lambda(gamma)| / (2 bound): all of it where
// friction is missing, nothing where it is at its bound against the sliding. An impulse beyond its bound counts as if
// things slid at 1 m/s, and so does one that no law allows: of a limit, rope or contact that pulls, of a motor whose
// bound is zero. A limit or contact that pulls apart although it presses, or is passed, counts with its speed; a servo
// by the speed that would give its impulse.
#pragma once

#include <string>
#include <vector>

#include "audit/audit_report.hpp"
#include "audit/motor_signals.hpp"
#include "state/row_slots.hpp"

namespace lipkin {

class LawAudit {
 public:
  // tree_friction_is_force: that of the tree's joints has no rows.
  explicit LawAudit(const ModelData& model, bool tree_friction_is_force = false);

  bool empty() const { return items_.empty(); }
  bool needs_link_velocities() const { return needs_link_velocities_; }

  // What a solve over h led to: the poses and coordinates at which it was done, the velocities after it, its impulses
  // in the state's memory.
  struct Solved {
    const Transform<double>* X_WL;
    const Motion<double>* V_WL;  // where needs_link_velocities(), and for contacts
    const State& state;
    const double* u;
    double h;
    bool ahead;                 // gaps are closed at the end of the step, not at its begin
    MotorSignals::View motors;  // what they aimed at
  };

  // Joint friction, motors, limits, ropes.
  void measure(const ModelData& model, const Solved& solved, AuditReport& report) const;

  // Contacts. The item of `law` is then item_count() plus the contact's place in the state.
  void measure_contacts(const ModelData& model, const Solved& solved, AuditReport& report) const;

  // What the impulses hold, and with `contacts` what these hold: whether it stands still with the velocities of the
  // end.
  void measure_held(const ModelData& model, const Solved& end, bool contacts, AuditReport& report) const;

  int item_count() const { return static_cast<int>(items_.size()); }
  // "friction of joint 'a'"; for what is worst in a report.
  std::string name_of(const ModelData& model, const State& state, int item) const;

 private:
  struct Item {
    RowKind kind;
    int index;  // into the model's list of its kind
    int slot;   // into State::row_impulses
  };

  // The limits of a coordinate of the tree: most are far, and looked at together.
  struct TreeLimits {
    int limit, q_index, u_index;
    int lower, upper;  // items
  };

  double violation(const ModelData& model, const Solved& solved, const Item& item, double impulse) const;
  void measure_item(const ModelData& model, const Solved& solved, int item, double rounding, AuditReport& report) const;
  double rounding_of(const Solved& solved) const;
  static bool are_far(const ModelData& model, const TreeLimits& limits, const Solved& solved);
  double impulse_of(const Solved& solved, int item) const {
    const auto slot = static_cast<std::size_t>(items_[static_cast<std::size_t>(item)].slot);
    return slot < solved.state.row_impulses.size() ? solved.state.row_impulses[slot] : 0;
  }

  std::vector<Item> items_;
  std::vector<TreeLimits> tree_limits_;
  std::vector<int> others_;  // items
  double touching_;          // gaps that solvers may count as closed [m] or [rad]
  double mass_ = 0;          // [kg]
  double weight_ = 0;  // of all bodies, at a lever of the mechanism's size or 1 m: what rounding is measured by [N]
  bool needs_link_velocities_ = false;
};

}  // namespace lipkin
