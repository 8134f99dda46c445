#include "steppers/sundials_parts.hpp"

#include <cmath>

#include "lipkin/error.hpp"

namespace lipkin {

namespace {

constexpr int kLanes = 8;  // partial sums beside each other: always the same order, whatever the instructions

template <class Term>
double sum_of(sunindextype count, Term&& term) {
  double sum[kLanes] = {};
  sunindextype i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int k = 0; k < kLanes; ++k) sum[k] += term(i + k);
  for (; i < count; ++i) sum[0] += term(i);
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

double norm(N_Vector x, N_Vector weight) {
  const double *a = N_VGetArrayPointer(x), *w = N_VGetArrayPointer(weight);
  const sunindextype count = N_VGetLength(x);
  const double sum = sum_of(count, [=](sunindextype i) { return (a[i] * w[i]) * (a[i] * w[i]); });
  return std::sqrt(sum / static_cast<double>(count));
}

double product(N_Vector x, N_Vector y) {
  const double *a = N_VGetArrayPointer(x), *b = N_VGetArrayPointer(y);
  return sum_of(N_VGetLength(x), [=](sunindextype i) { return a[i] * b[i]; });
}

void linear_sum(double a, N_Vector x, double b, N_Vector y, N_Vector z) {
  const double *from_x = N_VGetArrayPointer(x), *from_y = N_VGetArrayPointer(y);
  double* to = N_VGetArrayPointer(z);
  const sunindextype count = N_VGetLength(x);
#if !defined(__clang__)
#pragma GCC ivdep  // z may be x or y: then each number depends on itself alone
#endif
  for (sunindextype i = 0; i < count; ++i) to[i] = a * from_x[i] + b * from_y[i];
}

// ---- the linear solver ----

struct Preconditioner {
  void* data = nullptr;
  SUNPSetupFn set_up = nullptr;
  SUNPSolveFn solve = nullptr;
};

Preconditioner& of(SUNLinearSolver s) { return *static_cast<Preconditioner*>(s->content); }

SUNLinearSolver_Type type_of(SUNLinearSolver) { return SUNLINEARSOLVER_ITERATIVE; }

int ignore_product(SUNLinearSolver, void*, SUNATimesFn) { return SUNLS_SUCCESS; }

int take_preconditioner(SUNLinearSolver s, void* data, SUNPSetupFn set_up, SUNPSolveFn solve) {
  of(s) = {data, set_up, solve};
  return SUNLS_SUCCESS;
}

int initialize(SUNLinearSolver) { return SUNLS_SUCCESS; }

int set_up(SUNLinearSolver s, SUNMatrix) { return of(s).set_up ? of(s).set_up(of(s).data) : SUNLS_SUCCESS; }

int solve(SUNLinearSolver s, SUNMatrix, N_Vector x, N_Vector b, double tolerance) {
  return of(s).solve(of(s).data, b, x, tolerance, SUN_PREC_LEFT);
}

int free_solver(SUNLinearSolver s) {
  delete &of(s);
  s->content = nullptr;
  SUNLinSolFreeEmpty(s);
  return SUNLS_SUCCESS;
}

}  // namespace

void use_fast_operations(N_Vector v) {
  v->ops->nvwrmsnorm = norm;
  v->ops->nvdotprod = product;
  v->ops->nvlinearsum = linear_sum;
}

SUNLinearSolver make_preconditioner_solver(SUNContext context) {
  SUNLinearSolver s = SUNLinSolNewEmpty(context);
  if (!s) throw InternalError("SUNDIALS: SUNLinSolNewEmpty failed");
  s->content = new Preconditioner;
  s->ops->gettype = type_of;
  s->ops->setatimes = ignore_product;
  s->ops->setpreconditioner = take_preconditioner;
  s->ops->initialize = initialize;
  s->ops->setup = set_up;
  s->ops->solve = solve;
  s->ops->free = free_solver;
  return s;
}

}  // namespace lipkin
