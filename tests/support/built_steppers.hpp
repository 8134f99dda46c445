// The steppers of a list that this build has.
#pragma once

#include <initializer_list>
#include <vector>

#include "lipkin/scene.hpp"

namespace lipkin::test {

inline std::vector<StepperKind> built(std::initializer_list<StepperKind> wanted) {
  std::vector<StepperKind> kinds;
  for (const StepperKind kind : wanted)
    if (is_built(kind)) kinds.push_back(kind);
  return kinds;
}

}  // namespace lipkin::test
