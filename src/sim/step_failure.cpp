#include "sim/step_failure.hpp"

#include <fmt/format.h>

#include <cmath>

namespace lipkin {

void throw_failure(const ModelData& model, const StepReport& report, const State& state, const Workspace& work) {
  if (report.too_small)
    throw SimulationError(
        fmt::format("at t = {:.9g} s the step fell below what the time resolves; the motion may be "
                    "singular there, or the tolerance too tight",
                    state.t));
  for (const JointData& joint : model.joints) {
    if (joint.link < 0) continue;
    for (int k = 0; k < u_count(joint.type); ++k)
      if (!std::isfinite(work.du[joint.u_index + k]))
        throw SimulationError(
            fmt::format("at t = {:.9g} s the acceleration of joint '{}' (body '{}') stops being finite; try a smaller "
                        "step, or look for forces that grow without bound",
                        state.t, joint.name, model.bodies[joint.child].name));
  }
  throw SimulationError(fmt::format("at t = {:.9g} s the state stops being finite; try a smaller step", state.t));
}

}  // namespace lipkin
