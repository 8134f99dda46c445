#include "equivalence/compare.hpp"

#include <algorithm>
#include <cmath>

namespace lipkin::test {
namespace {

// What remains of the solver's tolerance of 1e-11 m/s after fifty steps in a mechanism that multiplies it; forces are
// found from velocities by division by a step of 1e-3 s.
constexpr double kMotionTolerance = 1e-6, kForceTolerance = 1e-5;

using Values = std::vector<std::vector<Eigen::Vector3d>>;

// Sizes that differences are measured against, by quantity: what the mechanism reaches, but not less than what is
// usual for these mechanisms of about a metre and a kilogram.
std::array<double, kQuantityCount> scales(const std::vector<Entry>& entries, const Values& values) {
  std::array<double, kQuantityCount> scale;
  scale.fill(1);
  for (std::size_t w = 1; w < values.size(); ++w)
    for (std::size_t i = 0; i < entries.size(); ++i) {
      double& s = scale[static_cast<int>(entries[i].quantity)];
      s = std::max(s, values[w][i].norm());
    }
  return scale;
}

Disagreement largest_difference(const std::vector<Entry>& entries, const Values& a, const Values& b,
                                const std::set<Quantity>& skip, bool compares_forces_at_start) {
  const auto scale = scales(entries, a);
  Disagreement worst;
  worst.relative = {0};
  double worst_in_tolerances = 0;
  for (std::size_t w = 0; w < a.size(); ++w)
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const Quantity quantity = entries[i].quantity;
      if (skip.contains(quantity) || (w == 0 && is_force(quantity) && !compares_forces_at_start)) continue;
      const double relative = (a[w][i] - b[w][i]).norm() / scale[static_cast<int>(quantity)];
      const double in_tolerances = relative / (is_force(quantity) ? kForceTolerance : kMotionTolerance);
      if (in_tolerances <= worst_in_tolerances && !std::isnan(relative)) continue;
      worst_in_tolerances = std::isnan(relative) ? 1e300 : in_tolerances;
      worst = {quantity, entries[i].what, static_cast<int>(w), a[w][i], b[w][i], {relative}};
    }
  return worst;
}

bool is_rounding(const Disagreement& d) {
  return d.relative[0] <= (is_force(d.quantity) ? kForceTolerance : kMotionTolerance);
}

Mechanism with_step(const Mechanism& mechanism, int halvings) {
  Mechanism finer = mechanism;
  finer.experiment.dt = std::ldexp(mechanism.experiment.dt, -halvings);
  return finer;
}

// Mechanisms near a position in which they jam multiply every difference; nothing follows from theirs.
bool is_wild(const std::vector<Entry>& entries, const Trace& trace) {
  constexpr double kFastest = 200, kStrongest = 2e4;  // [m/s] or [rad/s]; [N] or [N m]
  for (const auto& window : trace.values)
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const Quantity q = entries[i].quantity;
      const bool is_speed = q == Quantity::kVelocity || q == Quantity::kSpin || q == Quantity::kRate;
      if (window[i].norm() > (is_speed ? kFastest : kStrongest) && (is_speed || is_force(q))) return true;
    }
  return false;
}

std::optional<Comparison> trouble(const Trace& before, const Trace& after) {
  if (!before.ran()) return Comparison{Verdict::kNoReference, before.refused, {}};
  if (before.statistics.unconverged_steps > 0) return Comparison{Verdict::kNoReference, "not converged", {}};
  if (!after.ran()) return Comparison{after.has_failed ? Verdict::kFailed : Verdict::kRefused, after.refused, {}};
  if (after.statistics.unconverged_steps > 0) return Comparison{Verdict::kUnconverged, "not converged", {}};
  return {};
}

}  // namespace

std::string Comparer::unfit() {
  const Trace& trace = reference(mechanism_, 0);
  if (!trace.ran()) return trace.refused;
  if (trace.statistics.unconverged_steps > 0) return "its solver does not converge";
  return is_wild(entries_, trace) ? "it jams or flies apart" : "";
}

Comparer::Comparer(Mechanism mechanism) : mechanism_(std::move(mechanism)), entries_(entries_of(mechanism_)) {}

