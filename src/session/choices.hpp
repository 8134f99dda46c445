// The values of an experiment's choices by name.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "lipkin/scene.hpp"
#include "session/arguments.hpp"

namespace lipkin {

inline constexpr std::array kStepperChoices = {StepperKind::kEuler,  StepperKind::kMoreau, StepperKind::kRk4,
                                               StepperKind::kDopri5, StepperKind::kAdams,  StepperKind::kBdf};
inline constexpr std::array kSolverChoices = {SolverKind::kHybrid, SolverKind::kImpulses, SolverKind::kProx,
                                              SolverKind::kNewton, SolverKind::kDirect,   SolverKind::kLemke};
inline constexpr std::array kCoordinateChoices = {CoordinateKind::kGeneralized, CoordinateKind::kMaximal};
inline constexpr std::array kStabilizationChoices = {StabilizationKind::kProjection, StabilizationKind::kSplit,
                                                     StabilizationKind::kBaumgarte, StabilizationKind::kNone};

template <class Kinds>
std::vector<std::string> names_of_choices(const Kinds& kinds) {
  std::vector<std::string> names;
  for (const auto kind : kinds) names.emplace_back(name_of(kind));
  return names;
}

// The choice that the argument names; `otherwise` where it is not given.
template <class Kinds, class Kind>
Kind chosen(const std::string& key, const Kinds& kinds, Arguments& arguments, Kind otherwise) {
  const std::string name = arguments.choice_or(key, names_of_choices(kinds), std::string(name_of(otherwise)));
  for (const Kind kind : kinds)
    if (name_of(kind) == name) return kind;
  return otherwise;
}

}  // namespace lipkin
