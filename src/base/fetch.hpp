// Asks for memory before it is needed.
#pragma once

#include <cstddef>

namespace lipkin {

template <class T>
void fetch(const T& object) {
  constexpr std::size_t kLine = 64;
  const auto* bytes = reinterpret_cast<const char*>(&object);
  for (std::size_t at = 0; at < sizeof(T); at += kLine) __builtin_prefetch(bytes + at);
}

}  // namespace lipkin
