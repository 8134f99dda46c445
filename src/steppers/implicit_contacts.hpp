// The linear systems of an implicit step with stiff contacts. With the forces of contacts linearised to stiffness k and
// resistance c per row W (friction: resistance alone), a step of weight gamma needs
//
//   theta - gamma u = r_theta,   u + gamma M⁻¹ Wᵀ (k W theta + c W u) = r_u.                                     (1)
//
// With s = gamma c + gamma² k per row and G = W M⁻¹ Wᵀ that is one symmetric system over the rows,
//
//   (G + 1/s) lambda = W (r_u + (gamma k / s) r_theta),   u = r_u - M⁻¹ Wᵀ lambda,   theta = r_theta + gamma u,  (2)
//
// sparse where few contacts share a tree. What is not a contact is left out: it is either not stiff, or the model small
// enough for a dense matrix.
#pragma once

#include <span>
#include <vector>

#include "constraints/block_writer.hpp"
#include "forces/regularised_forces.hpp"
#include "lipkin/state.hpp"
#include "solvers/sparse_factor.hpp"

namespace lipkin {

class ImplicitContacts {
 public:
  explicit ImplicitContacts(const ModelData& model);

  // Rows and G at a state and the contacts that carry something there.
  void linearize(const ModelData& model, const State& state, std::span<const TouchingPoint> touching);

  // Factors (2) for one gamma [s].
  void factor(double gamma);

  // Solves (1): theta and u hold the right-hand sides, then the solution.
  void solve(const ModelData& model, double* theta, double* u);

  double gamma() const { return gamma_; }

 private:
  struct Contact {
    RowsBeside<4> rows;
    double stiffness;
    double resistance[3];  // of the normal, along and across the slip
  };

  void write_rows(const ModelData& model);
  void list_rows(const ModelData& model);
  void build_matrix();
  void rates(const ModelData& model, const double* u, double* gamma);

  ZLayout layout_;
  Whitener whitener_;
  Workspace work_;
  Problem problem_;
  std::vector<Contact> contacts_;
  std::vector<int> block_of_row_;
  // Rows by the tree they act on, ascending; a row stands in one list or two.
  std::vector<std::vector<int>> rows_of_tree_;
  std::vector<int> trees_in_use_, tree_of_link_, neighbours_;
  std::vector<double> z_;
  SparsePattern pattern_;
  std::vector<double> values_, diagonal_, shifted_, spring_part_, lambda_, rate_, du_;
  std::vector<std::uint8_t> active_;
  std::vector<Motion<double>> V_;
  SparseFactor factor_;
  double gamma_ = 0;
};

}  // namespace lipkin
