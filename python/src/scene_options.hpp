// The choices of an experiment by name, as `lipkin run` takes them.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "lipkin/scene.hpp"
#include "lipkin/session.hpp"

namespace lipkin::python {

// A scene with where it came from.
struct LoadedScene {
  Scene scene;
  SceneSource source;
  std::shared_ptr<const void> files = {};  // keeps those of `source` that would go away
};

StepperKind stepper_named(const std::string& name);
SolverKind solver_named(const std::string& name);
CoordinateKind coordinates_named(const std::string& name);
StabilizationKind stabilization_named(const std::string& name);
StepKind step_named(const std::string& name);

// Sets what is given; the absolute tolerance follows the relative one unless it is given too. Throws InvalidArgument.
void apply_options(const pybind11::dict& options, Experiment& experiment);

pybind11::dict options_of(const Experiment& experiment);

}  // namespace lipkin::python
