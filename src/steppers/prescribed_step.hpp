// How long a step may be for the forces of prescribed motions: a motion that a motor prescribes is met at the end of
// every step, however long it is, and what a step sees of its acceleration is the mean.
//
// A motion of angular frequency w changes its acceleration over a step of h by h w of its amplitude; whatever the
// motion, jerk j against acceleration a and velocity v tell: h |j| <= kBend sqrt(a² + |j v|), where the root is the
// amplitude of a harmonic motion at every phase. Accelerations of a tenth of gravity's are taken as enough.
#pragma once

#include "lipkin/state.hpp"
#include "state/workspace.hpp"

namespace lipkin {

// Amplitudes of this part of gravity's are taken as enough.
inline constexpr double kLeastAmplitude = 0.1;

// What an acceleration changes in a step of h over what it may: at most 1 where it is nearly constant. By sizes; least:
// an amplitude that is enough.
double bend(double h, double jerk, double acceleration, double velocity, double least);

// At most `longest`, from which it is halved as often as it takes, but not below `shortest` [s]. Sets work.kinematics
// where targets look at it.
double step_for_prescribed_motions(const ModelData& model, const State& state, double longest, double shortest,
                                   Workspace& work);

}  // namespace lipkin
