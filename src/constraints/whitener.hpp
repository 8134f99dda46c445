// Turns rows into whitened rows over z, from the factors of M at one q.
#pragma once

#include "constraints/dof_row.hpp"
#include "constraints/z_layout.hpp"
#include "tree/kernels.hpp"

namespace lipkin {

class Whitener {
 public:
  Whitener(const ModelData& model, const ZLayout& layout);

  // Factors of M + diag at q, kept in the workspace's tree.
  void factor(const ModelData& model, const double* q, Workspace& work);

  // Adds the whitened rows to y, one every `stride`; dense: over the cluster of the link, otherwise over its path.
  // lanes: 8 or 4, how f is laid out (RowsBeside).
  void add(const ModelData& model, Workspace& work, const double* f, int lanes, int count, int link, bool dense,
           int stride, double* y) const;
  // One row that pushes one link: moment about its origin and force, world axes.
  void add(const ModelData& model, Workspace& work, const Force<double>& f, int link, bool dense, double* y) const;
  void add_joint(const ModelData& model, Workspace& work, int u_index, double impulse, bool dense, double* y) const;

  // A row that pushes a link with these squares of force and moment, and whose whitened row is shorter than the root of
  // this, moves nothing: the tree holds what it asks for, and what is left is rounding. Compared with what the row
  // would do to the whole mechanism as one free body.
  double least_square(double force2, double moment2) const {
    return least_per_force2_ * force2 + least_per_moment2_ * moment2;
  }

  // Asks for the memory that add() will need for a link.
  void fetch_for(const Link& link, const Workspace& work) const;

  // du = Aᵀ z: the change of the velocities that the impulses in z make.
  void velocities(const ModelData& model, Workspace& work, const double* z, double* du);

 private:
  const ZLayout& layout_;
  double least_per_force2_, least_per_moment2_;  // see least_square
  std::vector<double> root_, multi_root_;
  std::vector<Motion<double>> dV_;
  Whitening path_, dense_;
};

}  // namespace lipkin
