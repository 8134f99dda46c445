// Analytic derivatives of inverse dynamics, tau(q, u, du), with respect to q (along the velocities) and u.
#pragma once

#include <vector>

#include "model/model_data.hpp"

namespace lipkin {

// Row-major u_count x u_count: entry (k, j) is d tau_k / d q_j or d u_j. The armature adds nothing to either.
struct InverseDynamicsDerivatives {
  std::vector<double> by_q, by_u;
};

InverseDynamicsDerivatives inverse_dynamics_derivatives(const ModelData& model, const double* q, const double* u,
                                                        const double* du);

}  // namespace lipkin
