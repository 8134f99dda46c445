// Buffers that only grow.
#pragma once

#include <cstddef>

namespace lipkin {

template <class Values>
void grow(Values& values, std::size_t count) {
  if (values.size() < count) values.resize(count);
}

}  // namespace lipkin
