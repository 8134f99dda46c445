// Closes loops at load, from an approximate state.
#pragma once

#include <string>

#include "constraints/projection.hpp"

namespace lipkin {

// How far things moved.
struct Assembled {
  double moved = 0;     // largest change of a coordinate [m] or [rad]
  double was_open = 0;  // largest gap before [m] or [rad]
  std::string worst;    // whose gap that was
};

class LoopAssembly {
 public:
  LoopAssembly(BilateralSystem& bilateral, DriveTargets& targets, Projection& projection)
      : bilateral_(bilateral), targets_(targets), projection_(projection) {}

  // By damped Newton steps, then the velocities. Throws InputError naming what cannot be closed.
  Assembled assemble(const ModelData& model, State& state, Workspace& work);

 private:
  bool is_upright(const ModelData& model, const Workspace& work) const;
  bool close_by_stages(const ModelData& model, State& state, Workspace& work);
  bool close_within_limits(const ModelData& model, State& state, Workspace& work);

  // closest_approach.cpp: how near the frames of what cannot be closed come, to be told.
  double closest_gap(const ModelData& model, State& state, Workspace& work, int* row);
  double measure_squares(const ModelData& model, const State& state, Workspace& work);
  bool shrink_gaps(const ModelData& model, const std::vector<double>& z, double longest, double shortest, State& state,
                   Workspace& work);

  BilateralSystem& bilateral_;
  DriveTargets& targets_;
  Projection& projection_;
};

}  // namespace lipkin
