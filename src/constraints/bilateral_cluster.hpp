// The bilateral rows of one cluster and their factorisation, in one of two forms: dense over the cluster's part of z,
// or along a tree of free bodies (solvers/bilateral_tree.hpp). Which one is chosen when the rows are made; where the
// rank falls within the tree, the dense one stands in until the next factor().
#pragma once

#include <memory>

#include "constraints/z_layout.hpp"
#include "solvers/bilateral_factor.hpp"
#include "solvers/bilateral_tree.hpp"

namespace lipkin {

class BilateralCluster {
 public:
  explicit BilateralCluster(ZRange z) : z_(z) {}

  const ZRange& z() const { return z_; }  // its part of z; pointers below are to its begin
  int row_begin() const { return row_begin_; }
  int row_count() const { return row_count_; }

  // While rows are made: so many more, the first of all being row `begin`; then the form.
  void add_rows(int begin, int count);
  void be_dense();
  void be_tree(BilateralTreePlan plan, std::vector<BilateralGroup> groups);

  // Rows are written by node where there is a tree, else densely, z().count apart; into zeros.
  BilateralTree& tree() { return *tree_; }
  double* dense_row(int r) { return y_.data() + static_cast<std::ptrdiff_t>(r) * z_.count; }
  void clear_rows();
  void factor();

  // Rows and right-hand sides from row_begin() on; z over the cluster.
  void solve(const double* rhs, double* z);
  void solve_impulses(const double* rhs, double* lambda);
  void rates_of(const double* z, double* rates) const;
  void push(const double* impulses, double* z) const;
  void project_out(double* z);
  std::vector<double> dense_copy(int r) const;

  // Rows of other laws, once the bilateral rows are eliminated: in reduced values (BilateralTree) where is_reduced(),
  // at the begin of the cluster's part of z; elsewhere they lose what is in the span by project_out_row().
  bool is_reduced() const { return tree_holds_; }
  int law_width() const { return tree_holds_ ? tree_->reduced_width() : z_.count; }
  void project_out_row(double* row) const { factor_.project_out(row); }
  const BilateralTree& reducer() const { return *tree_; }
  void expand(double* z) {
    if (tree_holds_) tree_->expand(z);
  }

 private:
  ZRange z_;
  int row_begin_ = 0, row_count_ = 0;
  std::unique_ptr<BilateralTree> tree_;
  bool tree_holds_ = false;
  std::vector<double> y_;  // dense over the cluster; of a tree while it does not hold
  BilateralFactor factor_;
};

}  // namespace lipkin
