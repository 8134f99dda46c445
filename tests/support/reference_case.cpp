#include "support/reference_case.hpp"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

namespace lipkin::test {

namespace {

// The chaotic case tells at each time how far two codes in double precision agree: 2.5e-10 are 9 decimal places, as its
// digits_trusted has them for the whole interval. At the start they agree exactly.
constexpr const char* kByTime = "agreement_by_time_vs_double_precision_maximal_coordinates";

double trusted_places(double agreement) { return agreement > 0 ? std::floor(-std::log10(agreement)) : 15; }

}  // namespace

ReferenceCase read_reference(const std::string& name) {
  std::ifstream file(std::string(LIPKIN_SOURCE_DIR) + "/tests/data/reference/" + name + ".json");
  const nlohmann::json json = nlohmann::json::parse(file);
  ReferenceCase reference;
  reference.name = name;
  reference.times = json.at("times").get<std::vector<double>>();
  reference.values = json.at("values").get<std::vector<std::vector<double>>>();
  reference.trusted.assign(reference.times.size(), std::pow(10.0, -json.at("digits_trusted").get<double>()));
  if (json.contains(kByTime))
    for (std::size_t n = 0; n < reference.times.size(); ++n)
      reference.trusted[n] = std::pow(10.0, -trusted_places(json.at(kByTime).at(n).get<double>()));
  return reference;
}

}  // namespace lipkin::test
