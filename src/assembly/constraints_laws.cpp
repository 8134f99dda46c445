// The part of a step that solves for the impulses of all rows that are not bilateral.
#include <algorithm>
#include <cmath>

#include "assembly/constraints.hpp"
#include "tree/kernels.hpp"

namespace lipkin {

namespace {

constexpr int kMissedRounds = 3;  // how often a step may find limits that it has missed

}  // namespace

// Where an impact drives joints through limits that were too far away to act, again with those.
void Constraints::solve_laws(const RowContext& context, const ConstraintOptions& options, double* u_free,
                             ConstraintReport& report) {
  laws_.forget_missed_limits();
  int round = 0;
  do {
    problem_.clear();
    problem_.z_count = layout_.z_count();
    if (!context.eliminated) write_bilateral(context.model, context.h, context.state, context.work);
    laws_.collect(context, problem_);
    if (problem_.blocks.empty()) return;
    for (const double u : context.state.u) problem_.speed_before = std::max(problem_.speed_before, std::abs(u));
    solve_velocities(context, options, report);
  } while (round++ < kMissedRounds && laws_.find_missed_limits(context, du_.data(), dV_.data()));
  for (int j = 0; j < context.model.u_count; ++j) u_free[j] += du_[j];
}

// Sets du_, and the links' dV_ where limits ask for them.
void Constraints::solve_velocities(const RowContext& context, const ConstraintOptions& options,
                                   ConstraintReport& report) {
  const ModelData& model = context.model;
  Workspace& work = context.work;
  solver_->use(work.threads);
  z_.resize(static_cast<std::size_t>(problem_.z_count), 0.0);  // contacts may have columns of their own
  const SolveReport solved = solver_->solve(problem_, options.solver_options, z_.data());
  report.iterations = solved.iterations;
  report.residual = solved.residual;
  report.converged = solved.converged;
  whitener_.velocities(model, work, z_.data(), du_.data());
  if (has_dependent_limits_)
    kernels().link_velocities(model.links.data(), static_cast<int>(model.links.size()), work.kinematics.X_WL.data(),
                              work.kinematics.S_W.data(), du_.data(), dV_.data());
}

}  // namespace lipkin
