// Many mechanisms, each said in every way; what differs, with the smallest mechanism that shows it.
#pragma once

#include <filesystem>

#include "equivalence/compare.hpp"

namespace lipkin::test {

struct SurveySettings {
  std::uint64_t first_seed = 1;
  int count = 100;
  std::string only;  // of the restatements: those with this in their name
  bool shrinks = true;
  std::filesystem::path folder;  // where the smallest mechanisms go; empty: nowhere
};

struct Finding {
  std::uint64_t seed = 0;
  std::string how;  // said in which way
  Comparison comparison;
  std::string features;
  std::string scene;           // the smallest mechanism as a scene file
  std::string restated_scene;  // said otherwise
  std::string cause;           // of a known exception
};

using Seeds = std::vector<std::uint64_t>;

struct Survey {
  int mechanisms = 0;
  std::map<std::string, Seeds> without_reference;  // mechanisms that do not run, by reason
  std::map<std::uint64_t, std::string> unfit;      // their scenes, and those of what did not converge
  std::map<std::string, std::array<int, kVerdictCount>> counts;
  std::map<std::string, std::map<std::string, Seeds>> refusals;  // by restatement and reason
  std::map<std::string, double> largest_agreeing;                // relative difference, by restatement
  std::vector<Finding> findings;
  int unexplained() const;
};

Survey survey(const SurveySettings& settings);
std::string report(const Survey& survey);
void write_findings(const Survey& survey, const std::filesystem::path& folder);

// Why a difference is none of the program's mistakes, or one that is known; empty: it is not known.
std::string known_cause(const std::string& how, const Comparison& comparison, const Mechanism& mechanism);
std::vector<std::string> all_known_causes();

}  // namespace lipkin::test
