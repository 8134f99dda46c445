#include "solvers/bilateral_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solvers/kernels.hpp"

namespace lipkin {

namespace {}  // namespace

BilateralTree::BilateralTree(BilateralTreePlan plan, std::vector<BilateralGroup> groups, int z_count)
    : plan_(std::move(plan)),
      groups_(std::move(groups)),
      z_count_(z_count),
      row_count_(plan_.edge_row_count + plan_.loop_row_count),
      reduced_width_(padded_to_grain(std::max(plan_.reduced_count, 1))) {
  const auto nodes = plan_.nodes.size(), loops = static_cast<std::size_t>(plan_.loop_row_count);
  Y_.assign(plan_.y_count, 0.0);
  memory_.assign(nodes * (5 * kTreeMatrix + 3 * kTreeLane), 0.0);
  double* next = memory_.data();
  for (double** matrix : {&work_.T, &work_.Tt, &work_.K, &work_.Kt, &work_.R_inverse})
    *matrix = next, next += nodes * kTreeMatrix;
  for (double** vector : {&work_.at_node, &work_.sent, &work_.pull}) *vector = next, next += nodes * kTreeLane;
  work_.node_count = static_cast<int>(nodes);
  work_.nodes = plan_.nodes.data();
  work_.edge_rows = plan_.edge_rows.data();
  work_.Y = Y_.data();
  W_.assign(loops * static_cast<std::size_t>(reduced_width_), 0.0);
  for (auto* values : {&squares_, &loop_rhs_, &loop_lambda_, &product_}) values->assign(loops, 0.0);
  reduced_.assign(static_cast<std::size_t>(reduced_width_), 0.0);
  loops_.reserve(plan_.loop_row_count, reduced_width_);
  null_.assign(loops * static_cast<std::size_t>(row_count_), 0.0);
}

void BilateralTree::clear_rows() { std::fill(Y_.begin(), Y_.end(), 0.0); }

// visit(position among the loops' rows, row, its group, where its values begin).
template <class Visit>
void BilateralTree::visit_loop_rows(const Visit& visit) const {
  int position = 0;
  for (const int g : plan_.loops)
    for (int r = 0; r < groups_[g].row_count; ++r, ++position)
      visit(position, groups_[g].row_begin + r, groups_[g],
            Y_.data() + plan_.y_begin[static_cast<std::size_t>(g)] + static_cast<std::size_t>(r * width_of(g)));
}

bool BilateralTree::factor() {
  null_count_ = -1;
  if (!solver_kernels().bilateral_tree_factor(work_)) return false;
  if (plan_.loops.empty()) return true;
  reduce_loops();
  loops_.factor(W_.data(), plan_.loop_row_count, reduced_width_, reduced_width_, nullptr, squares_.data());
  return true;
}

void BilateralTree::reduce_loops() {
  std::fill(W_.begin(), W_.end(), 0.0);
  visit_loop_rows([&](int position, int, const BilateralGroup& group, const double* y) {
    int nodes[kGroupNodesMost];
    double psi[kGroupNodesMost * kTreeLane];
    const auto count = group.nodes.size();
    std::copy_n(y, count * kTreeLane, psi);
    for (std::size_t k = 0; k < count; ++k) nodes[k] = place_of(group.nodes[k]);
    squares_[position] = std::inner_product(psi, psi + count * kTreeLane, psi, 0.0);
    solver_kernels().bilateral_tree_reduce(work_, nodes, static_cast<int>(count), psi, 1,
                                           W_.data() + position * reduced_width_, 0);
  });
}

void BilateralTree::gather(const double* z) {
  for (int b = 0; b < work_.node_count; ++b) {
    double* to = work_.at_node + b * kTreeLane;
    for (int k = 0; k < kTreeNode; ++k) to[k] = z[work_.nodes[b].column + k];
    for (int k = kTreeNode; k < kTreeLane; ++k) to[k] = 0;
  }
}

void BilateralTree::scatter(double* z) const {
  std::fill_n(z, z_count_, 0.0);
  for (int b = 0; b < work_.node_count; ++b)
    std::copy_n(work_.at_node + b * kTreeLane, kTreeNode, z + work_.nodes[b].column);
}

// at_node loses what the loops' impulses push.
void BilateralTree::push_loops(const double* impulses) {
  visit_loop_rows([&](int position, int, const BilateralGroup& group, const double* y) {
    for (const int i : group.nodes) {
      double* to = work_.at_node + place_of(i) * kTreeLane;
      for (int k = 0; k < kTreeNode; ++k) to[k] -= impulses[position] * y[k];
      y += kTreeLane;
    }
  });
}

// What the loops' rows still ask for where the edges have brought the nodes.
void BilateralTree::find_loop_rates(const double* rhs) {
  visit_loop_rows([&](int position, int row, const BilateralGroup& group, const double* y) {
    double rate = rhs[row];
    for (const int i : group.nodes) {
      const double* at = work_.at_node + place_of(i) * kTreeLane;
      for (int k = 0; k < kTreeNode; ++k) rate -= y[k] * at[k];
      y += kTreeLane;
    }
    loop_rhs_[position] = rate;
  });
}

void BilateralTree::solve(const double* rhs, double* z) {
  std::fill_n(work_.at_node, work_.node_count * kTreeLane, 0.0);
  solver_kernels().bilateral_tree_solve(work_, rhs, nullptr);
  scatter(z);
  if (plan_.loops.empty()) return;
  find_loop_rates(rhs);
  loops_.solve_z(loop_rhs_.data(), reduced_.data());
  solver_kernels().bilateral_tree_expand(work_, reduced_.data());
  for (int b = 0; b < work_.node_count; ++b)
    for (int k = 0; k < kTreeNode; ++k) z[work_.nodes[b].column + k] += work_.at_node[b * kTreeLane + k];
}

// With the edges' impulses found, those of the loops by what is left for them; the edges' again with these given.
void BilateralTree::solve_impulses(const double* rhs, double* lambda) {
  std::fill_n(work_.at_node, work_.node_count * kTreeLane, 0.0);
  solver_kernels().bilateral_tree_solve(work_, rhs, plan_.loops.empty() ? lambda : nullptr);
  if (plan_.loops.empty()) return;
  find_loop_rates(rhs);
  loops_.solve_lambda(loop_rhs_.data(), loop_lambda_.data());
  std::fill_n(work_.at_node, work_.node_count * kTreeLane, 0.0);
  push_loops(loop_lambda_.data());
  solver_kernels().bilateral_tree_solve(work_, rhs, lambda);
  visit_loop_rows(
      [&](int position, int row, const BilateralGroup&, const double*) { lambda[row] = loop_lambda_[position]; });
  if (null_count_ < 0) find_null_impulses();
  for (int i = 0; i < null_count_; ++i) {
    const double* n = null_.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(row_count_);
    solver_kernels().add_scaled(lambda, -solver_kernels().dot(n, lambda, row_count_), n, row_count_);
  }
}

// One for each redundant row i of the loops: e_i without what W's span has of it pushes no w, and impulses of the edges
// answer what it pushes else. Orthonormal by Gram-Schmidt, twice.
void BilateralTree::find_null_impulses() {
  null_count_ = 0;
  const int loop_rows = plan_.loop_row_count;
  if (loops_.rank() == loop_rows) return;
  const SolverKernels& kernels = solver_kernels();
  for (int i = 0; i < loop_rows; ++i) {
    if (std::find(loops_.pivots(), loops_.pivots() + loops_.rank(), i) != loops_.pivots() + loops_.rank()) continue;
    for (int j = 0; j < loop_rows; ++j)
      product_[j] = kernels.dot(W_.data() + j * reduced_width_, W_.data() + i * reduced_width_, reduced_width_);
    loops_.solve_lambda(product_.data(), loop_rhs_.data());
    for (int j = 0; j < loop_rows; ++j) loop_rhs_[j] = (i == j ? 1.0 : 0.0) - loop_rhs_[j];
    double* n = null_.data() + static_cast<std::size_t>(null_count_) * static_cast<std::size_t>(row_count_);
    std::fill_n(work_.at_node, work_.node_count * kTreeLane, 0.0);
    push_loops(loop_rhs_.data());
    kernels.bilateral_tree_solve(work_, nullptr, n);
    visit_loop_rows([&](int position, int row, const BilateralGroup&, const double*) { n[row] = loop_rhs_[position]; });
    const double before = kernels.dot(n, n, row_count_);
    for (int again = 0; again < 2; ++again)
      for (int j = 0; j < null_count_; ++j) {
        const double* other = null_.data() + static_cast<std::size_t>(j) * static_cast<std::size_t>(row_count_);
        kernels.add_scaled(n, -kernels.dot(n, other, row_count_), other, row_count_);
      }
    const double square = kernels.dot(n, n, row_count_);
    if (!(square > work_.rank_tolerance * before)) continue;
    for (int k = 0; k < row_count_; ++k) n[k] /= std::sqrt(square);
    ++null_count_;
  }
}

void BilateralTree::rates_of(const double* z, double* rates) const {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const double* y = Y_.data() + plan_.y_begin[g];
    for (int r = 0; r < groups_[g].row_count; ++r) {
      double sum = 0;
      for (const int i : groups_[g].nodes) {
        const double* at = z + plan_.nodes[place_of(i)].column;
        for (int k = 0; k < kTreeNode; ++k) sum += y[k] * at[k];
        y += kTreeLane;
      }
      rates[groups_[g].row_begin + r] = sum;
    }
  }
}

