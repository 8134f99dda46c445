// Internal invariants: a failure is a bug of ours. Compiled in with LIPKIN_CHECKS (presets dev, asan-ubsan, tsan).
#pragma once

#include <string>

#include "lipkin/error.hpp"

#if defined(LIPKIN_CHECKS)
#define LIPKIN_CHECK(condition)                                                              \
  do {                                                                                       \
    if (!(condition))                                                                        \
      throw ::lipkin::InternalError(std::string(__FILE__) + ":" + std::to_string(__LINE__) + \
                                    ": internal check failed: " #condition);                 \
  } while (false)
#else
#define LIPKIN_CHECK(condition) static_cast<void>(0)
#endif
