// The same mechanism said in other ways gives the same answer.
//
// More than a bounded number on demand:
//   LIPKIN_EQUIVALENCE_COUNT=2000 LIPKIN_EQUIVALENCE_FOLDER=findings lipkin_equivalence_tests
// and LIPKIN_EQUIVALENCE_SEED=n for the first seed, LIPKIN_EQUIVALENCE_ONLY=mirrored for some restatements.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

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
}

}  // namespace
}  // namespace lipkin::test