const Trace& Comparer::reference(const Mechanism& mechanism, int halvings) {
  const auto key = std::make_pair(mechanism.experiment.coordinates, halvings);
  const auto found = references_.find(key);
  if (found != references_.end()) return found->second;
  return references_[key] = run(with_step(mechanism, halvings), entries_);
}

Comparison Comparer::compare(const Restatement& restatement, std::uint64_t seed) {
  const std::optional<Restated> restated = restatement.apply(mechanism_, seed);
  if (!restated) return {Verdict::kNotApplicable, {}, {}};
  return restated->agreement == Agreement::kRounding ? compare_to_rounding(*restated) : compare_by_steps(*restated);
}

namespace {

// Turned joints count the other way; what they pass on acts on the other body, and is not compared.
void turn_back(const std::set<std::string>& joints, const std::vector<Entry>& entries, const Trace& before,
               Trace& after) {
  for (const std::string& joint : joints)
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (!entries[i].what.starts_with("joint." + joint + ".")) continue;
      for (std::size_t w = 0; w < after.values.size(); ++w)
        after.values[w][i] = is_force(entries[i].quantity) ? before.values[w][i] : Eigen::Vector3d(-after.values[w][i]);
    }
}

Trace run_restated(const Restated& restated, const Mechanism& original, const Trace& before, int halvings) {
  const std::vector<Entry> entries = entries_of(original, restated.names);
  const Mechanism finer = with_step(restated.mechanism, halvings);
  Trace after = restated.runner ? restated.runner(finer, entries) : run(finer, entries, restated.placement);
  if (before.ran() && after.ran()) turn_back(restated.turned_joints, entries, before, after);
  return after;
}

std::set<Quantity> skip_for(const Restated& restated, const Mechanism& mechanism, const Trace& trace,
                            const std::vector<Entry>& entries) {
  std::set<Quantity> skip = restated.not_compared;
  if (!has_unique_forces(mechanism, trace, entries))
    skip.insert({Quantity::kMotorForce, Quantity::kReaction, Quantity::kMoment, Quantity::kContact});
  return skip;
}

}  // namespace

Comparison Comparer::compare_to_rounding(const Restated& restated) {
  const Mechanism& base = restated.reference ? *restated.reference : mechanism_;
  const Trace& before = reference(base, 0);
  const Trace after = run_restated(restated, mechanism_, before, 0);
  if (auto found = trouble(before, after)) return *found;
  const std::set<Quantity> skip = skip_for(restated, mechanism_, before, entries_);
  const Disagreement worst = largest_difference(entries_, before.values, after.values, skip, true);
  if (is_rounding(worst)) return {Verdict::kAgrees, {}, {}, worst.relative[0]};
  return {Verdict::kDisagrees, {}, worst, worst.relative[0]};
}

Comparison Comparer::compare_by_steps(const Restated& restated) {
  std::vector<double> relative;
  Disagreement worst;
  for (int halvings = 0; halvings <= 5; ++halvings) {
    const Trace& before = reference(mechanism_, halvings);
    const Trace after = run_restated(restated, mechanism_, before, halvings);
    if (auto found = trouble(before, after)) return *found;
    const std::set<Quantity> skip = skip_for(restated, mechanism_, before, entries_);
    worst = largest_difference(entries_, before.values, after.values, skip, false);
    relative.push_back(worst.relative[0]);
    // Half of the step, half of the difference. By chance it may be small at one step, and what happens at one time
    // falls into a step sooner or later: it is compared with the largest of the first three.
    const double first = *std::max_element(relative.begin(), relative.begin() + std::min(3, halvings + 1));
    const bool falls = halvings >= 2 && relative.back() < first * std::pow(0.5, halvings) * 1.5;
    const bool falls_late = halvings >= 4 && relative.back() < 0.3 * first;
    if (is_rounding(worst) || falls || falls_late) return {Verdict::kAgrees, {}, {}, first};
  }
  worst.relative = relative;
  return {Verdict::kDisagrees, {}, worst, relative.back()};
}

}  // namespace lipkin::test
