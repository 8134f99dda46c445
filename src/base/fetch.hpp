// Asks for memory before it is needed.
#pragma once

#include <cstddef>

namespace lipkin {

inline constexpr std::size_t kCacheLine = 64;  // [bytes]

template <class T>
void fetch(const T& object) {
  const auto* bytes = reinterpret_cast<const char*>(&object);
  for (std::size_t at = 0; at < sizeof(T); at += kCacheLine) __builtin_prefetch(bytes + at);
  if (sizeof(T) > alignof(T)) __builtin_prefetch(bytes + sizeof(T) - 1);  // where it ends in one more line
}

// Room for `count` objects that will be written; it may lie beyond the end of a list.
template <std::size_t count, class T>
void fetch_to_write(const T* objects) {
  const auto* bytes = reinterpret_cast<const char*>(objects);
  for (std::size_t at = 0; at < count * sizeof(T); at += kCacheLine) __builtin_prefetch(bytes + at, 1);
}

}  // namespace lipkin
