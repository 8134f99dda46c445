// Moreau's time stepping with step-size adjustment and extrapolation (the third paper, section 6.4; C. Studer, R. I.
// Leine, Ch. Glocker, Step size adjustment and extrapolation for time-stepping schemes in non-smooth dynamics, Int. J.
// Numer. Methods Eng. 76 (2008) 1747; R. Huber, H. Ulbrich 2009).
//
// A step of h is taken three times, as one, two and three steps of `moreau` (steppers/stepper_moreau.hpp). Where the
// same contacts, limits and ropes are closed throughout, the motion is smooth, the error of the steps has an expansion
// in powers of h, and the three are extrapolated (Aitken, Neville; Hairer, Norsett, Wanner, Solving ODEs I, II.9):
//
//   T22 = 2 T21 - T11,   T32 = 3 T31 - 2 T21,   T33 = T32 + (T32 - T22) / 2,
//
// two results of second order and one of third. The step is accepted where T32 and T22 differ by less than the
// tolerances, and goes on from T33, unless something touches there that did not in the three. Where something closes or
// opens the step is cut until the event lies in one of dt_min, which is taken as it is, in three steps of first order:
// impacts need no more, since their time is known to dt_min. Steps of dt_min are taken whatever their error. Prescribed
// motions, which every step meets, bound it by their acceleration (steppers/prescribed_step.hpp), and so do those of
// the bodies to which they give their motion (steppers/driven_bend.hpp).
//
// What is extrapolated meets loops and drives but for its error: with projection it is brought onto their rows, and
// what is handed out is what is checked.
//
// Within a step the coordinates follow Hermite's cubic through both ends with their velocities there, in local
// coordinates around the begin, and the velocities its derivative: of the order of the step.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "collision/shape_gaps.hpp"
#include "steppers/driven_bend.hpp"
#include "steppers/state_backup.hpp"
#include "steppers/stepper_moreau.hpp"

namespace lipkin {

class StepperMoreauVariable : public Stepper {
 public:
  StepperMoreauVariable(const ModelData& model, ConstraintSystem& constraints);

  // state.step_size is what the next step will try.
  StepReport step(const ModelData& model, const StepOptions& options, State& state, Workspace& work) override;
  bool has_dense_output() const override { return true; }
  void interpolate(const ModelData& model, double t, State& state) const override;

 private:
  enum class Event { kNone, kEarly, kLate };  // in the first half of the step, or in the second

  struct Trial {
    Event event = Event::kNone;
    double error = 0;  // over the tolerances, where there is no event

    bool smooth() const { return event == Event::kNone && error <= 1; }
  };

  Trial try_to(const ModelData& model, const StepOptions& options, double t_end, State& state, Workspace& work,
               StepReport& report);
  bool divide(const ModelData& model, const StepOptions& options, double t_end, int count, BalanceLedger* ledger,
              State& state, Workspace& work, StepReport& report);
  void book(const ModelData& model, const StepOptions& options, double t_end, State& state, Workspace& work);
  Event find_event() const;
  double scaled_error(const ModelData& model, const StepOptions& options) const;
  void extrapolate(const ModelData& model, State& state) const;
  void close(const ModelData& model, const StepOptions& options, State& state, Workspace& work, StepReport& report);
  bool touches_anew(const ModelData& model, const State& state, Workspace& work);

  // Names of what is closed, from the memory that a step leaves in the state.
  using Closed = std::vector<std::uint64_t>;
  void list_closed(const State& state, Closed& closed) const;

  ConstraintSystem& constraints_;
  StepperMoreau base_;
  DrivenBend bend_;
  AuditReport audit_;  // of the last try
  void remember_step(const ModelData& model, const State& state);

  StateBackup begin_, booked_;
  std::vector<std::uint8_t> closes_;  // per slot of State::row_impulses: limits, ropes
  double end_t_ = 0;
  std::vector<double> way_, end_rate_, end_u_;      // of the last step: theta at its end, its rate there, u
  mutable std::vector<double> theta_, theta_rate_;  // of interpolate()
  std::array<std::vector<double>, 3> q_, u_;        // after one, two, three steps
  Closed closed_before_;
  std::array<std::array<Closed, 3>, 3> closed_;  // by how often the step was divided, and part
  bool had_step_ = false;                        // what was closed before is known
  ShapeGaps gaps_;
};

}  // namespace lipkin
