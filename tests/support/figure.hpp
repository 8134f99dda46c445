// What a test measured, printed beside its verdict.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace lipkin::test {

template <class... Arguments>
void figure(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::print("[figure] {}\n", fmt::format(format, std::forward<Arguments>(arguments)...));
  std::fflush(stdout);
}

}  // namespace lipkin::test
