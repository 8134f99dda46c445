// Counts what is taken from the heap while an action runs. step_allocation_test.cpp replaces malloc and its relatives.
#pragma once

#include <atomic>

namespace lipkin::test {

inline std::atomic<bool> watching{false};
inline std::atomic<long> allocations{0};

template <class Action>
long allocations_in(Action&& action) {
  allocations = 0;
  watching = true;
  action();
  watching = false;
  return allocations;
}

}  // namespace lipkin::test
