// A row on one coordinate of a joint, whether the tree has it as a velocity or a loop leaves it free.
#pragma once

#include "assembly/z_layout.hpp"
#include "tree/closure_rows.hpp"

namespace lipkin {

// The coordinate's value; closure_q: coordinates of closures at the same q.
inline double coordinate_of(const DofRef& dof, const ModelData& model, const double* q, const double* closure_q) {
  if (dof.closure < 0) return q[dof.q_index];
  return closure_q[model.closures[dof.closure].coordinate_index + dof.k];
}

class DofRow {
 public:
  explicit DofRow(const DofRef& dof) : dof_(dof) {}

  const DofRef& dof() const { return dof_; }

  // The links it acts between: a tree joint's link (its path has the parent), or both links of a closure.
  std::pair<int, int> links(const ModelData& model, const ZLayout& layout) const {
    if (dof_.closure < 0) return {0, layout.link_of_dof(dof_.u_index)};
    return {model.closures[dof_.closure].link_a, model.closures[dof_.closure].link_b};
  }

  // At the poses of `kinematics`; needed before rate() and the whitening where a closure has the coordinate.
  void update(const ModelData& model, const KinematicsWork& kinematics) {
    if (dof_.closure < 0) return;
    const ClosureData& closure = model.closures[dof_.closure];
    closure_coordinate_row(closure, closure_frames(closure, kinematics.X_WL.data()), kinematics, dof_.k, rows_);
  }

  double rate(const double* u, const Motion<double>* V_WL) const {
    if (dof_.closure < 0) return u[dof_.u_index];
    double gamma;
    rows_.rates(V_WL[rows_.link_a], V_WL[rows_.link_b], &gamma);
    return gamma;
  }

  const SpatialRows& rows() const { return rows_; }  // of a closure's coordinate

 private:
  DofRef dof_;
  SpatialRows rows_;
};

}  // namespace lipkin
