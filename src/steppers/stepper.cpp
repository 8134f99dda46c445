#include "steppers/stepper.hpp"

#include <fmt/format.h>

#include <cmath>

#include "forces/evaluate_forces.hpp"
#include "steppers/stepper_dopri5.hpp"
#include "steppers/stepper_euler.hpp"
#include "steppers/stepper_moreau.hpp"
#include "steppers/stepper_rk4.hpp"
#include "tree/kernels.hpp"

namespace lipkin {

void Stepper::interpolate(const ModelData&, double, State&) const {
  throw InternalError("this stepper has no dense output");
}

std::unique_ptr<Stepper> make_stepper(StepperKind kind, const ModelData& model, Constraints& constraints) {
  if (kind != StepperKind::kEuler && kind != StepperKind::kMoreau && !constraints.empty())
    throw InvalidArgument(fmt::format(
        "stepper '{}' takes no loops, limits, motors or contacts; expected 'euler' or 'moreau'", name_of(kind)));
  switch (kind) {
    case StepperKind::kEuler:
      return std::make_unique<StepperEuler>(model, constraints);
    case StepperKind::kMoreau:
      return std::make_unique<StepperMoreau>(constraints);
    case StepperKind::kRk4:
      return std::make_unique<StepperRk4>(model);
    case StepperKind::kDopri5:
      return std::make_unique<StepperDopri5>(model);
  }
  throw InternalError("unknown stepper");
}

void evaluate_accelerations(const ModelData& model, const State& state, double ahead, Workspace& work) {
  evaluate_forces(model, state, ahead, work);
  accelerate(model, state, work);
}

void accelerate(const ModelData& model, const State& state, Workspace& work) {
  kernels().forward_dynamics(model.links.data(), static_cast<int>(model.links.size()), model.gravity, state.q.data(),
                             state.u.data(), work.tau.data(), work.diag.data(),
                             work.has_external ? work.external.data() : nullptr, work.tree(), work.du.data());
}

bool all_finite(const std::vector<double>& values) {
  double sum = 0;  // one NaN or infinity spoils 0 * x
  for (double x : values) sum += 0 * x;
  return sum == 0;
}

}  // namespace lipkin
