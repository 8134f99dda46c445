// Runs a scene against a reference case, and says how its error falls with the step.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "lipkin/scene.hpp"
#include "lipkin/simulation.hpp"
#include "support/figure.hpp"
#include "support/reference_case.hpp"

namespace lipkin::test {

using Overrides = std::vector<std::pair<std::string, std::string>>;

// An output of the scene and the place of the same quantity in the reference.
struct Compared {
  const char* output;
  std::size_t column;
};

// The largest value of a quantity up to a time: what its errors are relative to.
inline double size_of(const ReferenceCase& reference, std::size_t column, double until) {
  double size = 0;
  for (std::size_t n = 0; n < reference.times.size() && reference.times[n] <= until; ++n)
    size = std::max(size, std::abs(reference.values[n][column]));
  return size;
}

struct RunError {
  double all = 0;               // root mean square over times and quantities, relative to the size of each
  std::vector<double> largest;  // of each quantity, in its unit
};

// Errors at the reference's times after the start up to `until`, without the projection of a coarser step on the way.
inline RunError run_error(Simulation& simulation, const ReferenceCase& reference,
                          const std::vector<Compared>& quantities, double until) {
  RunError error;
  error.largest.assign(quantities.size(), 0);
  double sum = 0;
  int count = 0;
  for (std::size_t n = 1; n < reference.times.size() && reference.times[n] <= until; ++n) {
    simulation.run(reference.times[n] - simulation.state().t);
    for (std::size_t k = 0; k < quantities.size(); ++k) {
      const Compared& q = quantities[k];
      const double e = simulation.output(q.output) - reference.values[n][q.column];
      error.largest[k] = std::max(error.largest[k], std::abs(e));
      sum += std::pow(e / size_of(reference, q.column, until), 2);
      ++count;
    }
  }
  error.all = std::sqrt(sum / count);
  return error;
}

struct Falling {
  std::vector<double> errors;  // at dt, dt/2, dt/4, ...
  double order = 0;            // slope of a straight line through log error over log dt

  double ratio(std::size_t k) const { return errors[k] / errors[k + 1]; }
};

inline double slope(const std::vector<double>& errors) {
  const double middle = 0.5 * static_cast<double>(errors.size() - 1);
  double above = 0, below = 0;
  for (std::size_t k = 0; k < errors.size(); ++k) {
    const double x = static_cast<double>(k) - middle;
    above -= x * std::log2(errors[k]);
    below += x * x;
  }
  return above / below;
}

template <class ErrorAt>
Falling falling(double dt, int steps, ErrorAt&& error_at) {
  Falling result;
  for (int k = 0; k < steps; ++k, dt /= 2) result.errors.push_back(error_at(dt));
  result.order = slope(result.errors);
  return result;
}

inline void print_order(const char* what, double dt, const Falling& falling) {
  std::string errors;
  for (const double e : falling.errors) errors += fmt::format(" {:.2e}", e);
  figure("{}: error from dt = {:g} s, halved each time:{}; order {:.3f}", what, dt, errors, falling.order);
}

}  // namespace lipkin::test
