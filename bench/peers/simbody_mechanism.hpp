// A plane mechanism in Simbody. Apart from the rest, since Simbody's headers need C++17.
#pragma once

#include <memory>
#include <string>

#include "../planar_mechanism.hpp"

namespace lipkin::bench {

std::string simbody_name();

class SimbodyMechanism {
 public:
  SimbodyMechanism(const PlanarMechanism& mechanism, double dt);
  ~SimbodyMechanism();

  void step(double t);        // from t to t + dt
  void read(RodState* rods);  // one for each rod of the mechanism

 private:
  class System;
  std::unique_ptr<System> system_;
};

}  // namespace lipkin::bench
