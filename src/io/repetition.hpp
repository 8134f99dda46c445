// Copies of an item with `repeat`.
#pragma once

#include <functional>

#include "io/value_reader.hpp"

namespace lipkin {

// Calls `use` once for an item without `repeat`, otherwise once per copy with the indices in scope.
void for_each_copy(const Node& item, const Scope& scope, ValueReader& values,
                   const std::function<void(const Scope&)>& use);

}  // namespace lipkin
