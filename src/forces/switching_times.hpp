// When signals of time alone are not smooth: the knots of tables, and where comparisons, steps, roundings, clamps and
// the like in expressions change their branch. Steppers that choose their steps stop there: a pulse between two steps
// would act nowhere, and a jump within one cost many.
#pragma once

#include "model/model_data.hpp"

namespace lipkin {

// Signals are smooth until `before` and from `after` on. The two are equal at a knot, where nothing jumps; otherwise as
// close as the clock can tell apart, or nearly. Infinite: smooth for ever, as far as can be seen.
struct SwitchingTime {
  double before, after;
};

// The first one at or after t, or that t lies in the middle of. What also depends on the motion is not looked for.
SwitchingTime next_switching_time(const ModelData& model, double t);

}  // namespace lipkin