void BilateralTree::push(const double* impulses, double* z) const {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const double* y = Y_.data() + plan_.y_begin[g];
    for (int r = 0; r < groups_[g].row_count; ++r) {
      const double impulse = impulses[groups_[g].row_begin + r];
      for (const int i : groups_[g].nodes) {
        double* to = z + plan_.nodes[place_of(i)].column;
        for (int k = 0; k < kTreeNode; ++k) to[k] += y[k] * impulse;
        y += kTreeLane;
      }
    }
  }
}

void BilateralTree::write_dense(int row, double* y) const {
  const auto has_row = [row](const BilateralGroup& g) { return row >= g.row_begin && row < g.row_begin + g.row_count; };
  const auto group = std::find_if(groups_.begin(), groups_.end(), has_row);
  const int g = static_cast<int>(group - groups_.begin());
  const double* from = Y_.data() + plan_.y_begin[g] + static_cast<std::size_t>((row - group->row_begin) * width_of(g));
  for (const int i : group->nodes) {
    std::copy_n(from, kTreeNode, y + plan_.nodes[place_of(i)].column);
    from += kTreeLane;
  }
}

void BilateralTree::write_dense(double* Y, int stride) const {
  for (int row = 0; row < row_count_; ++row) write_dense(row, Y + static_cast<std::ptrdiff_t>(row) * stride);
}

void BilateralTree::project_out(double* z) {
  gather(z);
  solver_kernels().bilateral_tree_reduce_all(work_, reduced_.data());
  if (!plan_.loops.empty()) loops_.project_out(reduced_.data());
  solver_kernels().bilateral_tree_expand(work_, reduced_.data());
  scatter(z);
}

void BilateralTree::reduce(int* nodes, int count, double* psi, int rows, double* out, int out_stride) const {
  for (int r = 0; r < rows; ++r) std::fill_n(out + r * out_stride, reduced_width_, 0.0);
  solver_kernels().bilateral_tree_reduce(work_, nodes, count, psi, rows, out, out_stride);
  if (plan_.loops.empty()) return;
  for (int r = 0; r < rows; ++r) loops_.project_out(out + r * out_stride);
}

void BilateralTree::expand(double* z) {
  std::copy_n(z, reduced_width_, reduced_.begin());
  solver_kernels().bilateral_tree_expand(work_, reduced_.data());
  scatter(z);
}

}  // namespace lipkin
