#include "constraints/bilateral_cluster.hpp"

#include <algorithm>

namespace lipkin {

void BilateralCluster::add_rows(int begin, int count) {
  if (row_count_ == 0) row_begin_ = begin;
  row_count_ += count;
}

void BilateralCluster::be_dense() {
  y_.assign(static_cast<std::size_t>(row_count_) * static_cast<std::size_t>(z_.count), 0.0);
  factor_.reserve(row_count_, z_.count);
}

void BilateralCluster::be_tree(BilateralTreePlan plan, std::vector<BilateralGroup> groups) {
  tree_ = std::make_unique<BilateralTree>(std::move(plan), std::move(groups), z_.count);
}

void BilateralCluster::clear_rows() {
  if (tree_)
    tree_->clear_rows();
  else
    std::fill(y_.begin(), y_.end(), 0.0);
}

void BilateralCluster::factor() {
  if (row_count_ == 0) return;
  tree_holds_ = tree_ && tree_->factor();
  if (tree_holds_) return;
  if (tree_) {
    be_dense();
    tree_->write_dense(y_.data(), z_.count);
  }
  factor_.factor(y_.data(), row_count_, z_.count, z_.count, nullptr);
}

void BilateralCluster::solve(const double* rhs, double* z) {
  if (tree_holds_)
    tree_->solve(rhs, z);
  else
    factor_.solve_z(rhs, z);
}

void BilateralCluster::solve_impulses(const double* rhs, double* lambda) {
  if (tree_holds_)
    tree_->solve_impulses(rhs, lambda);
  else
    factor_.solve_lambda(rhs, lambda);
}

void BilateralCluster::rates_of(const double* z, double* rates) const {
  if (tree_) return tree_->rates_of(z, rates);
  const double* y = y_.data();
  for (int r = 0; r < row_count_; ++r, y += z_.count) {
    double sum = 0;
    for (int k = 0; k < z_.count; ++k) sum += y[k] * z[k];
    rates[r] = sum;
  }
}

void BilateralCluster::push(const double* impulses, double* z) const {
  if (tree_) return tree_->push(impulses, z);
  const double* y = y_.data();
  for (int r = 0; r < row_count_; ++r, y += z_.count)
    for (int k = 0; k < z_.count; ++k) z[k] += y[k] * impulses[r];
}

void BilateralCluster::project_out(double* z) {
  if (tree_holds_)
    tree_->project_out(z);
  else
    factor_.project_out(z);
}

std::vector<double> BilateralCluster::dense_copy(int r) const {
  std::vector<double> y(static_cast<std::size_t>(z_.count), 0.0);
  if (tree_)
    tree_->write_dense(r, y.data());
  else
    std::copy_n(y_.begin() + static_cast<std::ptrdiff_t>(r) * z_.count, z_.count, y.begin());
  return y;
}

}  // namespace lipkin
