// Coordinates that the tree does not have: what loops leave free, and lengths of tendons.
#pragma once

#include "model/tendon_path.hpp"
#include "state/workspace.hpp"
#include "tree/closure_rows.hpp"

namespace lipkin {

// Rate of one coordinate, whoever has it.
double coordinate_rate(const DofRef& dof, const ModelData& model, const double* u, const KinematicsWork& kinematics);

// Whether that rate changes at constant velocities u of the tree: not that of a joint of the tree, which is one of
// them.
bool rate_may_change(const DofRef& dof, const ModelData& model);

// How that rate changes at constant velocities, by a central difference along the motion over 2 dt: dJ/dt · u. Sets
// `there` and q_there, of the model's sizes.
double coordinate_rate_change(const DofRef& dof, const ModelData& model, const double* q, const double* u, double dt,
                              double* q_there, KinematicsWork& there);

// The coordinates of all closures and tendons of the model: angles nearest to those before, in closure_q.
void update_dependent_coordinates(const ModelData& model, const double* q, const KinematicsWork& kinematics,
                                  double* closure_q);
// The same with the frames of the closures at these poses.
void update_dependent_coordinates(const ModelData& model, const double* q, const ClosureFrames* frames,
                                  const KinematicsWork& kinematics, double* closure_q);

// Before a step of h at velocities V_WL: angles of closures that it leads so far that the turn nearest to now may be
// another one are put to where it leads, for the next update to be nearest to that. kinematics: the poses of now.
void lead_angles(const ModelData& model, const KinematicsWork& kinematics, const Motion<double>* V_WL, double h,
                 double* closure_q);

// Whether velocities u are so large that it may put any: no link of a tree turns faster than all its joints together.
bool may_lead_angles(double h, const std::vector<double>& u);

// Where no step has led: the turn of a screw that closes a loop is the one that its advance says.
void find_screw_turns(const ModelData& model, const KinematicsWork& kinematics, double* closure_q);

}  // namespace lipkin
