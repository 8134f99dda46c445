// Parts that replace those of SUNDIALS where its own cost more than the physics.
#pragma once

#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>

namespace lipkin {

// Gives a serial vector, and those cloned from it, the sums and norms below: Debian's are compiled without vector
// instructions and add up one number after the other, which made half of the time of a step with 96 bodies.
void use_fast_operations(N_Vector v);

// A linear solver that takes one application of the preconditioner for the solution: Newton's method with an
// approximate Jacobian, for a preconditioner that is one. Its own convergence test watches over it.
SUNLinearSolver make_preconditioner_solver(SUNContext context);

}  // namespace lipkin
