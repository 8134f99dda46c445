#include "solvers/solver.hpp"

#include "lipkin/error.hpp"
#include "solvers/solver_direct.hpp"
#include "solvers/solver_hybrid.hpp"
#include "solvers/solver_impulses.hpp"
#include "solvers/solver_lemke.hpp"
#include "solvers/solver_newton.hpp"
#include "solvers/solver_prox.hpp"

namespace lipkin {

std::string_view name_of(SolverKind kind) {
  switch (kind) {
    case SolverKind::kImpulses:
      return "impulses";
    case SolverKind::kProx:
      return "prox";
    case SolverKind::kNewton:
      return "newton";
    case SolverKind::kDirect:
      return "direct";
    case SolverKind::kHybrid:
      return "hybrid";
    case SolverKind::kLemke:
      return "lemke";
  }
  return "unknown";
}

std::unique_ptr<Solver> make_solver(SolverKind kind) {
  switch (kind) {
    case SolverKind::kImpulses:
      return std::make_unique<SolverImpulses>();
    case SolverKind::kProx:
      return std::make_unique<SolverProx>();
    case SolverKind::kNewton:
      return std::make_unique<SolverNewton>();
    case SolverKind::kDirect:
      return std::make_unique<SolverDirect>();
    case SolverKind::kHybrid:
      return std::make_unique<SolverHybrid>();
    case SolverKind::kLemke:
      return std::make_unique<SolverLemke>();
  }
  throw InvalidArgument("solver kind " + std::to_string(static_cast<int>(kind)) + " does not exist");
}

}  // namespace lipkin
