// Energy, momentum, centre of mass and Jacobians from the world kinematics of a state.
#pragma once

#include "state/workspace.hpp"

namespace lipkin {

// Computes KinematicsWork for q and u.
void update_kinematics(const ModelData& model, const double* q, const double* u, KinematicsWork& kinematics);

double kinetic_energy(const ModelData& model, const KinematicsWork& kinematics, const double* u);  // rotors too [J]
double gravitational_energy(const ModelData& model, const KinematicsWork& kinematics);  // zero at the origin [J]
double total_mass(const ModelData& model);                                              // of what moves [kg]

// About the world's origin along world axes: n angular [kg m^2/s], f linear [kg m/s]. Added inertia counts.
Force<double> total_momentum(const ModelData& model, const KinematicsWork& kinematics);

// Of what moves, without added inertia [m]; the world's origin when nothing has mass.
Vec3<double> center_of_mass(const ModelData& model, const KinematicsWork& kinematics);
Vec3<double> center_of_mass_velocity(const ModelData& model, const KinematicsWork& kinematics);

// What each tree joint's parent exerts on its child, into work.joint_force: about the link's origin, which is M's,
// along world axes. After articulated_body with the loads in work.external; needs world kinematics.
void update_joint_forces(const ModelData& model, Workspace& work);

// Velocity of a point of a link, world axes [m/s]; p_W: the point in the world.
Vec3<double> point_velocity(const KinematicsWork& kinematics, int link, const Vec3<double>& p_W);

// 6 x u_count, row-major: angular and linear velocity at the point p_W of the link per unit velocity, world axes.
void link_jacobian(const ModelData& model, const KinematicsWork& kinematics, int link, const Vec3<double>& p_W,
                   double* jacobian);

}  // namespace lipkin
