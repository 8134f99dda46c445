// What differs by its nature, or is known to differ: each with its cause.
#include <algorithm>
#include <limits>

#include "equivalence/survey.hpp"

namespace lipkin::test {
namespace {

struct KnownCause {
  std::vector<std::string_view> ways;  // parts of their names
  double largest;                      // relative difference; infinite: also where the run stops
  bool (*applies)(const Mechanism&);
  std::string_view cause;
};

constexpr double kAny = std::numeric_limits<double>::infinity();

bool has_limit(const Mechanism& m) {
  return std::ranges::any_of(m.joints, [](const JointSpec& j) { return !j.lower.empty() || !j.upper.empty(); });
}
bool has_contact(const Mechanism& m) { return !m.world_shapes.empty(); }
bool has_unilateral(const Mechanism& m) { return has_limit(m) || has_contact(m) || !m.distances.empty(); }
bool has_loop(const Mechanism& m) { return std::ranges::any_of(m.joints, &JointSpec::closes_loop); }
bool has_armature(const Mechanism& m) {
  return std::ranges::any_of(m.joints, [](const JointSpec& j) { return !j.armature.empty(); });
}
bool has_size(const Mechanism& m) { return has_unilateral(m) || has_loop(m); }
bool has_rough_contact(const Mechanism& m) { return has_contact(m) && m.materials[0].friction > 0; }
bool is_overconstrained(const Mechanism& m) { return m.is_overconstrained; }

bool has_joint_friction(const Mechanism& m) {
  return std::ranges::any_of(m.joints, [](const JointSpec& j) { return !j.friction.empty(); }) ||
         std::ranges::any_of(m.tendons, [](const TendonSpec& t) { return t.friction > 0; });
}
bool has_prescribed(const Mechanism& m) {
  return std::ranges::any_of(m.motors, [](const MotorSpec& x) {
    return !x.stiffness && !(x.max_force < std::numeric_limits<double>::infinity());
  });
}
bool has_friction_behind_rows(const Mechanism& m) {
  return (has_joint_friction(m) || has_rough_contact(m)) && (has_prescribed(m) || !m.gears.empty() || has_loop(m));
}
bool has_bouncing(const Mechanism& m) {
  return (has_contact(m) && m.materials[0].restitution > 0) ||
         std::ranges::any_of(m.joints, [](const JointSpec& j) { return j.limit_restitution > 0; }) ||
         std::ranges::any_of(m.distances, [](const DistanceSpec& d) { return d.restitution > 0; });
}

const std::vector<KnownCause>& known_causes() {
  static const std::vector<KnownCause> all = {
      {{"impulses"}, 1e-2, &has_unilateral, "impulses takes limits, ropes and contacts within the slop for closed"},
      {{"impulses", "lemke"},
       kAny,
       &is_overconstrained,
       "rows that the tree holds already are rounding, which only the eliminated ones drop"},
      {{"impulses", "strong motors"},
       kAny,
       &has_friction_behind_rows,
       "friction behind prescribed motions, gears and loops acts in impulses only"},
      {{"maximal"},
       kAny,
       &has_armature,
       "rotors of cut joints know nothing of how their axes turn; energy of prescribed ones"},
      {{"stranger", "held together", "maximal"},
       1e-2,
       &has_size,
       "the slop is a part of the mechanism's size, which counts from the frames of its links"},
      {{"impulses", "lemke"},
       1,
       &has_bouncing,
       "whether something is hit within the step is asked without the impulses of loops"},
      {{"stepper", "split", "baumgarte", "stabilization", "maximal", "held together"},
       2,
       &has_rough_contact,
       "what an impact with friction does depends on the phase of the step"},
  };
  return all;
}

}  // namespace

std::string known_cause(const std::string& how, const Comparison& comparison, const Mechanism& mechanism) {
  for (const KnownCause& known : known_causes()) {
    const bool is_meant =
        std::ranges::any_of(known.ways, [&](std::string_view way) { return how.find(way) != std::string::npos; });
    const bool is_small =
        comparison.verdict == Verdict::kDisagrees ? comparison.relative <= known.largest : known.largest == kAny;
    if (is_meant && is_small && known.applies(mechanism)) return std::string(known.cause);
  }
  return {};
}

std::vector<std::string> all_known_causes() {
  std::vector<std::string> causes;
  for (const KnownCause& known : known_causes()) causes.emplace_back(known.cause);
  return causes;
}

}  // namespace lipkin::test
