// The same mechanism said in other ways.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>

#include "equivalence/trace.hpp"

namespace lipkin::test {

enum class Agreement {
  kRounding,    // the same equations: to rounding, or what the solver's tolerance leaves
  kOrderOfStep  // another discretisation of the same equations: the difference falls with the step
};

struct Restated {
  std::string how;
  Mechanism mechanism;
  Agreement agreement = Agreement::kRounding;
  Names names{};
  Placement placement{};
  std::set<Quantity> not_compared{};                                           // what is not the same by its nature
  std::function<Trace(const Mechanism&, const std::vector<Entry>&)> runner{};  // instead of run()
  // Joints whose parent and child have changed places; their reactions are not compared.
  std::set<std::string> turned_joints{};
  // What it is compared with, where that is not the mechanism as it is.
  std::optional<Mechanism> reference{};
};

struct Restatement {
  std::string how;
  // Nothing where it does not apply.
  std::function<std::optional<Restated>(const Mechanism&, std::uint64_t seed)> apply;
};

const std::vector<Restatement>& restatements();

// How reactions and friction share a load is determined: nothing is said twice.
bool has_unique_forces(const Mechanism& mechanism, const Trace& trace, const std::vector<Entry>& entries);

// A command of the scene as a line for `lipkin run --commands`.
std::string command_line(const Command& command);

namespace restate {

using Result = std::optional<Restated>;

Result turned(const Mechanism& mechanism, std::uint64_t seed);
Result mirrored(const Mechanism& mechanism, std::uint64_t seed);
Result renamed(const Mechanism& mechanism, std::uint64_t seed);
Result reordered(const Mechanism& mechanism, std::uint64_t seed);
Result cut_in_two(const Mechanism& mechanism, std::uint64_t seed);
Result held_together(const Mechanism& mechanism, std::uint64_t seed);
Result with_stranger(const Mechanism& mechanism, std::uint64_t seed);
Result friction_as_brakes(const Mechanism& mechanism, std::uint64_t seed);
Result cut_elsewhere(const Mechanism& mechanism, std::uint64_t seed);
Result prescribed_by_strong_motors(const Mechanism& mechanism, std::uint64_t seed);
Result by_rk4(const Mechanism& mechanism, std::uint64_t seed);
Result read_from_file(const Mechanism& mechanism, std::uint64_t seed);
Result by_command_lines(const Mechanism& mechanism, std::uint64_t seed);
Result in_steps_of_moreau(const Mechanism& mechanism, std::uint64_t seed);
Result in_maximal_coordinates(const Mechanism& mechanism, std::uint64_t seed);
std::function<Result(const Mechanism&, std::uint64_t)> solved_by(SolverKind solver, CoordinateKind coordinates);
std::function<Result(const Mechanism&, std::uint64_t)> stabilized_by(StabilizationKind kind);

}  // namespace restate
}  // namespace lipkin::test
