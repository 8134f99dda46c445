// A scene with one of everything: every joint type, every kind of force, signals of every kind, timed commands.
#pragma once

#include "lipkin/scene.hpp"
#include "support/random_tree.hpp"

namespace lipkin::test {

struct BusyOptions {
  bool forces = true;    // springs, bushings, actuators, forces on bodies, joint springs
  bool commands = true;  // pushes and settings between 0.1 s and 0.35 s
};

Model busy_model(bool forces = true);
Scene busy_scene(StepperKind stepper, const BusyOptions& options = {});

// A scene around a model, nothing but the stepper chosen.
Scene scene_of(Model model, StepperKind stepper, double dt = 1e-3);

}  // namespace lipkin::test
