// The inertia matrix M(q) by the composite-rigid-body algorithm, Featherstone (2008), table 6.2.
#pragma once

#include "tree/joint_frames.hpp"

namespace lipkin {

// composite: link_count records of scratch. M: u_count x u_count, row-major, both triangles.
template <class T>
void inertia_matrix(const Link* links, int link_count, const JointFrame<T>* frames, const double* diag,
                    Inertia6<T>* composite, int u_count, T* M) {
  for (int k = 0; k < u_count * u_count; ++k) M[k] = constant<T>(0);
  for (int i = 1; i < link_count; ++i) composite[i] = lift<T>(links[i].inertia);
  for (int i = link_count - 1; i > 0; --i) {
    if (links[i].parent > 0) composite[links[i].parent] += to_parent(frames[i].X_PL, composite[i]);
    for (int k = 0; k < frames[i].dof; ++k) {
      const int row = links[i].u_index + k;
      Force<T> F = composite[i] * frames[i].S[k];
      M[row * u_count + row] = constant<T>(diag[row]);
      for (int j = i; j > 0; j = links[j].parent) {
        for (int l = 0; l < frames[j].dof; ++l) {
          const int column = links[j].u_index + l;
          const T value = dot(frames[j].S[l], F);
          if (column == row) {
            M[row * u_count + row] += value;
          } else {
            M[row * u_count + column] = M[column * u_count + row] = value;
          }
        }
        F = to_parent(frames[j].X_PL, F);
      }
    }
  }
}

}  // namespace lipkin
