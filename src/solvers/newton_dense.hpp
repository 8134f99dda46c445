// Semismooth Newton on one island, as an active-set method: at the present impulses every law says which of its rows
// hold (their gap velocity vanishes) and which impulses are given (a bound, zero, or friction that follows the normal
// impulse against the slip); the rows that hold are then solved together, exactly and with least norm, so that
// redundant contacts share their load in the one way that depends on nothing else.
//
// Sliding, after Alart and Curnier (Comput. Methods Appl. Mech. Eng. 92, 1991): with s = Lambda_t - r gamma_t outside
// the disc of radius rho and d = s/|s|, the derivative of the projection gives Lambda_t = mu Lambda_n d + Lambda_p p
// with p across d, and gamma_p + C_p Lambda_p = 0 with C_p = (|s| - rho) / (r rho): across the slip, sliding friction
// is a row with compliance.
//
// Rows that nearly depend on each other and ask for different velocities (a face whose corners approach at speeds that
// no rigid motion gives) cannot all hold, and impulses of least norm do not say which lets go. From then on a step is
// one of the proximal point method (Rockafellar, SIAM J. Control Optim. 14, 1976): each row that holds gives way a
// little around its last impulse, so that what it misses adds to its impulse until one of them reaches its bound.
#pragma once

#include <vector>

#include "solvers/bilateral_factor.hpp"
#include "solvers/cone_interior_point.hpp"
#include "solvers/newton_island.hpp"

namespace lipkin {

class NewtonDense : public NewtonIsland {
 public:
  // Copies the blocks of an island, densely over the values of z that they touch.
  void load(const SweepSet& set, const int* first, const int* last);

  int column_count() const { return stride_; }  // values of z that the island touches, padded

  // The island's values of the set's z.
  void write_z(double* z) const;

 private:
  // Unknown k: adds `factor` x_k to the impulse of a row.
  struct Part {
    int unknown, row;
    double factor;
  };

  void build_rows(const SweepSet& set);
  void reserve_for_any_active_set();
  void step(double tolerance) override;
  bool take_nearest() override;
  void take_shortest() override { take(x_); }
  void hold_what_stands(double tolerance) override { hold_normals_below_ = hold_friction_below_ = tolerance; }
  void take(const std::vector<double>& x);
  void clear_z() override;
  bool choose_canonical(int attempt, double tolerance) override;
  void find_given_that_hold(double tolerance);
  bool holds_but_is_given(const SweepBlock& block, int r, int rows, double tolerance) const;
  void choose_active();
  void choose_contact(const SweepBlock& block);
  void choose_disc(const SweepBlock& block, int r, double mu, int disc_at, int normal_unknown, double normal);
  int start_inside(double tolerance, int attempt) override;
  int add_unknown(const SweepBlock& block, int r);
  int add_unknown_across(double compliance, double before);
  void add_part(int unknown, int row, double factor);
  void build_system();
  void build_unknowns();
  void factor_system();
  double what_is_left(const std::vector<double>& x);
  bool solve_within(double tolerance);
  void solve_system(double tolerance);
  void set_rank_tolerance(double tolerance);
  void solve_once(const double* rhs, double* x);
  const double* y(int row) const { return Y_.data() + static_cast<std::size_t>(position_[row]) * stride_; }

  std::vector<Run> run_;
  std::vector<double> Y_, z_;
  std::vector<int> column_, used_;  // per value of the set's z: its column here; the values used
  std::vector<int> position_;       // per row of the problem: its row of Y_
  int stride_ = 0;

  // The active rows: E x-equations, U what the unknowns push along.
  std::vector<Part> parts_;
  std::vector<double> compliance_;  // per unknown
  std::vector<double> around_;      // per unknown: what its giving way asks for at the last impulse [m/s]
  std::vector<double> x_before_;    // per unknown: its value before the step
  std::vector<int> equation_;       // per unknown: the row that holds, or -1: its parts themselves
  std::vector<char> pushes_more_;   // per unknown: other rows than the one that holds
  std::vector<double> E_, U_, K_, rhs_, left_, x_, x_nearest_, change_, c_, z_given_;
  int unknown_count_ = 0, columns_ = 0;
  bool symmetric_ = true;
  double gives_way_ = 0;  // > 0: the steps are proximal
  // Rows slower than this hold, whatever their impulse says; negative: the impulses decide. Normals and friction.
  double hold_normals_below_ = -1, hold_friction_below_ = -1;
  bool normals_may_hold_ = false, friction_may_hold_ = false;
  std::vector<char> is_unknown_;  // per row of the problem: it held in the last step
  BilateralFactor equations_, unknowns_;
  ConeInteriorPoint inside_;
};

}  // namespace lipkin
