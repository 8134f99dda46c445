// When signals of time alone are not smooth: the knots of tables, and where comparisons, steps, roundings, clamps and
// the like in expressions change their branch. Steppers that choose their steps stop there: a pulse between two steps
// would act nowhere, and a jump within one cost many.
#pragma once

#include <limits>
#include <vector>

#include "model/model_data.hpp"

namespace lipkin {

// Signals are smooth until `before` and from `after` on. The two are equal at a knot, where nothing jumps; otherwise as
// close as the clock can tell apart, or nearly. Infinite: smooth for ever.
struct SwitchingTime {
  double before, after;
};

// What one search has found: the first switch, or none up to a time.
struct FoundSwitch {
  SwitchingTime next;
  double until;  // [s]; infinite: the search came to its end
};

// The first one at or after t, or that t lies in the middle of, as far as a bounded number of looks leads. What also
// depends on the motion is not looked for.
FoundSwitch find_switch(const SignalData& signal, double t);

// The last time before the first jump of any signal of the model between two times that lie close to each other;
// infinite: none jumps there.
double jump_between(const ModelData& model, double from, double to);

// The search through all signals that goes along with a run. A signal that takes more looks than one search has is
// searched again when the time comes near to where the last search ended.
//
// A restored run has searched from other times than the one it was taken from, and must not see the difference: where a
// search has ended bounds a step only if it began with that step.
class SwitchingSearch {
 public:
  // The next one from t, where a step begins that may be as long as `step` (0: nobody knows). The end of what is known
  // stands for a knot where the step might go beyond it.
  SwitchingTime next(const ModelData& model, double t, double step);

  // Before all others, and where signals have changed: nothing is known of them.
  void start(const ModelData& model);

 private:
  struct Part {  // of one signal
    FoundSwitch found = {};
    double from = std::numeric_limits<double>::quiet_NaN();  // [s]; NaN: not searched

    SwitchingTime next(const SignalData& signal, double t, double step);
    bool suffices(double t, double step) const;
  };

  std::vector<Part> parts_;  // per signal of the model
  // Of all: the first one, for the time from `from_` to it where every search came to its end.
  SwitchingTime first_ = {};
  double from_ = 0;
  bool all_known_ = false;
};

}  // namespace lipkin
