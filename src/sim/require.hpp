#pragma once

#include "lipkin/error.hpp"

namespace lipkin {

inline void require(bool condition, const char* message) {
  if (!condition) throw InvalidArgument(message);
}

}  // namespace lipkin
