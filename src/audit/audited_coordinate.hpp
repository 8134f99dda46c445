// Coordinates as the audit sees them: what they measure, and how fast they change, from the velocities of links alone
// and by formulas that share nothing with the rows that the solvers see (tree/closure_rows.cpp).
#pragma once

#include "model/model_data.hpp"
#include "spatial/motion.hpp"
#include "spatial/transform.hpp"

namespace lipkin {

// Poses and velocities of the links, velocities of the tree.
struct AuditedMotion {
  const Transform<double>* X_WL;
  const Motion<double>* V_WL;  // not looked at for coordinates of the tree
  const double* u;
};

// Whether a coordinate is a length; otherwise an angle.
bool is_length(const ModelData& model, const DofRef& dof);

// Rate of a coordinate of the tree, of what a loop leaves free, or of a tendon's length [m/s] or [rad/s].
double rate_of(const ModelData& model, const DofRef& dof, const AuditedMotion& motion);

// "joint 'a'" or "tendon 't'".
std::string owner_of(const ModelData& model, int joint, const DofRef& dof);

}  // namespace lipkin
