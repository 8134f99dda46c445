#include "steppers/stepper.hpp"

#include <fmt/format.h>

#include <cmath>

#include "forces/evaluate_forces.hpp"
#ifdef LIPKIN_SUNDIALS
#include "steppers/stepper_cvode.hpp"
#endif
#include "steppers/stepper_dopri5.hpp"
#include "steppers/stepper_euler.hpp"
#include "steppers/stepper_moreau.hpp"
#include "steppers/stepper_moreau_variable.hpp"
#include "steppers/stepper_rk4.hpp"
#include "tree/kernels.hpp"

namespace lipkin {

void Stepper::interpolate(const ModelData&, double, State&) const {
  throw InternalError("this stepper has no dense output");
}

namespace {

// The first part of a model that only rows can hold; empty: none.
std::string part_that_needs_rows(const ModelData& model) {
  const auto owner = [&model](int joint, const DofRef& dof) {
    return dof.tendon >= 0 ? fmt::format("tendon '{}'", model.tendons[dof.tendon].name)
                           : fmt::format("joint '{}'", model.joints[joint].name);
  };
  if (!model.closures.empty()) return fmt::format("loop '{}'", model.closures.front().name);
  if (!model.limits.empty()) return "limits of " + owner(model.limits.front().joint, model.limits.front().dof);
  if (!model.ball_limits.empty()) return "limits of " + owner(model.ball_limits.front().joint, {});
  if (!model.motors.empty()) return fmt::format("motor '{}'", model.motors.front().name);
  if (!model.gears.empty()) return fmt::format("gear '{}'", model.gears.front().name);
  if (!model.distances.empty()) return fmt::format("distance '{}'", model.distances.front().name);
  if (!model.row_springs.empty()) return "the spring or damper of " + owner(-1, model.row_springs.front().dof);
  if (!model.joint_frictions.empty())
    return "rigid friction of " + owner(model.joint_frictions.front().joint, model.joint_frictions.front().dof);
  return model.contact_shapes.empty() ? "" : "rigid contact";
}

#ifdef LIPKIN_SUNDIALS
std::unique_ptr<Stepper> make_cvode(StepperKind kind, const ModelData& model) {
  return std::make_unique<StepperCvode>(kind, model);
}
#else
std::unique_ptr<Stepper> make_cvode(StepperKind kind, const ModelData&) {
  throw InvalidArgument(
      fmt::format("stepper '{}' needs SUNDIALS, which was not installed when this was built; install "
                  "libsundials-dev and build again, or use 'dopri5'",
                  name_of(kind)));
}
#endif

}  // namespace

std::unique_ptr<Stepper> make_stepper(StepperKind kind, StepKind step, const ModelData& model,
                                      ConstraintSystem& constraints) {
  const bool by_tolerance = kind == StepperKind::kDopri5 || kind == StepperKind::kAdams || kind == StepperKind::kBdf;
  if (!model.tyres.empty() && (by_tolerance || step == StepKind::kVariable))
    throw InvalidArgument(
        fmt::format("stepper '{}' chooses its steps, and the tread of tyre '{}' needs fixed ones; expected 'euler', "
                    "'moreau' or 'rk4' with fixed steps",
                    name_of(kind), model.tyres.front().name));
  if (kind != StepperKind::kEuler && kind != StepperKind::kMoreau && !constraints.empty())
    throw InvalidArgument(
        fmt::format("stepper '{}' takes forces only, not constraints such as {}; expected 'euler' or 'moreau'",
                    name_of(kind), part_that_needs_rows(model)));
  switch (kind) {
    case StepperKind::kEuler:
      return std::make_unique<StepperEuler>(model, constraints, step);
    case StepperKind::kMoreau:
      if (step == StepKind::kVariable) return std::make_unique<StepperMoreauVariable>(model, constraints);
      return std::make_unique<StepperMoreau>(model, constraints);
    case StepperKind::kRk4:
      return std::make_unique<StepperRk4>(model);
    case StepperKind::kDopri5:
      return std::make_unique<StepperDopri5>(model);
    case StepperKind::kAdams:
    case StepperKind::kBdf:
      return make_cvode(kind, model);
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

bool all_of_many_finite(const std::vector<double>& values) {
  double even = 0, odd = 0;  // do not wait for each other
  const double *x = values.data(), *end = x + values.size();
  for (; x + 1 < end; x += 2) even += 0 * x[0], odd += 0 * x[1];
  if (x < end) even += 0 * x[0];
  return even + odd == 0;
}

}  // namespace lipkin
