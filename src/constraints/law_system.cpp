#include "constraints/law_system.hpp"

#include <algorithm>
#include <cmath>

#include "tree/kernels.hpp"

namespace lipkin {

namespace {

constexpr int kMissedRounds = 3;  // how often a step may find limits that it has missed

// Pseudo velocities push a penetration out by this part per step, down to the slop (relative to the size).
constexpr double kPushOut = 0.2;
// Sequential impulses also take gaps of that size for closed: the corners of a face whose tiny gaps would be closed at
// rates that no rigid motion has keep shifting impulses between each other for tens of thousands of sweeps.
constexpr double kSlop = 1e-5;

}  // namespace

LawSystem::LawSystem(const ModelData& model, BilateralSystem& bilateral)
    : bilateral_(bilateral),
      rows_(model, bilateral.layout()),
      solver_(make_solver(solver_kind_)),
      z_(static_cast<std::size_t>(bilateral.layout().z_count()), 0.0),
      z_laws_(z_),
      z_pseudo_(z_),
      z_gaps_(z_),
      du_(static_cast<std::size_t>(model.u_count), 0.0),
      dV_(model.links.size()) {
  has_dependent_limits_ = std::any_of(model.limits.begin(), model.limits.end(),
                                      [](const LimitData& limit) { return !limit.dof.is_in_tree(); });
}

void LawSystem::use(SolverKind kind) {
  if (kind == solver_kind_) return;
  solver_kind_ = kind;
  solver_ = make_solver(kind);
}

double LawSystem::touching(SolverKind kind) const {
  return (kind == SolverKind::kImpulses ? kSlop : BilateralSystem::kClosed) * bilateral_.length_scale();
}

// Where an impact drives joints through limits that were too far away to act, again with those.
void LawSystem::solve(const RowContext& context, const ConstraintOptions& options, const std::vector<double>& rates,
                      double* u_free, ConstraintReport& report) {
  if (context.eliminated && rows_.empty()) {
    if (!problem_.blocks.empty()) problem_.clear(), whole_rows_.clear_nodes();  // of another solver
    problem_.z_count = bilateral_.layout().z_count();
    return;
  }
  rows_.forget_missed_limits();
  const bool is_reduced = context.eliminated && bilateral_.rows().any_reduced();
  if (is_reduced && context.whole_rows) std::fill(z_laws_.begin(), z_laws_.end(), 0.0);
  int round = 0;
  do {
    problem_.clear();
    whole_rows_.clear_nodes();
    problem_.z_count = bilateral_.layout().z_count();
    if (!context.eliminated) write_bilateral(context, rates);
    rows_.collect(context, problem_);
    if (problem_.blocks.empty()) return;
    for (const double u : context.state.u) problem_.speed_before = std::max(problem_.speed_before, std::abs(u));
    solve_velocities(context, options, report);
    if (is_reduced && context.whole_rows) std::copy_n(z_.begin(), z_laws_.size(), z_laws_.begin());
  } while (round++ < kMissedRounds && rows_.find_missed_limits(context, du_.data(), dV_.data()));
  for (int j = 0; j < context.model.u_count; ++j) u_free[j] += du_[j];
}

void LawSystem::write_bilateral(const RowContext& context, const std::vector<double>& rates) {
  const State& state = context.state;
  BlockWriter writer(context.model, bilateral_.layout(), bilateral_.whitener(), nullptr, context.work, problem_);
  bilateral_.rows().write(writer);
  std::copy(rates.begin(), rates.end(), problem_.b.begin());
  const std::size_t laws = rows_.item_count();
  if (state.impulse_step > 0 && state.row_impulses.size() == laws + rates.size())
    for (std::size_t r = 0; r < rates.size(); ++r)
      problem_.lambda[r] = state.row_impulses[laws + r] * context.h / state.impulse_step;
}

// Sets du_, and the links' dV_ where limits ask for them.
void LawSystem::solve_velocities(const RowContext& context, const ConstraintOptions& options,
                                 ConstraintReport& report) {
  const ModelData& model = context.model;
  Workspace& work = context.work;
  solver_->use(work.threads);
  z_.resize(static_cast<std::size_t>(problem_.z_count), 0.0);  // contacts may have columns of their own
  const SolveReport solved = solver_->solve(problem_, options.solver_options, z_.data());
  report.iterations = solved.iterations;
  report.residual = solved.residual;
  report.converged = solved.converged;
  if (context.eliminated) bilateral_.rows().expand(z_.data());
  bilateral_.whitener().velocities(model, work, z_.data(), du_.data());
  if (has_dependent_limits_)
    kernels().link_velocities(model.links.data(), static_cast<int>(model.links.size()), work.kinematics.X_WL.data(),
                              work.kinematics.S_W.data(), du_.data(), dV_.data());
}

void LawSystem::correct(const ModelData& model, const ConstraintOptions& options, double h, Workspace& work,
                        double* pseudo, ConstraintReport& report) {
  BilateralRows& bilateral = bilateral_.rows();
  std::vector<double>& gaps = bilateral_.gaps();
  const bool eliminate = eliminates(options.solver);
  if (eliminate && rows_.empty() && options.stabilization != StabilizationKind::kSplit) {
    std::fill(pseudo, pseudo + model.u_count, 0.0);
    return;
  }
  corrections_.clear();
  corrections_.z_count = std::max(problem_.z_count, bilateral_.layout().z_count());
  z_pseudo_.assign(static_cast<std::size_t>(corrections_.z_count), 0.0);
  const bool split = options.stabilization == StabilizationKind::kSplit && !bilateral_.empty();
  if (!eliminate && !bilateral_.empty()) {  // what is pushed out must not open loops
    BlockWriter writer(model, bilateral_.layout(), bilateral_.whitener(), nullptr, work, corrections_);
    bilateral.write(writer);
    for (int r = 0; r < bilateral.row_count(); ++r) corrections_.b[r] = split ? gaps[r] / h : 0.0;
  }
  const std::size_t bilateral_blocks = corrections_.blocks.size();
  rows_.collect_corrections(problem_, h, kPushOut, kSlop * bilateral_.length_scale(), corrections_);
  if (!split && corrections_.blocks.size() == bilateral_blocks) corrections_.clear();
  if (!corrections_.blocks.empty()) {
    const SolveReport solved = solver_->solve(corrections_, options.solver_options, z_pseudo_.data());
    report.iterations = std::max(report.iterations, solved.iterations);
    report.converged = report.converged && solved.converged;
    if (eliminate) bilateral.expand(z_pseudo_.data());
  }
  if (split && eliminate) {
    for (double& gap : gaps) gap *= -1 / h;
    bilateral.solve(gaps.data(), z_gaps_.data());
    for (int k = 0; k < bilateral_.cluster_z_count(); ++k) z_pseudo_[k] += z_gaps_[k];
  }
  if (corrections_.blocks.empty() && !split) {
    std::fill(pseudo, pseudo + model.u_count, 0.0);
  } else {
    bilateral_.whitener().velocities(model, work, z_pseudo_.data(), pseudo);
  }
}

void LawSystem::report_to(ConstraintReport& report) const {
  report.contacts = rows_.contact_count();
  report.penetration = rows_.worst_penetration();
  report.undetermined = rows_.undetermined_count(problem_);
  report.driven_in = rows_.driven_in();
}

}  // namespace lipkin
