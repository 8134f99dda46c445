// Scratch of the articulated-body algorithm: one contiguous record per link. Filled by tree/articulated_body.hpp.
#pragma once

#include "model/link.hpp"

namespace lipkin {

// All vectors in the link frame L, about its origin.
template <class T>
struct LinkWork {
  T sin, cos;     // of a revolute joint's angle; out pass
  Mat3<T> R;      // R_PL where X_PF has a rotation, or the joint is not revolute; out pass
  Motion<T> V;    // velocity of the link; out pass
  Motion<T> c;    // velocity product; revolute: components along the axis are not set; out pass
  Force<T> p;     // articulated bias force; out pass starts it, in pass completes it
  Inertia6<T> I;  // articulated inertia; out pass starts it, in pass completes it
  Force<T> UD;    // revolute: U / D; in pass
  T D_inverse;    // revolute: 1 / D; in pass
  T r_D;          // revolute: (tau - Sᵀ p) / D; in pass
  Motion<T> a;    // acceleration of the link, gravity's counter-acceleration included; last pass
};

// What joints other than revolutes keep besides; several degrees of freedom share one record.
template <class T>
struct MultiWork {
  Transform<T> X_PL;  // link frame in the parent's link frame; out pass
  Motion<T> S[6];     // motion subspace along L; out pass
  Force<T> UD[3];     // columns of U D⁻¹ (not for free joints); in pass
  T D_inverse[9];     // row-major n x n (not for free joints; principal links: see PrincipalPasses); in pass
  T r[6];             // tau - Sᵀ p; in pass
  T factor[36];       // free joints: LDLᵀ of the articulated inertia with diag, row-major; in pass
  T diag[6];          // free joints: diag; in pass

  // Links that are alone: what `factor` belongs to where diag is zero, else zero.
  Inertia6<T> factored;
};

// Views into memory that the caller owns (state/workspace.hpp): link 0 is the world.
template <class T>
struct TreeWork {
  LinkWork<T>* links = nullptr;
  MultiWork<T>* multi = nullptr;
};

}  // namespace lipkin
