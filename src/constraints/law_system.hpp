// Solves for the impulses of all rows that are not bilateral, with the bilateral ones among them where these are not
// eliminated, and for the pseudo velocities that push out what is too deep.
#pragma once

#include <memory>

#include "constraints/bilateral_system.hpp"
#include "constraints/constraint_options.hpp"
#include "solvers/solver.hpp"

namespace lipkin {

// Whether the bilateral rows are eliminated before the solver sees the rest.
inline bool eliminates(SolverKind kind) { return kind != SolverKind::kImpulses; }

class LawSystem {
 public:
  LawSystem(const ModelData& model, BilateralSystem& bilateral);

  const LawRows& rows() const { return rows_; }
  void use(SolverKind kind);

  // What tells when gaps count as closed [m].
  double touching(SolverKind kind) const;

  // Adds to u_free what the impulses change. rates: of the bilateral rows, without impulses.
  void solve(const RowContext& context, const ConstraintOptions& options, const std::vector<double>& rates,
             double* u_free, ConstraintReport& report);

  // Pseudo velocities that move the positions alone: penetrations out, and with `split` the gaps of bilateral rows that
  // were measured last, which are used up.
  void correct(const ModelData& model, const ConstraintOptions& options, double h, Workspace& work, double* pseudo,
               ConstraintReport& report);

  // The impulses of the last solve into the state's memory, and what else it found out.
  void remember(double h, State& state) { rows_.remember(problem_, h, state); }
  void begin_step() { rows_.begin_step(); }
  void put_back_contacts(State& state) { rows_.put_back_contacts(state); }
  void report_to(ConstraintReport& report) const;
  std::vector<std::string> undetermined_names(const ModelData& model) const {
    return rows_.undetermined_names(model, problem_);
  }
  void add_work(const ModelData& model, double h, const SolveVelocities& velocities, const KinematicsWork& kinematics,
                StepWork& done) const {
    rows_.add_work(model, problem_, h, velocities, kinematics, done);
  }

  // Of the last solve, for the reactions of the rows that were eliminated from it.
  const Problem& problem() const { return problem_; }
  WholeRows& whole_rows() { return whole_rows_; }
  const WholeRows& whole_rows() const { return whole_rows_; }
  const std::vector<double>& reduced_z() const { return z_laws_; }  // where clusters are reduced: what all have done

 private:
  void write_bilateral(const RowContext& context, const std::vector<double>& rates);
  void solve_velocities(const RowContext& context, const ConstraintOptions& options, ConstraintReport& report);

  BilateralSystem& bilateral_;
  LawRows rows_;
  SolverKind solver_kind_ = SolverKind::kHybrid;
  std::unique_ptr<Solver> solver_;
  Problem problem_, corrections_;
  WholeRows whole_rows_;
  std::vector<double> z_, z_laws_, z_pseudo_, z_gaps_, du_;
  std::vector<Motion<double>> dV_;
  bool has_dependent_limits_ = false;
};

}  // namespace lipkin
