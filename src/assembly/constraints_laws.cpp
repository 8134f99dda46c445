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
  const bool is_reduced = context.eliminated && bilateral_.any_reduced();
  if (is_reduced && context.whole_rows) std::fill(z_laws_.begin(), z_laws_.end(), 0.0);
  int round = 0;
  do {
    problem_.clear();
    whole_rows_.clear_nodes();
    problem_.z_count = layout_.z_count();
    if (!context.eliminated) write_bilateral(context.model, context.h, context.state, context.work);
    laws_.collect(context, problem_);
    if (problem_.blocks.empty()) return;
    for (const double u : context.state.u) problem_.speed_before = std::max(problem_.speed_before, std::abs(u));
    solve_velocities(context, options, report);
    if (is_reduced && context.whole_rows) std::copy_n(z_.begin(), z_laws_.size(), z_laws_.begin());
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
  if (context.eliminated) bilateral_.expand(z_.data());
  whitener_.velocities(model, work, z_.data(), du_.data());
  if (has_dependent_limits_)
    kernels().link_velocities(model.links.data(), static_cast<int>(model.links.size()), work.kinematics.X_WL.data(),
                              work.kinematics.S_W.data(), du_.data(), dV_.data());
}

// What bilateral rows did in answer to laws whose rows are reduced: what all these have done in the end, less what they
// push by themselves.
void Constraints::add_reaction_to_laws() {
  for (int c = 0; c < layout_.cluster_count(); ++c) {
    const BilateralCluster& cluster = bilateral_.cluster(c);
    for (int k = cluster.z().begin; cluster.is_reduced() && k < cluster.z().begin + cluster.z().count; ++k)
      z_bilateral_[k] += z_laws_[k];
  }
  for (const WholeRows::Node& node : whole_rows_.nodes) {
    const Block& block = problem_.blocks[node.block];
    const double* y = whole_rows_.values.data() + node.value_begin;
    for (int r = 0; r < block.row_count; ++r)
      for (int k = 0; k < kTreeNode; ++k) z_bilateral_[node.z_begin + k] -= problem_.lambda[block.row_begin + r] * *y++;
  }
}

}  // namespace lipkin
