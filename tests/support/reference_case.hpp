// A reference case of tests/data/reference: values of several quantities over time, with the digits to be trusted.
#pragma once

#include <string>
#include <vector>

namespace lipkin::test {

struct ReferenceCase {
  std::string name;
  std::vector<double> times;                // [s]
  std::vector<std::vector<double>> values;  // per time, per quantity
  std::vector<double> trusted;              // per time: what the absolute error of the reference is below
};

// Reads tests/data/reference/NAME.json.
ReferenceCase read_reference(const std::string& name);

}  // namespace lipkin::test
