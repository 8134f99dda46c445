// All that follows from a model and the choices of an experiment (coordinates, solver, stepper, stabilization). Built
// and checked whole by its constructor, which throws where a choice cannot be; its structure never changes afterwards.
// A simulation goes on with another one by taking it in place of its own (Simulation::Impl::adopt).
#pragma once

#include <memory>

#include "constraints/constraint_system.hpp"
#include "forces/switching_times.hpp"
#include "formulation/prescribed_jumps.hpp"
#include "lipkin/scene.hpp"
#include "lipkin/state.hpp"
#include "model/channel.hpp"
#include "state/workspace.hpp"
#include "steppers/instant_reactions.hpp"
#include "steppers/stepper.hpp"

namespace lipkin {

// The coordinates in which a model runs: its own, or every joint cut.
Model in_coordinates(const Model& model, CoordinateKind kind);

// A model in the coordinates in which it runs, built with these values of its parameters.
struct RunningModel {
  Model model;
  std::vector<SettingEdit> values;
};
RunningModel build_running(const Model& model, CoordinateKind kind, const std::vector<SettingEdit>& values);

// Throws InvalidArgument where a number of the experiment is out of its range.
void check_experiment(const Experiment& experiment);

// Whether contact and joint friction are forces, not rows.
bool regularises(const ModelData& model, const Experiment& experiment);

// The rows that such an experiment has for a model.
ConstraintSystem constraints_of(const ModelData& model, const Experiment& experiment);

bool is_time_stepping(StepperKind kind);  // whose steps solve for impulses

class Formulation {
 public:
  // Of the edits, those stay in the list whose target is there. Throws InvalidArgument, or InternalError.
  Formulation(RunningModel running, const Experiment& experiment, std::vector<SettingEdit>& edits);
  Formulation(const Formulation&) = delete;
  Formulation& operator=(const Formulation&) = delete;

  // Whether the same formulation serves both experiments.
  static bool is_shared(const Experiment& a, const Experiment& b);

  // Whether a state with these edits runs here: what it was built with is among them, the others change numbers only.
  bool serves(const std::vector<SettingEdit>& edits) const;

  // The data of the model with these edits, for which serves() holds.
  ModelData data_with(const std::vector<SettingEdit>& edits) const;

  // Throws InvalidArgument where it cannot serve an experiment that shares it otherwise.
  void check(const Experiment& experiment) const;

  const Model model;
  const std::vector<SettingEdit> built_with;  // the values of parameters that the model has
  ModelData data;                             // of the model, with the values that were set since
  Workspace work, sample_work;                // of steps; of looking at states
  ConstraintSystem constraints;
  std::unique_ptr<Stepper> stepper;
  bool chooses_steps = false;          // the stepper does
  bool solves_once = false;            // a step of it solves for impulses once
  InstantReactions instant_reactions;  // of states that are looked at
  SwitchingSearch switches;
  PrescribedJumps jumps;
  ChannelNeed output_need = ChannelNeed::kState;      // of the outputs that are worked out at every sample
  ChannelNeed need_on_request = ChannelNeed::kState;  // of the others
  const bool holds_between_samples;                   // controllers or activations are there
};

}  // namespace lipkin
