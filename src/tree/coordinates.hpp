// Coordinates that the tree does not have: what loops leave free, and lengths of tendons.
#pragma once

#include "model/tendon_path.hpp"
#include "state/workspace.hpp"

namespace lipkin {

// Rate of one coordinate, whoever has it.
double coordinate_rate(const DofRef& dof, const ModelData& model, const double* u, const KinematicsWork& kinematics);

// How that rate changes at constant velocities, by a central difference along the motion over 2 dt: dJ/dt · u. Sets
// `there` and q_there, of the model's sizes.
double coordinate_rate_change(const DofRef& dof, const ModelData& model, const double* q, const double* u, double dt,
                              double* q_there, KinematicsWork& there);

// The coordinates of all closures and tendons of the model: angles nearest to those before, in closure_q.
void update_dependent_coordinates(const ModelData& model, const double* q, const KinematicsWork& kinematics,
                                  double* closure_q);

}  // namespace lipkin
