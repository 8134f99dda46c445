// One mechanism in two kinds of coordinates: `generalized` against `maximal` at three steps.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "options.hpp"

namespace lipkin::bench {

struct CoordinateCase {
  const char* scene;
  double duration;  // [s]
  double dt;        // the largest of three steps, halved twice [s]
};

// Every scene that is smooth; of the fast ones the first part.
const std::vector<CoordinateCase>& coordinate_cases();

// Root mean square over all bodies of the differences in place [m], velocity [m/s], orientation [rad] and angular
// velocity [rad/s] at the end, for each step.
struct CoordinateDifference {
  std::array<double, 3> size{};
  // Joints that move along straight lines or turn about fixed axes: rounding alone.
  bool is_rounding() const { return size[0] < 1e-11; }
  double ratio(int k) const { return size[k] / size[k + 1]; }
  double order(int k) const { return std::log2(ratio(k)); }
  // First order at least: 2, up to what the second order adds; 4 where one joint carries all and the rest cancels.
  bool falls() const { return is_rounding() || (ratio(0) >= 1.6 && ratio(1) >= 1.8); }
};
CoordinateDifference coordinate_difference(const CoordinateCase& chosen);

// What --cases takes.
std::vector<std::string> coordinate_case_names();

// Prints the report; the exit code.
int run_coordinates_benchmark(const Options& options);

}  // namespace lipkin::bench
