// What a run says at its end.
#pragma once

#include <string>
#include <vector>

#include "failure.hpp"
#include "lipkin/simulation.hpp"
#include "run_recorder.hpp"

namespace lipkin::cli {

struct RunReport {
  std::string scene;
  const Simulation& simulation;
  const RunRecorder& recorder;
  std::string failure;  // empty: the run reached its end
  std::vector<Diagnostic> warnings{};
  Json events = Json::array();              // of the session: joints that broke, what could not be when its time came
  std::vector<std::string> lost_outputs{};  // likewise: what they look at is no longer part of the model
};

// Such an event in words.
std::string event_text(const Json& event);

// Strings that went into what they should go around, limits and ropes that were set past where the mechanism was.
std::vector<Diagnostic> warnings_of_motion(const Simulation& simulation);

// A run that gained energy from nowhere.
std::vector<Diagnostic> warnings_of_energy(const Simulation& simulation);

// What is held slips by more than is tolerated.
std::vector<Diagnostic> warnings_of_slip(const Simulation& simulation);

// Outputs that were not a number at some time of the run. `lost`: those that an edit has taken what they look at.
std::vector<Diagnostic> warnings_of_outputs(const Simulation& simulation, const RunRecorder& recorder,
                                            const std::vector<std::string>& lost);

// The keys are a promise: docs/guide/command-line.md.
Json report_json(const RunReport& report);
std::string report_text(const RunReport& report);

// That steps did not converge, and how far they are off; empty: all did.
std::string unconverged_text(const Simulation& simulation);

// Whether laws are missed by more than is tolerated, whatever the solver says of its steps.
bool misses_laws(const Simulation& simulation);

}  // namespace lipkin::cli
