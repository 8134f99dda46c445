#include "equivalence/restatements.hpp"

#include <algorithm>

namespace lipkin::test {

const std::vector<Restatement>& restatements() {
  using enum SolverKind;
  constexpr auto kTree = CoordinateKind::kGeneralized, kCut = CoordinateKind::kMaximal;
  static const std::vector<Restatement> all = {
      {"read from a file", restate::read_from_file},
      {"by command lines", restate::by_command_lines},
      {"turned and moved", restate::turned},
      {"mirrored", restate::mirrored},
      {"renamed", restate::renamed},
      {"in another order", restate::reordered},
      {"a body cut in two", restate::cut_in_two},
      {"with a stranger", restate::with_stranger},
      {"friction as brakes", restate::friction_as_brakes},
      {"impulses", restate::solved_by(kImpulses, kTree)},
      {"prox", restate::solved_by(kProx, kTree)},
      {"newton", restate::solved_by(kNewton, kTree)},
      {"lemke", restate::solved_by(kLemke, kTree)},
      {"direct", restate::solved_by(kDirect, kTree)},
      {"maximal", restate::in_maximal_coordinates},
      {"maximal, impulses", restate::solved_by(kImpulses, kCut)},
      {"maximal, prox", restate::solved_by(kProx, kCut)},
      {"maximal, newton", restate::solved_by(kNewton, kCut)},
      {"maximal, lemke", restate::solved_by(kLemke, kCut)},
      {"maximal, direct", restate::solved_by(kDirect, kCut)},
      {"a body held together by a loop", restate::held_together},
      {"a loop cut elsewhere", restate::cut_elsewhere},
      {"prescribed by strong motors", restate::prescribed_by_strong_motors},
      {"rk4", restate::by_rk4},
      {"the other stepper", restate::in_steps_of_moreau},
      {"split", restate::stabilized_by(StabilizationKind::kSplit)},
      {"baumgarte", restate::stabilized_by(StabilizationKind::kBaumgarte)},
      {"no stabilization", restate::stabilized_by(StabilizationKind::kNone)},
  };
  return all;
}

namespace {

bool has_contacts(const Mechanism& mechanism) { return !mechanism.world_shapes.empty(); }

}  // namespace

namespace restate {

std::function<Result(const Mechanism&, std::uint64_t)> solved_by(SolverKind solver, CoordinateKind coordinates) {
  return [=](const Mechanism& mechanism, std::uint64_t) -> Result {
    // Its pyramids are not the discs of the others.
    if (solver == SolverKind::kLemke && has_contacts(mechanism)) return {};
    Restated r{std::string(name_of(solver)), mechanism};
    r.mechanism.experiment.coordinates = coordinates;
    if (coordinates != mechanism.experiment.coordinates) r.reference = r.mechanism;
    r.mechanism.experiment.solver = solver;
    return r;
  };
}

std::function<Result(const Mechanism&, std::uint64_t)> stabilized_by(StabilizationKind kind) {
  return [=](const Mechanism& mechanism, std::uint64_t) -> Result {
    Restated r{std::string(name_of(kind)), mechanism, Agreement::kOrderOfStep};
    r.mechanism.experiment.stabilization = kind;
    return r;
  };
}

Result in_maximal_coordinates(const Mechanism& mechanism, std::uint64_t) {
  Restated r{"maximal", mechanism, Agreement::kOrderOfStep};
  r.mechanism.experiment.coordinates = CoordinateKind::kMaximal;
  return r;
}

Result in_steps_of_moreau(const Mechanism& mechanism, std::uint64_t) {
  Restated r{"the other stepper", mechanism, Agreement::kOrderOfStep};
  StepperKind& stepper = r.mechanism.experiment.stepper;
  stepper = stepper == StepperKind::kMoreau ? StepperKind::kEuler : StepperKind::kMoreau;
  return r;
}

}  // namespace restate

namespace {

// The slowest that a joint with friction slides at the ends of the windows; 0 where it turns back in between.
double slowest(const Trace& trace, std::size_t entry) {
  double least = std::abs(trace.values[1][entry].x());
  for (std::size_t w = 1; w < trace.values.size(); ++w)
    least = trace.values[w][entry].x() * trace.values[1][entry].x() > 0
                ? std::min(least, std::abs(trace.values[w][entry].x()))
                : 0;
  return least;
}

bool slides(const JointSpec& joint, const Trace& trace, const std::vector<Entry>& entries) {
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].what.starts_with("joint." + joint.name + ".u") && slowest(trace, i) < 0.02) return false;
  return true;
}

bool is_plain_tree(const Mechanism& m) {
  return m.gears.empty() && m.tendons.empty() && m.distances.empty() && m.world_shapes.empty() &&
         std::ranges::none_of(m.joints, &JointSpec::closes_loop);
}

int laws_on(const Mechanism& mechanism, const JointSpec& joint) {
  const auto drives =
      std::ranges::count_if(mechanism.motors, [&](const MotorSpec& m) { return m.joint == joint.name; });
  return static_cast<int>(drives) + !joint.friction.empty() + (!joint.lower.empty() || !joint.upper.empty());
}

// A contact asks for nothing that something else holds already: of a body that flies.
bool has_unique_contacts(const Mechanism& m) {
  return std::ranges::all_of(m.bodies, [&](const BodySpec& body) {
    const auto flies = [&](const JointSpec& j) {
      return j.child == body.name && j.parent == kWorldName && j.type == JointType::kFree;
    };
    return body.shapes.empty() || std::ranges::any_of(m.joints, flies);
  });
}

}  // namespace

bool has_unique_forces(const Mechanism& mechanism, const Trace& trace, const std::vector<Entry>& entries) {
  if (mechanism.is_overconstrained || !has_unique_contacts(mechanism)) return false;
  const bool is_tree = is_plain_tree(mechanism);
  return std::ranges::all_of(mechanism.joints, [&](const JointSpec& joint) {
    return joint.friction.empty() || (is_tree && laws_on(mechanism, joint) == 1) || slides(joint, trace, entries);
  });
}

}  // namespace lipkin::test
