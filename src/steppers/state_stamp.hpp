// The state that an adaptive stepper left behind, to see whether the next step goes on from there.
#pragma once

#include "lipkin/state.hpp"
#include "model/model_data.hpp"

namespace lipkin {

class StateStamp {
 public:
  explicit StateStamp(const ModelData& model);  // with room for its states

  // Whether nothing has changed since remember() that forces depend on: neither the motion nor what is set from
  // outside nor what controllers, activations and tyres remember. Pushes, drags and edits make steppers forget.
  bool matches(const State& state) const;
  void remember(const State& state);
  void forget() { known_ = false; }

 private:
  bool known_ = false;
  double t_ = 0;
  std::vector<double> q_, u_, applied_, control_, inputs_, memory_;
};

}  // namespace lipkin
