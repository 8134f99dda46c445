#include "solvers/problem.hpp"

namespace lipkin {

void Problem::clear() {
  z_count = 0;
  blocks.clear();
  runs.clear();
  y.clear();
  b.clear();
  compliance.clear();
  lambda.clear();
  is_familiar = false;
  speed_before = 0;
}

}  // namespace lipkin
