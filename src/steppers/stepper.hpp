// Steppers advance a State by one step. One file each.
#pragma once

#include <limits>
#include <memory>

#include "audit/step_audit.hpp"
#include "constraints/balance_ledger.hpp"
#include "constraints/constraint_system.hpp"
#include "lipkin/scene.hpp"
#include "lipkin/state.hpp"
#include "state/workspace.hpp"

namespace lipkin {

struct StepOptions {
  double dt = 1e-3;                                        // fixed-step steppers; first of variable steps [s]
  double relative_tolerance = 1e-8;                        // adaptive steppers
  double absolute_tolerance = 1e-10;                       // adaptive steppers, in the unit of each coordinate
  double limit = std::numeric_limits<double>::infinity();  // no step goes beyond this time [s]
  // Where signals of time jump at the end of the step: the last time before it, which counts for what acts in the step
  // and is looked up at its end [s].
  double before_jump = std::numeric_limits<double>::infinity();
  ConstraintOptions constraints = {};
  BalanceLedger* ledger = nullptr;      // what time stepping with impulses does is booked here; null: nobody asks
  double dt_min = 1e-6, dt_max = 1e-2;  // variable steps of `euler` and `moreau` [s]
  TolerableViolation tolerable = {};    // beyond it the motion cannot be followed
  bool tolerate = true;                 // whether to go on all the same
  bool check_contacts = false;          // whether the laws of contacts are checked after the step
};

struct StepReport {
  bool finite = true;      // false: the state stopped being finite
  int evaluations = 0;     // of the accelerations
  int rejected = 0;        // tries of an adaptive stepper that were too inaccurate
  bool too_small = false;  // an adaptive step fell below what the time can resolve
  ConstraintReport constraints = {};
  const AuditReport* audit = nullptr;  // of time stepping with constraints; the stepper's, until its next step
  Excess excess = {};  // more than 1 times: the motion cannot be followed, and the state was left as it was

  bool is_good() const { return finite && excess.times <= 1; }
};

class Stepper {
 public:
  virtual ~Stepper() = default;

  // Advances the state; allocates nothing. The model may differ from the one at construction in its values, not its
  // shape. What a report that is not good leaves in the state is of no use: the caller puts the state back as it was
  // and invalidates the stepper.
  virtual StepReport step(const ModelData& model, const StepOptions& options, State& state, Workspace& work) = 0;

  // Forget anything kept from the last step: the model or the loads have changed.
  virtual void invalidate() {}

  // Whether it takes other steps than StepOptions::dt.
  virtual bool chooses_steps() const { return has_dense_output(); }

  // A copy of the state was taken to go on from: forget what is not in it and would make a difference.
  virtual void mark_checkpoint() {}

  // The state at a time within the last step; only q, u and t of `state` are set. Fixed-step steppers have none.
  virtual bool has_dense_output() const { return false; }
  virtual void interpolate(const ModelData& model, double t, State& state) const;
};

// Throws InvalidArgument where the stepper cannot handle the constraints.
std::unique_ptr<Stepper> make_stepper(StepperKind kind, StepKind step, const ModelData& model,
                                      ConstraintSystem& constraints);

// Accelerations du/dt of a state with all forces, into work.du; uses work.diag.
void evaluate_accelerations(const ModelData& model, const State& state, double ahead, Workspace& work);

// The same from the forces that are in work.tau and work.external already.
void accelerate(const ModelData& model, const State& state, Workspace& work);

// One NaN or infinity spoils 0 * x.
bool all_of_many_finite(const std::vector<double>& values);
inline bool all_finite(const std::vector<double>& values) {
  constexpr std::size_t kFew = 8;
  if (values.size() > kFew) return all_of_many_finite(values);
  double sum = 0;
  for (const double x : values) sum += 0 * x;
  return sum == 0;
}

}  // namespace lipkin
