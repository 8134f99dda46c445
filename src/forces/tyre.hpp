// Tyres on the ground (docs/theory/tyres.md).
//
// The tread is a bristle that sticks to the ground and is sheared by z [m], along the wheel and across it. With slip
// velocity v [m/s] of the wheel where it touches, roll speed v_r, tread stiffness k = C / sigma and f the part of the
// friction ellipse that k z uses,
//
//   z' = -v - g(f) |v_r| z / sigma,   F = k z + d z',   |F| within the ellipse mu_x N, mu_y N                (1)
//   g(f) = 3 (1 - (1 - f)^(1/3)) / f                                                                         (2)
//
// (1) is the single contact point of Pacejka, Tire and Vehicle Dynamics (3rd ed. 2012), section 7.2, with the length of
// relaxation that falls as the tyre slides; (2) is chosen so that steady rolling gives the brush model of his section
// 3.2: F / (mu N) = 1 - (1 - theta)^3, theta = C s / (3 mu N), s = |v / v_r|. Where nothing rolls, (1) is an elastic
// stick with Coulomb's bound: a parked car stays where it is. Every term takes energy out or stores it.
#pragma once

#include "lipkin/state.hpp"
#include "state/workspace.hpp"

namespace lipkin {

struct TyreState {
  bool touches = false;
  double depth = 0;       // [m]
  double load = 0;        // along the ground's normal [N]
  double forward = 0;     // speed of the wheel without its spin, along the ground [m/s]
  double roll = 0;        // spin times the loaded radius [m/s]
  double slip[2] = {};    // velocity of the wheel at p, along and across [m/s]
  double limit[2] = {};   // mu N [N]
  double shear[2] = {};   // of the tread, within the ellipse [m]
  double used = 0;        // f, 0 to 1
  double force[2] = {};   // on the wheel, along and across [N]
  double resistance = 0;  // torque about the axis [N m]
  Vec3<double> p;         // where it touches, world [m]
  Vec3<double> normal, along, across, axis;
};

// What a tyre does at the world kinematics of a state.
TyreState tyre_state(const ModelData& model, const TyreData& tyre, const KinematicsWork& kinematics,
                     const double* memory);

// Adds the loads of all tyres to work.external. Needs world kinematics.
void load_tyres(const ModelData& model, const State& state, Workspace& work);

// Shears the treads over a step of h that led to the state with these kinematics: (1) along the new velocities,
// implicit in z.
void advance_tyres(const ModelData& model, const KinematicsWork& kinematics, double h, State& state);

// Stored in the carcasses and treads [J].
double tyre_energy(const ModelData& model, const KinematicsWork& kinematics, const double* memory);

}  // namespace lipkin
