#include "solvers/cone_interior_point.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/kernels.hpp"

namespace lipkin {

namespace {

constexpr int kStepsMost = 80;
// How much of the way to the boundary a step goes, and how much of what the velocities miss keeps the products up. Far
// and little is fast; friction that jams wants the others.
struct Manner {
  double to_the_boundary, centring;
};
constexpr Manner kManners[ConeInteriorPoint::kAttempts] = {{0.99, 0.1}, {0.7, 0.01}, {0.5, 3}};
constexpr int kPatience = 6;             // steps that do not get nearer
constexpr double kFreeRowGives = 1e-10;  // of its diagonal: compliance of a row without bounds
constexpr double kShortestStep = 1e-3;
constexpr double kProductsMost = 3e7;  // of a factorisation
constexpr int kRowsMost = 6;

// L U of a small block without exchange of rows: its symmetric part is positive definite or nearly so.
void factor_small(double* A, int rows) {
  for (int k = 0; k < rows; ++k) {
    for (int i = k + 1; i < rows; ++i) {
      const double l = A[i * rows + k] /= A[k * rows + k];
      for (int j = k + 1; j < rows; ++j) A[i * rows + j] -= l * A[k * rows + j];
    }
  }
}

void solve_small(const double* A, int rows, double* x, int stride) {
  for (int i = 1; i < rows; ++i)
    for (int k = 0; k < i; ++k) x[i * stride] -= A[i * rows + k] * x[k * stride];
  for (int i = rows - 1; i >= 0; --i) {
    for (int k = i + 1; k < rows; ++k) x[i * stride] -= A[i * rows + k] * x[k * stride];
    x[i * stride] /= A[i * rows + i];
  }
}

// Whether a row has an impulse to find.
bool is_free(const SweepBlock& block, const double* inverse, int r) {
  if (inverse[r] == 0) return false;
  if (block.law == LawKind::kInterval) return block.lo < block.hi;
  if (block.law == LawKind::kBilateral || r == 0) return true;
  if (inverse[0] == 0) return false;
  if (r < 3) return block.mu > 0 && inverse[1] > 0 && inverse[2] > 0;
  if (r == 3) return block.mu_spin > 0;
  return block.mu_roll > 0 && inverse[4] > 0 && inverse[5] > 0;
}

}  // namespace

bool ConeInteriorPoint::affordable(const SweepData& data, int z_count) {
  factor_.start(z_count);
  for (int i = 0; i < data.block_count; ++i) {
    const SweepBlock& block = data.blocks[i];
    columns_.clear();
    for (int run = 0; run < block.run_count; ++run)
      for (int j = 0; j < block.runs[run].length; ++j) columns_.push_back(block.runs[run].begin + j);
    factor_.fill_block(columns_.data(), static_cast<int>(columns_.size()));
  }
  return factor_.cost() <= kProductsMost;
}

void ConeInteriorPoint::add_cone(int first, int other, int others, double lead, double offset) {
  Cone cone = {static_cast<int>(s_.size()), first, other, lead, offset, {}};
  cone.scaling.size = 1 + others;
  s_.resize(s_.size() + static_cast<std::size_t>(1 + others), 0.0);
  cones_.push_back(cone);
}

// row_of: per row of the block, its row here or -1.
void ConeInteriorPoint::add_cones(const SweepBlock& block, const int* row_of) {
  if (block.law == LawKind::kInterval) {
    if (std::isfinite(block.lo)) add_cone(row_of[0], 0, 0, 1, -block.lo);
    if (std::isfinite(block.hi)) add_cone(row_of[0], 0, 0, -1, block.hi);
  }
  if (block.law != LawKind::kContact) return;
  const auto before = cones_.size();
  if (block.rows >= 3 && row_of[1] >= 0) add_cone(row_of[0], row_of[1], 2, block.mu, 0);
  if (block.rows >= 4 && row_of[3] >= 0) add_cone(row_of[0], row_of[3], 1, block.mu_spin, 0);
  if (block.rows >= 6 && row_of[4] >= 0) add_cone(row_of[0], row_of[4], 2, block.mu_roll, 0);
  if (cones_.size() == before) add_cone(row_of[0], 0, 0, 1, 0);
}

// visit(row, column of z, value) for every value of the rows that is not zero.
template <class Visit>
void ConeInteriorPoint::visit_entries(const SweepBlock& block, const int* local_rows, int rows, const Visit& visit) {
  for (int r = 0; r < rows; ++r) {
    const double* y = block.y + local_rows[r] * block.width;
    for (int run = 0; run < block.run_count; ++run) {
      for (int j = 0; j < block.runs[run].length; ++j, ++y) {
        if (*y != 0) visit(r, block.runs[run].begin + j, *y);
      }
    }
  }
}

void ConeInteriorPoint::collect_columns(const SweepBlock& block, Group& group, const int* local_rows) {
  group.column_begin = static_cast<int>(columns_.size());
  visit_entries(block, local_rows, group.rows, [&](int, int column, double) {
    if (column_[column] >= 0) return;
    column_[column] = group.columns++;
    columns_.push_back(column);
  });
  group.y_begin = static_cast<int>(Y_.size());
  Y_.resize(Y_.size() + static_cast<std::size_t>(group.rows * group.columns), 0.0);
  visit_entries(block, local_rows, group.rows,
                [&](int r, int column, double y) { Y_[group.y_begin + r * group.columns + column_[column]] += y; });
  for (int k = 0; k < group.columns; ++k) column_[columns_[group.column_begin + k]] = -1;
  factor_.fill_block(columns_.data() + group.column_begin, group.columns);
}

void ConeInteriorPoint::add_group(const SweepData& data, const SweepBlock& block) {
  const double* local = data.local + block.local_begin;
  const double* inverse = local + local_inverse_at(block.rows);
  Group group;
  group.row_begin = static_cast<int>(row_.size());
  group.cone_begin = static_cast<int>(cones_.size());
  int local_rows[kRowsMost], row_of[kRowsMost];
  for (int r = 0; r < block.rows; ++r) {
    const int row = block.row_begin + r;
    const bool given = !is_free(block, inverse, r);
    row_of[r] = given ? -1 : static_cast<int>(row_.size());
    data.lambda[row] = given && block.law == LawKind::kInterval && inverse[r] > 0 ? block.lo : 0;
    if (given) continue;
    local_rows[group.rows++] = r;
    row_.push_back(row);
    diagonal_.push_back(local[r * block.rows + r]);
    const double gives = block.law == LawKind::kBilateral ? kFreeRowGives * diagonal_.back() : 0;
    compliance_.push_back(data.compliance[row] + gives);
    b_.push_back(data.b[row]);
  }
  if (group.rows == 0) return;
  add_cones(block, row_of);
  group.cone_end = static_cast<int>(cones_.size());
  collect_columns(block, group, local_rows);
  group.d_begin = static_cast<int>(D_.size());
  D_.resize(D_.size() + static_cast<std::size_t>(group.rows * group.rows));
  groups_.push_back(group);
}

void ConeInteriorPoint::load(const SweepData& data, int z_count) {
  for (auto* values : {&diagonal_, &compliance_, &b_, &Y_, &D_, &s_}) values->clear();
  cones_.clear();
  groups_.clear();
  row_.clear();
  columns_.clear();
  column_.assign(static_cast<std::size_t>(z_count), -1);
  factor_.start(z_count);
  for (int i = 0; i < data.block_count; ++i) add_group(data, data.blocks[i]);
  P_.resize(Y_.size());
  D_factor_.resize(D_.size());
  for (auto* values : {&lambda_, &gamma_, &d_lambda_, &f_, &left_, &before_}) values->assign(row_.size(), 0.0);
  for (auto* values : {&y_, &ds_, &dy_, &aim_}) values->assign(s_.size(), 0.0);
  z_.assign(static_cast<std::size_t>(z_count), 0.0);
  z_given_.assign(static_cast<std::size_t>(z_count), 0.0);
  SweepData given = data;
  given.z = z_given_.data();
  solver_kernels().add_impulses_to_z(given);
}

// In the middle of an interval, or as far from the only bound as would change a typical gap velocity.
void ConeInteriorPoint::start() {
  double speed = 1e-300;
  for (const double b : b_) speed = std::max(speed, std::abs(b));
  for (std::size_t c = 0; c < cones_.size(); ++c) {
    const Cone& cone = cones_[c];
    const double typical = speed / diagonal_[cone.first];
    y_[cone.at] = speed;
    if (cone.lead > 0) {
      lambda_[cone.first] = typical - cone.offset;
    } else {
      const bool has_both = c > 0 && cones_[c - 1].first == cone.first;
      const double width = has_both ? cone.offset + cones_[c - 1].offset : 2 * typical;
      lambda_[cone.first] = cone.offset - std::min(typical, 0.5 * width);
    }
  }
  for (const Cone& cone : cones_) s_[cone.at] = cone.lead * lambda_[cone.first] + cone.offset;
}

void ConeInteriorPoint::add_to_z(const Group& group, const std::vector<double>& impulses) {
  const int* columns = columns_.data() + group.column_begin;
  for (int r = 0; r < group.rows; ++r) {
    const double* y = Y_.data() + group.y_begin + r * group.columns;
    for (int k = 0; k < group.columns; ++k) z_[columns[k]] += impulses[group.row_begin + r] * y[k];
  }
}

double ConeInteriorPoint::read_from_z(const Group& group, int r, const std::vector<double>& rows) const {
  const int* columns = columns_.data() + group.column_begin;
  const double* y = rows.data() + group.y_begin + r * group.columns;
  double sum = 0;
  for (int k = 0; k < group.columns; ++k) sum += z_[columns[k]] * y[k];
  return sum;
}

// gamma_ with the slips' part, and how far the present values are from a solution.
void ConeInteriorPoint::measure() {
  std::copy(z_given_.begin(), z_given_.end(), z_.begin());
  for (const Group& group : groups_) add_to_z(group, lambda_);
  for (const Group& group : groups_) {
    for (int r = 0; r < group.rows; ++r) {
      const int row = group.row_begin + r;
      gamma_[row] = b_[row] + compliance_[row] * lambda_[row] + read_from_z(group, r, Y_);
    }
  }
  product_ = 0;
  for (const Cone& cone : cones_) {
    const double* y = y_.data() + cone.at;
    product_ += cone_dot(s_.data() + cone.at, y, cone.size());
    gamma_[cone.first] += cone.lead * std::sqrt(cone_dot(y + 1, y + 1, cone.size() - 1));
  }
  std::copy(gamma_.begin(), gamma_.end(), left_.begin());
  for (const Cone& cone : cones_)
    for (int k = 0; k < cone.size(); ++k) left_[cone.row(k)] -= cone.factor(k) * y_[cone.at + k];
  balance_ = 0;
  for (const double left : left_) balance_ = std::max(balance_, std::abs(left));
}

void ConeInteriorPoint::scale_cones() {
  for (Cone& cone : cones_) cone.scaling.set(s_.data() + cone.at, y_.data() + cone.at);
}

// The cones' part of what multiplies the change of the impulses: Aᵀ W² A, less what the slips' change takes off.
void ConeInteriorPoint::build_block(const Group& group) {
  double* D = D_.data() + group.d_begin;
  const int rows = group.rows;
  std::fill_n(D, rows * rows, 0.0);
  for (int r = 0; r < rows; ++r) D[r * rows + r] = compliance_[group.row_begin + r];
  for (int c = group.cone_begin; c < group.cone_end; ++c) {
    const Cone& cone = cones_[c];
    const double* y = y_.data() + cone.at;
    for (int i = 0; i < cone.size(); ++i) {
      for (int j = 0; j < cone.size(); ++j) {
        const double entry = cone.scaling.square(i, j) * cone.factor(j);
        const int column = cone.row(j) - group.row_begin;
        D[(cone.row(i) - group.row_begin) * rows + column] += entry * cone.factor(i);
        if (i > 0) D[(cone.first - group.row_begin) * rows + column] -= cone.lead * y[i] / y[0] * entry;
      }
    }
  }
}

void ConeInteriorPoint::factor() {
  factor_.reset();
  for (const Group& group : groups_) {
    build_block(group);
    double* D = D_factor_.data() + group.d_begin;
    const double* Y = Y_.data() + group.y_begin;
    double* P = P_.data() + group.y_begin;
    std::copy_n(D_.data() + group.d_begin, group.rows * group.rows, D);
    std::copy_n(Y, group.rows * group.columns, P);
    factor_small(D, group.rows);
    for (int k = 0; k < group.columns; ++k) solve_small(D, group.rows, P + k, group.columns);
    const int* columns = columns_.data() + group.column_begin;
    for (int i = 0; i < group.columns; ++i) {
      for (int j = 0; j < group.columns; ++j) {
        double sum = 0;
        for (int r = 0; r < group.rows; ++r) sum += Y[r * group.columns + i] * P[r * group.columns + j];
        factor_.add(columns[i], columns[j], sum);
      }
    }
  }
  factor_.factor();
}

// d_lambda_ = (Y Yᵀ + D)⁻¹ f.
void ConeInteriorPoint::solve_for(const std::vector<double>& f) {
  std::copy(f.begin(), f.end(), d_lambda_.begin());
  std::fill(z_.begin(), z_.end(), 0.0);
  for (const Group& group : groups_) {
    solve_small(D_factor_.data() + group.d_begin, group.rows, d_lambda_.data() + group.row_begin, 1);
    add_to_z(group, d_lambda_);
  }
  factor_.solve(z_.data());
  for (const Group& group : groups_)
    for (int r = 0; r < group.rows; ++r) d_lambda_[group.row_begin + r] -= read_from_z(group, r, P_);
}

// Solves for f_, and again for what rounding has left: D⁻¹ becomes very large near a solution.
void ConeInteriorPoint::solve_refined() {
  solve_for(f_);
  std::copy(d_lambda_.begin(), d_lambda_.end(), before_.begin());
  std::fill(z_.begin(), z_.end(), 0.0);
  for (const Group& group : groups_) add_to_z(group, before_);
  for (const Group& group : groups_) {
    const double* D = D_.data() + group.d_begin;
    for (int r = 0; r < group.rows; ++r) {
      const double taken = cone_dot(D + r * group.rows, before_.data() + group.row_begin, group.rows);
      left_[group.row_begin + r] = f_[group.row_begin + r] - read_from_z(group, r, Y_) - taken;
    }
  }
  solve_for(left_);
  for (std::size_t i = 0; i < before_.size(); ++i) d_lambda_[i] += before_[i];
}

// aim: W (v⁻¹ ∘ what the products are to be), per value of a cone, or null for zero.
void ConeInteriorPoint::set_right_side(const double* aim) {
  for (std::size_t i = 0; i < f_.size(); ++i) f_[i] = -gamma_[i];
  for (const Cone& cone : cones_) {
    const double* y = y_.data() + cone.at;
    for (int k = 0; k < cone.size(); ++k) {
      const double aimed = aim != nullptr ? aim[cone.at + k] : 0;
      f_[cone.row(k)] += cone.factor(k) * aimed;
      if (k > 0) f_[cone.first] -= cone.lead * y[k] / y[0] * (aimed - y[k]);
    }
  }
}

// ds and dy from d_lambda_.
void ConeInteriorPoint::follow(const double* aim) {
  for (const Cone& cone : cones_) {
    double* ds = ds_.data() + cone.at;
    double moved[kConeSizeMost];
    for (int k = 0; k < cone.size(); ++k) ds[k] = cone.factor(k) * d_lambda_[cone.row(k)];
    cone.scaling.times_square(ds, moved);
    for (int k = 0; k < cone.size(); ++k)
      dy_[cone.at + k] = (aim != nullptr ? aim[cone.at + k] : 0) - y_[cone.at + k] - moved[k];
  }
}

double ConeInteriorPoint::longest_step(double most) const {
  double step = most;
  for (const Cone& cone : cones_) {
    step = step_to_boundary(s_.data() + cone.at, ds_.data() + cone.at, cone.size(), step);
    step = step_to_boundary(y_.data() + cone.at, dy_.data() + cone.at, cone.size(), step);
  }
  return step;
}

bool ConeInteriorPoint::stays_inside(double step) const {
  const auto is_inside = [step](const double* value, const double* change, int size) {
    double after[kConeSizeMost];
    for (int k = 0; k < size; ++k) after[k] = value[k] + step * change[k];
    return after[0] > 0 && cone_depth(after, size) > 0;
  };
  return std::all_of(cones_.begin(), cones_.end(), [&](const Cone& cone) {
    return is_inside(s_.data() + cone.at, ds_.data() + cone.at, cone.size()) &&
           is_inside(y_.data() + cone.at, dy_.data() + cone.at, cone.size());
  });
}

double ConeInteriorPoint::product_after(double step) const {
  double sum = 0;
  for (std::size_t i = 0; i < s_.size(); ++i) sum += (s_[i] + step * ds_[i]) * (y_[i] + step * dy_[i]);
  return sum;
}

// aim_ = W (v⁻¹ ∘ (centre e - (W ds) ∘ (W⁻¹ dy))) with the predictor's ds and dy.
void ConeInteriorPoint::aim_at(double centre) {
  for (const Cone& cone : cones_) {
    double v[kConeSizeMost], a[kConeSizeMost], b[kConeSizeMost], x[kConeSizeMost];
    cone.scaling.times(s_.data() + cone.at, v);
    cone.scaling.times(ds_.data() + cone.at, a);
    cone.scaling.divide(dy_.data() + cone.at, b);
    cone_product(a, b, cone.size(), x);
    for (int k = 0; k < cone.size(); ++k) x[k] = (k == 0 ? centre : 0) - x[k];
    cone_quotient(v, x, cone.size(), a);
    cone.scaling.times(a, aim_.data() + cone.at);
  }
}

void ConeInteriorPoint::predict_and_correct(double centre_least) {
  scale_cones();
  factor();
  set_right_side(nullptr);
  solve_refined();
  follow(nullptr);
  const double left = std::max(product_after(longest_step(1)) / product_, 0.0);
  aim_at(std::max(left * left * left * product_ / static_cast<double>(cones_.size()), centre_least));
  set_right_side(aim_.data());
  solve_refined();
  follow(aim_.data());
}

int ConeInteriorPoint::solve(const SweepData& data, int z_count, double tolerance, int attempt) {
  load(data, z_count);
  if (cones_.empty()) return 0;
  start();
  const double largest = *std::max_element(diagonal_.begin(), diagonal_.end());
  const auto [to_the_boundary, centring] = kManners[attempt];
  double best = INFINITY;
  int steps = 0;
  for (int failed = 0; steps < kStepsMost && failed < kPatience; ++steps) {
    measure();
    if (!(product_ > 0)) break;  // rounding has taken over
    const double distance = std::max(balance_, std::sqrt(product_ / static_cast<double>(cones_.size()) * largest));
    failed = distance < best ? 0 : failed + 1;
    if (failed == 0) {
      best = distance;
      for (std::size_t i = 0; i < row_.size(); ++i) data.lambda[row_[i]] = lambda_[i];
    }
    if (best <= tolerance) break;
    predict_and_correct(centring * balance_ * balance_ / largest);
    double step = to_the_boundary * longest_step(1 / to_the_boundary);
    while (step > kShortestStep && !stays_inside(step)) step *= 0.8;  // rounding
    for (std::size_t i = 0; i < lambda_.size(); ++i) lambda_[i] += step * d_lambda_[i];
    for (std::size_t i = 0; i < s_.size(); ++i) s_[i] += step * ds_[i];
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i] += step * dy_[i];
  }
  return steps;
}

}  // namespace lipkin
