#include "steppers/stepper_euler.hpp"

#include <algorithm>

#include "tree/local_coordinates.hpp"

namespace lipkin {

StepReport StepperEuler::step(const ModelData& model, const StepOptions& options, State& state, Workspace& work) {
  const double h = std::min(options.dt, options.limit - state.t);
  for (int j = 0; j < model.u_count; ++j)
    work.diag[j] = model.armature[j] + h * (model.damping[j] + h * model.stiffness[j]);
  evaluate_accelerations(model, state, h, work);
  StepReport report;
  report.evaluations = 1;
  double check = 0;  // one NaN or infinity spoils 0 * x
  for (int j = 0; j < model.u_count; ++j) check += 0 * (state.u[j] + h * work.du[j]);
  report.finite = check == 0;
  if (!report.finite) return report;
  for (int j = 0; j < model.u_count; ++j) state.u[j] += h * work.du[j];
  retract<double>(model.links.data(), static_cast<int>(model.links.size()), state.q.data(), h, state.u.data(),
                  state.q.data());
  state.t = h < options.dt ? options.limit : state.t + h;
  return report;
}

}  // namespace lipkin
