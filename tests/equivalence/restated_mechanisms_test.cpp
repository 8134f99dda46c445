// The same mechanism said in other ways gives the same answer.
//
// More than a bounded number on demand:
//   LIPKIN_EQUIVALENCE_COUNT=2000 LIPKIN_EQUIVALENCE_FOLDER=findings lipkin_equivalence_tests
// and LIPKIN_EQUIVALENCE_SEED=n for the first seed, LIPKIN_EQUIVALENCE_ONLY=mirrored for some restatements.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "equivalence/random_mechanism.hpp"
#include "equivalence/shrink.hpp"
#include "equivalence/survey.hpp"

namespace lipkin::test {
namespace {

std::string asked(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value ? value : otherwise;
}

TEST(RestatedMechanisms, GiveTheSameAnswer) {
  SurveySettings settings;
  settings.count = std::stoi(asked("LIPKIN_EQUIVALENCE_COUNT", "100"));
  settings.first_seed = std::stoull(asked("LIPKIN_EQUIVALENCE_SEED", "1"));
  settings.only = asked("LIPKIN_EQUIVALENCE_ONLY", "");
  settings.shrinks = asked("LIPKIN_EQUIVALENCE_SHRINK", "1") == "1";
  settings.folder = asked("LIPKIN_EQUIVALENCE_FOLDER", "");
  const Survey result = survey(settings);
  std::cout << report(result);
  if (!settings.folder.empty()) write_findings(result, settings.folder);
  EXPECT_EQ(result.unexplained(), 0);
  if (result.mechanisms < 100) return;
  for (const auto& [how, counts] : result.counts)
    EXPECT_GT(counts[static_cast<int>(Verdict::kAgrees)], 0) << how << ": nothing was compared";
}

// What would be blind to a real difference would find none.
Verdict verdict_on(Agreement agreement, double gravity_factor) {
  const Restatement changed{"changed", [=](const Mechanism& mechanism, std::uint64_t) {
                              Restated r{"changed", mechanism, agreement};
                              r.mechanism.gravity *= gravity_factor;
                              return std::optional(r);
                            }};
  return Comparer(random_mechanism(13)).compare(changed, 1).verdict;
}

TEST(Comparer, SeesAChangeOfATenThousandth) {
  EXPECT_EQ(verdict_on(Agreement::kRounding, 1), Verdict::kAgrees);
  EXPECT_EQ(verdict_on(Agreement::kRounding, 1.0001), Verdict::kDisagrees);
}

TEST(Comparer, SeesADifferenceThatDoesNotFallWithTheStep) {
  EXPECT_EQ(verdict_on(Agreement::kOrderOfStep, 1), Verdict::kAgrees);
  EXPECT_EQ(verdict_on(Agreement::kOrderOfStep, 1.01), Verdict::kDisagrees);
}

TEST(Shrink, LeavesWhatShowsIt) {
  const Mechanism mechanism = random_mechanism(26);
  const auto has_push = [](const Mechanism& m) { return m.experiment.commands.size() == 1; };
  Mechanism with_one = mechanism;
  with_one.experiment.commands.resize(1);
  const Mechanism smallest = shrink(with_one, has_push);
  EXPECT_EQ(smallest.bodies.size(), 1u);
  EXPECT_EQ(smallest.experiment.commands.size(), 1u);
  EXPECT_TRUE(smallest.forces.empty() && smallest.springs.empty());
}

}  // namespace
}  // namespace lipkin::test
