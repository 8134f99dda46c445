// Accelerations of links as a person at rest sees them.
#pragma once

#include "state/workspace.hpp"

namespace lipkin {

// Angular acceleration of a link and the acceleration of a point on it, along world axes.
struct LinkAcceleration {
  Vec3<double> alpha, a;
};

// `r_W`: from the link's origin to the point, along world axes. After articulated_body and update_kinematics.
LinkAcceleration link_acceleration(const ModelData& model, const Workspace& work, int link, const Vec3<double>& r_W);

// What moves a body (Newton, Euler): m a of its centre of mass, and dL/dt = I α + ω × I ω about it, along world axes.
Force<double> body_load(const ModelData& model, const Workspace& work, int body);

// Where a body's centre of mass is.
Vec3<double> center_of_body(const ModelData& model, const KinematicsWork& kinematics, int body);

// I ω of a body about its centre of mass, along world axes.
Vec3<double> body_spin(const ModelData& model, const KinematicsWork& kinematics, int body, const Vec3<double>& w_W);

// How the rate of the k-th coordinate of a joint that closes a loop grows.
double closure_acceleration(const ModelData& model, const Workspace& work, int closure, int k);

// What acts along that coordinate of such a joint, its rotor aside: as tau of a joint of the tree. After
// ConstraintSystem::react.
double closure_force(const ModelData& model, const Workspace& work, int joint, int k);

}  // namespace lipkin
