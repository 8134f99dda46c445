#include "equivalence/survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <regex>

#include "equivalence/random_mechanism.hpp"
#include "equivalence/shrink.hpp"
#include "lipkin/export.hpp"

namespace lipkin::test {
namespace {

// Reasons that differ in a name or a number alone are one reason.
std::string kind_of(const std::string& reason) {
  static const std::regex number("[-+]?[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)?"), name("'[^']*'");
  return std::regex_replace(std::regex_replace(reason.substr(0, reason.find('\n')), name, "'..'"), number, "#");
}

std::string scene_text(const Mechanism& mechanism, const std::string& remark, const std::string& variable) {
  Outputs outputs;
  if (!variable.empty()) outputs.push_back({"seen", variable, "", {}});
  try {
    return remark + write_scene(build(mechanism, outputs)).text;
  } catch (const Error&) {
    return remark + write_scene(build(mechanism)).text;
  }
}

std::string remark_on(const Finding& finding) {
  std::string text = fmt::format("# said in another way: {}\n", finding.how);
  if (!finding.comparison.reason.empty()) text += fmt::format("# {}\n", finding.comparison.reason);
  if (const auto& d = finding.comparison.disagreement) {
    text += fmt::format("# {} at {:.2f} s: {:.9g} {:.9g} {:.9g} and {:.9g} {:.9g} {:.9g}; relative difference", d->what,
                        d->window * kWindow, d->said_before.x(), d->said_before.y(), d->said_before.z(),
                        d->said_otherwise.x(), d->said_otherwise.y(), d->said_otherwise.z());
    for (const double relative : d->relative) text += fmt::format(" {:.2e}", relative);
    text += '\n';
  }
  return text;
}

bool is_wrong(Verdict verdict) { return verdict == Verdict::kDisagrees || verdict == Verdict::kFailed; }

Mechanism smallest_with(const Mechanism& mechanism, const Comparison& first, const Restatement& restatement,
                        std::uint64_t seed) {
  return shrink(mechanism, [&](const Mechanism& candidate) {
    Comparer comparer(candidate);
    if (!is_consistent(candidate) || !comparer.unfit().empty()) return false;
    const Comparison c = comparer.compare(restatement, seed);
    if (c.verdict != first.verdict || !known_cause(restatement.how, c, candidate).empty()) return false;
    return !first.disagreement || c.disagreement->relative.back() > 0.1 * first.disagreement->relative.back();
  });
}

Finding make_finding(const Mechanism& mechanism, const Comparison& first, const Restatement& restatement,
                     std::uint64_t seed, bool shrinks) {
  const std::string cause = known_cause(restatement.how, first, mechanism);
  const bool is_known = !cause.empty() || !shrinks;
  const Mechanism smallest = is_known ? mechanism : smallest_with(mechanism, first, restatement, seed);
  Finding finding{seed, restatement.how, first, features(smallest), {}, {}, cause};
  if (!is_known) finding.comparison = Comparer(smallest).compare(restatement, seed);
  const std::string what = finding.comparison.disagreement ? finding.comparison.disagreement->what : "";
  finding.scene = scene_text(smallest, remark_on(finding), what);
  if (const auto restated = restatement.apply(smallest, seed))
    finding.restated_scene = scene_text(restated->mechanism, "", what);
  return finding;
}

void look_at(std::uint64_t seed, const SurveySettings& settings, Survey& survey) {
  Comparer comparer(random_mechanism(seed));
  ++survey.mechanisms;
  if (const std::string reason = comparer.unfit(); !reason.empty()) {
    survey.without_reference[kind_of(reason)].push_back(seed);
    survey.unfit[seed] = scene_text(comparer.mechanism(), "", "");
    return;
  }
  for (const Restatement& restatement : restatements()) {
    if (restatement.how.find(settings.only) == std::string::npos) continue;
    const Comparison c = comparer.compare(restatement, seed);
    ++survey.counts[restatement.how][static_cast<int>(c.verdict)];
    if (c.verdict == Verdict::kAgrees)
      survey.largest_agreeing[restatement.how] = std::max(survey.largest_agreeing[restatement.how], c.relative);
    if (c.verdict == Verdict::kUnconverged) survey.unfit[seed] = scene_text(comparer.mechanism(), "", "");
    if (!c.reason.empty()) survey.refusals[restatement.how][kind_of(c.reason)].push_back(seed);
    if (is_wrong(c.verdict))
      survey.findings.push_back(make_finding(comparer.mechanism(), c, restatement, seed, settings.shrinks));
  }
}

}  // namespace

int Survey::unexplained() const {
  return static_cast<int>(std::ranges::count_if(findings, [](const Finding& f) { return f.cause.empty(); }));
}

Survey survey(const SurveySettings& settings) {
  Survey survey;
  for (int i = 0; i < settings.count; ++i) look_at(settings.first_seed + i, settings, survey);
  return survey;
}

namespace {

std::string table(const Survey& survey) {
  std::string text = fmt::format("{:34}{:>8}{:>10}{:>9}{:>9}{:>8}{:>13}{:>12}{:>14}\n", "said in another way", "agrees",
                                 "disagrees", "not said", "refused", "fails", "unconverged", "no refer.", "differs by");
  for (const Restatement& r : restatements()) {
    const auto found = survey.counts.find(r.how);
    if (found == survey.counts.end()) continue;
    const auto& n = found->second;
    const auto largest = survey.largest_agreeing.find(r.how);
    text += fmt::format("{:34}{:>8}{:>10}{:>9}{:>9}{:>8}{:>13}{:>12}{:>14.1e}\n", r.how, n[0], n[1], n[2], n[3], n[4],
                        n[5], n[6], largest == survey.largest_agreeing.end() ? 0.0 : largest->second);
  }
  return text;
}

std::string some_of(const Seeds& seeds) {
  std::string text = "  seeds";
  for (std::size_t i = 0; i < std::min<std::size_t>(seeds.size(), 4); ++i) text += fmt::format(" {}", seeds[i]);
  return text + '\n';
}

std::string grouped_findings(const Survey& survey) {
  std::map<std::string, Seeds> groups;
  for (const Finding& f : survey.findings) {
    const std::string what = f.comparison.disagreement ? std::string(name_of(f.comparison.disagreement->quantity))
                                                       : kind_of(f.comparison.reason);
    groups[f.cause.empty() ? fmt::format("{:30} {:16} [{}]", f.how, what, f.features)
                           : fmt::format("{:30} known: {}", f.how, f.cause)]
        .push_back(f.seed);
  }
  std::string text;
  for (const auto& [group, seeds] : groups) text += fmt::format("{:4} {}{}", seeds.size(), group, some_of(seeds));
  return text;
}

}  // namespace

std::string report(const Survey& survey) {
  std::string text = fmt::format("{} mechanisms, {} differences, {} of them unexplained\n\n", survey.mechanisms,
                                 survey.findings.size(), survey.unexplained());
  text += table(survey);
  for (const auto& [reason, seeds] : survey.without_reference)
    text += fmt::format("{:4} do not run: {}{}", seeds.size(), reason, some_of(seeds));
  for (const auto& [how, reasons] : survey.refusals)
    for (const auto& [reason, seeds] : reasons)
      text += fmt::format("{:4} {}: {}{}", seeds.size(), how, reason, some_of(seeds));
  text += "\n" + grouped_findings(survey);
  for (const std::string& cause : all_known_causes())
    if (std::ranges::none_of(survey.findings, [&](const Finding& f) { return f.cause == cause; }))
      text += fmt::format("   0 known cause, not seen here: {}\n", cause);
  return text;
}

void write_findings(const Survey& survey, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (const auto& [seed, scene] : survey.unfit) std::ofstream(folder / fmt::format("{}-unfit.yaml", seed)) << scene;
  for (const Finding& f : survey.findings) {
    std::string how = f.how;
    std::ranges::replace_if(
        how, [](char c) { return c == ' ' || c == ','; }, '-');
    std::ofstream(folder / fmt::format("{}-{}.yaml", f.seed, how)) << f.scene;
    std::ofstream(folder / fmt::format("{}-{}-restated.yaml", f.seed, how)) << f.restated_scene;
  }
}

}  // namespace lipkin::test
