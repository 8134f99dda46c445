// Springs, dampers and bushings: what they store and how they pull.
#pragma once

#include "spatial/quaternion.hpp"
#include "state/workspace.hpp"

namespace lipkin {

struct SpringState {
  double length;           // [m]
  double rate;             // [m/s]
  double tension;          // [N]
  Vec3<double> direction;  // from a to b, world; zero when the points coincide
  Vec3<double> p_a, p_b;   // the points in the world [m]
};

SpringState spring_state(const SpringDamperData& spring, const KinematicsWork& kinematics);

// Frame Q against frame P along P: offset [m], rotation vector [rad], their rates, and the force and torque on Q.
struct BushingState {
  Vec3<double> offset, angle, velocity, rate, force, torque;
  Vec3<double> p_Q;  // Q's origin in the world [m]
  Mat3<double> R_WP;
};

BushingState bushing_state(const BushingData& bushing, const KinematicsWork& kinematics);

// Rotation vector of a quaternion or a rotation matrix, at most pi long [rad].
Vec3<double> rotation_vector(const Quaternion<double>& q);
Vec3<double> rotation_vector(const Mat3<double>& R);

// Joint springs, spring-dampers and bushings [J]. closure_q: coordinates of closures there.
double elastic_energy(const ModelData& model, const double* q, const double* closure_q,
                      const KinematicsWork& kinematics);

// What the spring of a row does: its force against the row's rate, and what that grows by with the way along the row.
struct RowElasticity {
  double force = 0;      // [N] or [N m]
  double stiffness = 0;  // [N/m] or [N m/rad]
};

// q: the row's own coordinate; closure_q: those of closures there.
RowElasticity row_elasticity(const ModelData& model, int spring, double q, const double* closure_q);

// tau of joint springs and dampers. ahead: springs are evaluated at the coordinates reached after this time at constant
// velocity, the linear-implicit form used by the Euler stepper together with diag = ahead * damping + ahead^2 *
// stiffness.
void add_joint_forces(const ModelData& model, const double* q, const double* u, double ahead, double* tau);

}  // namespace lipkin
