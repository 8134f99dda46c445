// The values of the options that choose among steppers, solvers and the like: help, completion and checks read them
// here.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "lipkin/scene.hpp"
#include "lipkin/solver.hpp"

namespace lipkin::cli {

inline constexpr std::array kSteppers = {StepperKind::kEuler,  StepperKind::kMoreau, StepperKind::kRk4,
                                         StepperKind::kDopri5, StepperKind::kAdams,  StepperKind::kBdf};
inline constexpr std::array kCoordinates = {CoordinateKind::kGeneralized, CoordinateKind::kMaximal};
inline constexpr std::array kSolvers = {SolverKind::kHybrid, SolverKind::kImpulses, SolverKind::kProx,
                                        SolverKind::kNewton, SolverKind::kDirect,   SolverKind::kLemke};
inline constexpr std::array kStabilizations = {StabilizationKind::kNone, StabilizationKind::kBaumgarte,
                                               StabilizationKind::kProjection, StabilizationKind::kSplit};

template <class Kind, std::size_t n>
std::vector<std::string> names_in(const std::array<Kind, n>& kinds) {
  std::vector<std::string> names;
  for (const Kind kind : kinds) names.emplace_back(name_of(kind));
  return names;
}

// "euler|moreau|rk4", as help shows it and completion takes it apart.
template <class Kind, std::size_t n>
std::string alternatives(const std::array<Kind, n>& kinds) {
  std::string text;
  for (const Kind kind : kinds) text += (text.empty() ? "" : "|") + std::string(name_of(kind));
  return text;
}

}  // namespace lipkin::cli
