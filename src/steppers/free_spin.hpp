// The spin of bodies that fly free. An explicit step lets a tumbling body gain energy, the more the faster it spins. By
// the midpoint rule in body axes, I (w' - w) + h w_m x I w_m = h T with w_m = (w + w') / 2, it keeps its energy to
// rounding where no torque acts, since w_m . (w_m x I w_m) = 0.
#pragma once

#include "lipkin/state.hpp"
#include "model/model_data.hpp"

namespace lipkin {

// u: velocities after an explicit step of h from the state; of model.lone_links, those by the midpoint rule replace
// them.
void turn_free_bodies(const ModelData& model, double h, const State& state, double* u);

}  // namespace lipkin
