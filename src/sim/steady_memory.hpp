// Coordinates, velocities and forces stay where they are in memory, for those who look at them without a copy.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "lipkin/state.hpp"

namespace lipkin {

// Memory of a size that a state has left is kept, and used again where that size comes back: whoever still looks at it
// sees old values, never somebody else's.
class SteadyMemory {
 public:
  // What replace() may need of the heap.
  void make_room() {
    for (auto& left : left_) left.reserve(left.size() + 1);
  }

  // As `state = std::move(next)`; after make_room().
  void replace(State& state, State& next) noexcept {
    for (std::size_t i = 0; i < kMembers.size(); ++i) keep_place(state.*kMembers[i], next.*kMembers[i], left_[i]);
    state = std::move(next);
  }

 private:
  using Values = std::vector<double>;
  static constexpr std::array kMembers = {&State::q, &State::u, &State::applied, &State::control};

  // Moves `next` into the memory of `now`, or of an earlier one of its size, and leaves it in `next`.
  static void keep_place(Values& now, Values& next, std::vector<Values>& left) noexcept {
    if (now.size() != next.size()) {
      left.push_back(std::move(now));
      const auto fits = [&](const Values& values) { return values.size() == next.size(); };
      const auto found = std::find_if(left.begin(), left.end(), fits);
      if (found == left.end()) return;
      now = std::move(*found);
      left.erase(found);
    }
    std::copy(next.begin(), next.end(), now.begin());
    next.swap(now);
  }

  std::array<std::vector<Values>, 4> left_;
};

}  // namespace lipkin
