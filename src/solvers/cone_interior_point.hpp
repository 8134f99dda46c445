// An interior-point method for contact with friction on one island. Where active sets keep changing, or where rows that
// depend on each other ask for velocities that no motion gives, its number of steps hardly depends on the problem.
//
// Coulomb's law is no minimum of anything, but with mu |gamma_t| added to the normal gap velocity (De Saxcé's change of
// variable) impulses and velocities are dual in the friction cone: for given slips the impulses minimise
// 1/2 Lambda G Lambda + (b + mu |gamma_t|) Lambda there (Acary, Cadoux, Lemaréchal, Malick, ZAMM 91, 2011). Here the
// slips are unknowns as well and linearised with the rest; taken from the last step, they would converge slowly.
// Spinning and rolling friction are further cones around the same normal.
//
// Primal-dual steps with Nesterov-Todd scaling, Mehrotra's predictor and corrector. With D from the cones, G + D =
// Y Yᵀ + D is solved through I + Yᵀ D⁻¹ Y, which is as large as the island's velocities and has their profile.
#pragma once

#include <vector>

#include "solvers/profile_factor.hpp"
#include "solvers/second_order_cone.hpp"
#include "solvers/sweep_block.hpp"

namespace lipkin {

class ConeInteriorPoint {
 public:
  // Whether a factorisation stays within milliseconds.
  bool affordable(const SweepData& data, int z_count);

  // Sets data.lambda; velocities have indices below z_count. Stops where the law is obeyed to the tolerance [m/s] or
  // rounding allows no more. Each attempt goes about it in another manner. Returns the number of steps.
  static constexpr int kAttempts = 3;
  int solve(const SweepData& data, int z_count, double tolerance, int attempt);

 private:
  // s = lead Lambda_first + offset, and the other rows as they are.
  struct Cone {
    int at;            // into s_ and y_
    int first, other;  // rows here
    double lead, offset;
    ConeScaling scaling;

    int size() const { return scaling.size; }
    int row(int k) const { return k == 0 ? first : other + k - 1; }
    double factor(int k) const { return k == 0 ? lead : 1; }
  };
  // Rows that share a block of D, and the columns they touch.
  struct Group {
    int row_begin = 0, rows = 0;
    int cone_begin = 0, cone_end = 0;
    int column_begin = 0, columns = 0;
    int y_begin = 0;  // rows x columns, in Y_ and P_
    int d_begin = 0;  // rows x rows, in D_ and D_factor_
  };

  void load(const SweepData& data, int z_count);
  void add_group(const SweepData& data, const SweepBlock& block);
  void add_cones(const SweepBlock& block, const int* row_of);
  void add_cone(int first, int other, int others, double lead, double offset);
  void collect_columns(const SweepBlock& block, Group& group, const int* local_rows);
  void start();
  void measure();
  void scale_cones();
  void build_block(const Group& group);
  void factor();
  void set_right_side(const double* aim);
  void solve_for(const std::vector<double>& f);
  void solve_refined();
  void follow(const double* aim);
  void aim_at(double centre);
  void predict_and_correct(double centre_least);
  double longest_step(double most) const;
  bool stays_inside(double step) const;
  double product_after(double step) const;
  void add_to_z(const Group& group, const std::vector<double>& impulses);
  double read_from_z(const Group& group, int r, const std::vector<double>& rows) const;
  template <class Visit>
  static void visit_entries(const SweepBlock& block, const int* local_rows, int rows, const Visit& visit);

  std::vector<Cone> cones_;
  std::vector<Group> groups_;
  std::vector<int> column_, columns_;
  std::vector<int> row_;  // of the problem, per row here
  std::vector<double> diagonal_, compliance_, b_, lambda_, gamma_, d_lambda_, f_, left_, before_;
  std::vector<double> Y_, P_, D_, D_factor_;   // P = D⁻¹ Y
  std::vector<double> s_, y_, ds_, dy_, aim_;  // per value of a cone
  std::vector<double> z_given_, z_;
  ProfileFactor factor_;  // of I + Yᵀ D⁻¹ Y
  double balance_ = 0;    // what the velocities miss [m/s]
  double product_ = 0;    // impulses times gap velocities [J]
};

}  // namespace lipkin
