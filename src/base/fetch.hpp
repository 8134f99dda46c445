// Asks for memory before it is needed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lipkin {

inline constexpr std::size_t kCacheLine = 64;  // [bytes]

template <class T>
void fetch(const T& object) {
  const auto* bytes = reinterpret_cast<const char*>(&object);
  for (std::size_t at = 0; at < sizeof(T); at += kCacheLine) __builtin_prefetch(bytes + at);
  if (sizeof(T) > alignof(T)) __builtin_prefetch(bytes + sizeof(T) - 1);  // where it ends in one more line
}

// Room for `count` objects that will be written, so many behind the end of a list; as a number, since no pointer may go
// there.
template <std::size_t count, class List>
void fetch_behind(const List& list, std::size_t ahead) {
  constexpr std::size_t kSize = sizeof(typename List::value_type);
  const auto begin = reinterpret_cast<std::uintptr_t>(list.data()) + (list.size() + ahead) * kSize;
  for (std::size_t at = 0; at < count * kSize; at += kCacheLine)
    __builtin_prefetch(reinterpret_cast<const void*>(begin + at), 1);
}

}  // namespace lipkin
