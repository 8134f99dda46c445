// The hot algorithms, compiled once per instruction set (docs/decisions/0002). kernels() is chosen when the program
// starts: the best the processor has, or what the environment variable LIPKIN_ISA names.
#pragma once

#include <cstddef>

#include "state/tree_work.hpp"

namespace lipkin {

struct TreeKernels {
  const char* instruction_set;

  // See articulated_body.hpp and kinematics.hpp.
  void (*forward_dynamics)(const Link* links, int link_count, const Vec3<double>& gravity, const double* q,
                           const double* u, const double* tau, const double* diag, const Force<double>* external,
                           const TreeWork<double>& work, double* du);
  void (*kinematics)(const Link* links, int link_count, const double* q, const double* u, Transform<double>* X_WL,
                     Motion<double>* V_WL, Motion<double>* S_W);

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

const TreeKernels& kernels();

}  // namespace lipkin
