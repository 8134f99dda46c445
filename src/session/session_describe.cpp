// The session in JSON, as docs/guide/viewer-protocol.md describes it.
#include <algorithm>
#include <cmath>

#include "session/choices.hpp"
#include "session/model_picture.hpp"
#include "session/session_impl.hpp"

namespace lipkin {

ModelPicture Session::Impl::picture() const {
  ModelPicture result{simulation.model(),
                      design,
                      versions.model,
                      description,
                      {},
                      simulation.state().control,
                      simulation.state().inputs,
                      {channels.begin(), channels.begin() + static_cast<std::ptrdiff_t>(output_count)},
                      scene_parameters,
                      scene.can_be_read()};
  simulation.body_motions(result.motions);
  return result;
}

namespace {

Json method_json(const Experiment& e) {
  return {{"stepper", name_of(e.stepper)},
          {"solver", name_of(e.solver)},
          {"coordinates", name_of(e.coordinates)},
          {"stabilization", name_of(e.stabilization)},
          {"dt", e.dt},
          {"relative_tolerance", e.relative_tolerance},
          {"absolute_tolerance", e.absolute_tolerance},
          {"duration", e.duration}};
}

}  // namespace

Json Session::Impl::settings_json() const {
  Json json = method_json(simulation.experiment());
  json["initial"] = method_json(as_given);
  json["choices"] = {{"stepper", names_of_choices(kStepperChoices)},
                     {"solver", names_of_choices(kSolverChoices)},
                     {"coordinates", names_of_choices(kCoordinateChoices)},
                     {"stabilization", names_of_choices(kStabilizationChoices)}};
  return json;
}

Json Session::Impl::run_json() const {
  const Statistics& s = simulation.statistics();
  return {{"playing", playing},
          {"speed", speed},
          {"t", time()},
          {"step", now()},
          {"hash", hash_text(simulation.hash())},
          {"failed", failure.empty() ? Json(nullptr) : Json(failure)},
          {"violation", {{"position", s.position_violation}, {"velocity", s.velocity_violation}}},
          {"energy",
           {{"initial", s.energy_initial},
            {"now", number_json(simulation.energy().total())},
            {"invented", invents_energy(s) ? std::max(s.energy_invented, s.energy_swing) : 0.0}}},
          {"unconverged_steps", s.unconverged_steps}};
}

}  // namespace lipkin
