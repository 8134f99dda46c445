// Every published robot beside the checkout against its reference dynamics, through the program as a user calls it.
// Their files are other people's and stay in ../shared/models; without them there is nothing to compare with.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cli/program.hpp"

namespace lipkin::test {
namespace {

namespace fs = std::filesystem;

fs::path models_folder() { return fs::path(LIPKIN_SOURCE_DIR).parent_path() / "shared" / "models"; }

constexpr double kMatch = 1e-9;       // of M and bias, relative to the largest entry: index.json
constexpr double kBiasFloor = 1e-10;  // of the weight, where the bias itself is nearly zero: index.json

double largest(const Json& list) {
  double result = 0;
  for (const Json& x : list) result = std::max(result, std::abs(x.get<double>()));
  return result;
}

double difference(const Json& ours, const Json& theirs) {
  if (!ours.is_array() || ours.size() != theirs.size()) return std::numeric_limits<double>::infinity();
  double result = 0;
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    if (!ours[i].is_number()) return std::numeric_limits<double>::infinity();
    result = std::max(result, std::abs(ours[i].get<double>() - theirs[i].get<double>()));
  }
  return result;
}

// The worst differences over what is allowed, so that 1 is the limit.
struct Match {
  double M = 0, bias = 0, acceleration = 0;  // relative differences
  double worst = 0;                          // over what is allowed

  void add(const Json& ours, const Json& theirs, double weight, double acceleration_tolerance) {
    const double m = difference(ours["M_lower"], theirs["M_lower"]) / largest(theirs["M_lower"]);
    const double scale = std::max(largest(theirs["bias"]), kBiasFloor / kMatch * weight);
    const double b = difference(ours["bias"], theirs["bias"]) / scale;
    M = std::max(M, m);
    bias = std::max(bias, b);
    worst = std::max({worst, m / kMatch, b / kMatch});
    if (!theirs.contains("qacc") || theirs["qacc"].is_null()) return;
    if (largest(theirs["bias"]) < kBiasFloor * weight) return;  // then the accelerations are rounding
    const double a = difference(ours["qacc"], theirs["qacc"]) / largest(theirs["qacc"]);
    acceleration = std::max(acceleration, a);
    worst = std::max(worst, a / acceleration_tolerance);
  }
};

class ModelReferences : public ProgramTest {
 protected:
  // False where the file does not load or an answer is missing.
  bool compare(const std::string& file, const Json& model, const Json& reference, Match& match) {
    const fs::path reference_path = models_folder() / reference["file"].get<std::string>();
    std::vector<std::string> arguments = {"eval", (models_folder() / file).string(), "--states",
                                          reference_path.string()};
    if (reference.contains("base")) {
      arguments.push_back("--base");
      arguments.push_back(reference["base"].get<std::string>());
    }
    const Outcome outcome = lipkin(arguments);
    if (outcome.exit_code != 0) {
      fmt::print("  {}: {}\n", file, outcome.err.substr(0, 300));
      return false;
    }
    const Json ours = outcome.json(), theirs = Json::parse(read_text(reference_path));
    const double mass = model.value("sum_of_link_masses", model.value("total_mass", 0.0));
    for (std::size_t i = 0; i < theirs["cases"].size(); ++i) {
      const Json &mine = ours["cases"][i], &other = theirs["cases"][i];
      match.add(mine, other, 9.81 * mass, other.value("qacc_rel_tol", kMatch));
      if (other.contains("mimic") && mine.contains("mimic"))
        match.add(mine["mimic"], other["mimic"], 9.81 * mass, other.value("qacc_rel_tol", kMatch));
      if (other.contains("mimic") && !mine.contains("mimic")) return false;
    }
    return true;
  }

  void compare_all(const std::string& format) {
    if (!fs::exists(models_folder() / "index.json"))
      GTEST_SKIP() << "no " << models_folder() / "index.json"
                   << ": no published models to compare with";
    const Json index = Json::parse(read_text(models_folder() / "index.json"));
    int files = 0, loaded = 0, matched = 0;
    double worst = 0;
    fmt::print("{:<28} {:<9} {:>9} {:>9} {:>9}  {}\n", "model", "base", "M", "bias", "qacc", "of what is allowed");
    for (const Json& model : index["models"]) {
      if (model["format"] != format) continue;
      for (const Json& reference : model["references"]) {
        const std::string valid_for = reference["valid_for"];
        for (const char* key : {"path", "nomesh_path"}) {
          const bool is_valid = std::string(key) == "path"
                                    ? valid_for.find("and path") != std::string::npos || valid_for.rfind("path", 0) == 0
                                    : valid_for.find("nomesh_path") != std::string::npos;
          if (!is_valid) continue;
          Match match;
          ++files;
          const bool is_loaded = compare(model[key], model, reference, match);
          loaded += is_loaded ? 1 : 0;
          matched += is_loaded && match.worst <= 1 ? 1 : 0;
          worst = std::max(worst, match.worst);
          fmt::print("{:<28} {:<9} {:9.1e} {:9.1e} {:9.1e}  {:.1e}{}\n",
                     model["id"].get<std::string>() + (*key == 'n' ? " (no mesh)" : ""), reference.value("base", "-"),
                     match.M, match.bias, match.acceleration, match.worst,
                     is_loaded && match.worst <= 1 ? "" : "  <--");
        }
      }
    }
    fmt::print("{} files, {} loaded, {} matched, worst difference {:.1e} of what is allowed\n", files, loaded, matched,
               worst);
    EXPECT_EQ(loaded, files);
    EXPECT_EQ(matched, files);
  }
};

TEST_F(ModelReferences, Urdf) { compare_all("urdf"); }

TEST_F(ModelReferences, Mjcf) { compare_all("mjcf"); }

TEST_F(ModelReferences, WhatMustBeRefusedIs) {
  if (!fs::exists(models_folder() / "index.json"))
    GTEST_SKIP() << "no " << models_folder() / "index.json"
                 << ": no published models to compare with";
  const Json index = Json::parse(read_text(models_folder() / "index.json"));
  for (const Json& model : index["models"]) {
    if (model["format"] != "urdf" || model.value("expect", "").rfind("reject", 0) != 0) continue;
    const Outcome outcome = lipkin({"check", (models_folder() / model["path"].get<std::string>()).string()});
    EXPECT_EQ(outcome.exit_code, 2) << model["id"];
    fmt::print("{}: {}", model["id"].get<std::string>(), outcome.err.substr(0, 300));
  }
}

}  // namespace
}  // namespace lipkin::test
