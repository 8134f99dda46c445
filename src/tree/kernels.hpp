// The hot algorithms, compiled once per instruction set (docs/decisions/0002). kernels() is chosen when the program
// starts: the best the processor has, or what the environment variable LIPKIN_ISA names.
#pragma once

#include <cstddef>

#include "state/tree_work.hpp"
#include "tree/whitening.hpp"

namespace lipkin {

struct TreeKernels {
  const char* instruction_set;

  // See articulated_body.hpp and kinematics.hpp.
  void (*forward_dynamics)(const Link* links, int link_count, const Vec3<double>& gravity, const double* q,
                           const double* u, const double* tau, const double* diag, const Force<double>* external,
                           const TreeWork<double>& work, double* du);
  void (*kinematics)(const Link* links, int link_count, const double* q, const double* u, Transform<double>* X_WL,
                     Motion<double>* V_WL, Motion<double>* S_W);
  void (*velocities_at_poses)(const Link* links, int link_count, const double* q, const double* u,
                              const Transform<double>* X_WL, Motion<double>* V_WL, Motion<double>* S_W);
  void (*poses)(const Link* links, int link_count, const double* q, Transform<double>* X_WL);

  // The two halves of forward_dynamics: factors of M, then accelerations from them. See articulated_body.hpp.
  void (*factor)(const Link* links, int link_count, const double* q, const double* diag, const TreeWork<double>& work,
                 const Whitening& white);
  void (*acceleration)(const Link* links, int link_count, const Vec3<double>& gravity, const double* q, const double* u,
                       const double* tau, const Force<double>* external, const TreeWork<double>& work, double* du);

  // See whitened_impulse.hpp. f: six components (n, f) times 8, or times 4, rows beside each other.
  void (*whiten8)(const Link* links, const TreeWork<double>& work, const Whitening& white, int link,
                  const Mat3<double>& R_WL, const double* f, int row_count, int stride, double* y);
  void (*whiten4)(const Link* links, const TreeWork<double>& work, const Whitening& white, int link,
                  const Mat3<double>& R_WL, const double* f, int row_count, int stride, double* y);
  void (*whiten_joint)(const Link* links, const TreeWork<double>& work, const Whitening& white, int link, int dof,
                       double impulse, double* y);
  void (*unwhiten)(const Link* links, int link_count, const TreeWork<double>& work, const Whitening& white,
                   const double* z, Motion<double>* dV, double* du);
  void (*link_velocities)(const Link* links, int link_count, const Transform<double>* X_WL, const Motion<double>* S_W,
                          const double* u, Motion<double>* V_WL);
  void (*retract)(const Link* links, int link_count, const double* q0, double scale, const double* theta, double* q);

  // Batches: `lanes` copies side by side, value k of copy l at [k * lanes + l], 64-byte aligned.
  int lanes;
  std::size_t link_work_bytes, multi_work_bytes;  // per link, per multi_index
  void (*batch_forward_dynamics)(const Link* links, int link_count, const Vec3<double>& gravity, const double* q,
                                 const double* u, const double* tau, const double* diag, const double* external,
                                 void* link_work, void* multi_work, double* du);
  // u += dt du, then q along u.
  void (*batch_advance)(const Link* links, int link_count, int u_count, double dt, const double* du, double* u,
                        double* q);
};

const TreeKernels& kernels_of_this_machine();

inline const TreeKernels& kernels() {
  static const TreeKernels& chosen = kernels_of_this_machine();
  return chosen;
}

}  // namespace lipkin
