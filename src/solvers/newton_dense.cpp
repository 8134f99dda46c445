#include "solvers/newton_dense.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/groups.hpp"
#include "solvers/grow.hpp"

namespace lipkin {

namespace {

constexpr int kGrain = 8;
constexpr int kReserveRows = 400;      // larger islands grow their buffers as they need
constexpr double kRefineAbove = 0.01;  // of the tolerance: what a solve may leave before it is refined
// Of a row's diagonal: its compliance in proximal steps. Less of it from step to step, for impulses that have far to
// go.
constexpr double kGivesWayFirst = 1e-6, kGivesWayLess = 0.3, kGivesWayLeast = 1e-12;
constexpr double kCloserRankTolerance = 1e-16;

int padded(int count) { return (count + kGrain - 1) / kGrain * kGrain; }

double dot(const double* a, const double* b, int count) {
  double sum = 0;
  for (int j = 0; j < count; ++j) sum += a[j] * b[j];
  return sum;
}

void add_scaled(double* to, double factor, const double* from, int count) {
  for (int j = 0; j < count; ++j) to[j] += factor * from[j];
}

}  // namespace

void NewtonDense::load(const SweepSet& set, const int* first, const int* last) {
  take_blocks(set, first, last);
  gives_way_ = 0;
  build_rows(set);
  reserve_for_any_active_set();
  data_.z = z_.data();
  z_end_ = stride_;
}

void NewtonDense::build_rows(const SweepSet& set) {
  if (column_.size() < static_cast<std::size_t>(set.z_count()))
    column_.resize(static_cast<std::size_t>(set.z_count()), -1);
  used_.clear();
  int row_end = 0;
  for (const SweepBlock& block : blocks_) {
    row_end = std::max(row_end, block.row_begin + block.rows);
    for (int run = 0; run < block.run_count; ++run) {
      const int begin = block.runs[run].begin, length = used_length(block, run);
      for (int j = begin; j < begin + length; ++j) {
        if (column_[j] >= 0) continue;
        column_[j] = static_cast<int>(used_.size());
        used_.push_back(j);
      }
    }
  }
  stride_ = padded(static_cast<int>(used_.size()));
  run_.assign(1, {0, stride_});
  grow(position_, static_cast<std::size_t>(row_end));
  grow(is_unknown_, static_cast<std::size_t>(row_end));
  grow(z_, static_cast<std::size_t>(stride_));
  grow(z_given_, static_cast<std::size_t>(stride_));
  const std::size_t size = static_cast<std::size_t>(row_count_) * static_cast<std::size_t>(stride_);
  grow(Y_, size);
  std::fill_n(Y_.data(), size, 0.0);
  int position = 0;
  for (SweepBlock& block : blocks_) {
    double* to = Y_.data() + static_cast<std::size_t>(position) * static_cast<std::size_t>(stride_);
    for (int r = 0; r < block.rows; ++r) {
      position_[block.row_begin + r] = position++;
      const double* from = block.y + r * block.width;
      for (int run = 0; run < block.run_count; ++run) {
        for (int j = 0; j < block.runs[run].length; ++j, ++from) {
          if (*from != 0) to[r * stride_ + column_[block.runs[run].begin + j]] += *from;
        }
      }
    }
    block.y = to;
    block.runs = run_.data();
    block.run_count = 1;
    block.width = stride_;
  }
  for (const int j : used_) column_[j] = -1;
}

// So that steps take nothing from the heap whatever rows turn out to hold.
void NewtonDense::reserve_for_any_active_set() {
  const int most = padded(row_count_), columns = stride_ + most;
  const auto rows = static_cast<std::size_t>(most);
  parts_.reserve(3 * rows);
  equation_.reserve(rows);
  compliance_.reserve(rows);
  around_.reserve(rows);
  x_before_.reserve(rows);
  pushes_more_.reserve(rows);
  if (row_count_ > kReserveRows) return;
  grow(E_, rows * static_cast<std::size_t>(columns));
  grow(U_, rows * static_cast<std::size_t>(columns));
  grow(K_, rows * rows);
  for (auto* values : {&rhs_, &left_, &x_, &x_nearest_, &change_, &c_}) grow(*values, rows);
  equations_.reserve(most, columns);
  unknowns_.reserve(most, most);
}

void NewtonDense::clear_z() { std::fill_n(z_.data(), stride_, 0.0); }

void NewtonDense::add_part(int unknown, int row, double factor) {
  parts_.push_back({unknown, row, factor});
  if (equation_[unknown] >= 0 && equation_[unknown] != row) pushes_more_[unknown] = true;
}

int NewtonDense::add_unknown(const SweepBlock& block, int r) {
  const int row = block.row_begin + r;
  const double give = gives_way_ * data_.local[block.local_begin + r * block.rows + r];
  is_unknown_[row] = true;
  equation_.push_back(row);
  compliance_.push_back(data_.compliance[row] + give);
  around_.push_back(give * data_.lambda[row]);
  x_before_.push_back(data_.lambda[row]);
  pushes_more_.push_back(false);
  add_part(unknown_count_, row, 1);
  return unknown_count_++;
}

int NewtonDense::add_unknown_across(double compliance, double before) {
  equation_.push_back(-1);
  compliance_.push_back(compliance);
  around_.push_back(0);
  x_before_.push_back(before);
  pushes_more_.push_back(false);
  return unknown_count_++;
}

// The rows r, r + 1 of a contact under a disc whose radius is mu times the normal impulse.
void NewtonDense::choose_disc(const SweepBlock& block, int r, double mu, int disc_at, int normal_unknown,
                              double normal) {
  const double* local = data_.local + block.local_begin;
  const auto& disc = *reinterpret_cast<const DiscOperator*>(local + disc_at);
  const int row = block.row_begin + r;
  const double radius = mu * normal;
  if (mu <= 0 || disc.bound <= 0 || (radius <= 0 && hold_friction_below_ < 0)) return;
  const double x = data_.lambda[row] - disc.inverse_bound * gamma_[row];
  const double y = data_.lambda[row + 1] - disc.inverse_bound * gamma_[row + 1];
  const double length = std::sqrt(x * x + y * y);
  const double slip = std::max(std::abs(gamma_[row]), std::abs(gamma_[row + 1]));
  if (length <= radius || slip <= hold_friction_below_) {
    const double* inverse = local + local_inverse_at(block.rows);
    for (int k = 0; k < 2; ++k)
      if (inverse[r + k] > 0) add_unknown(block, r + k);
    return;
  }
  const double dx = x / length, dy = y / length;
  add_part(normal_unknown, row, mu * dx);
  add_part(normal_unknown, row + 1, mu * dy);
  symmetric_ = false;
  const double across = dy * dy * data_.compliance[row] + dx * dx * data_.compliance[row + 1];
  const double before = dx * data_.lambda[row + 1] - dy * data_.lambda[row];
  const int unknown = add_unknown_across(across + (length - radius) * disc.bound / radius, before);
  add_part(unknown, row, -dy);
  add_part(unknown, row + 1, dx);
}

void NewtonDense::choose_contact(const SweepBlock& block) {
  const double* local = data_.local + block.local_begin;
  const double* inverse = local + local_inverse_at(block.rows);
  const int row = block.row_begin;
  const double normal = data_.lambda[row] - gamma_[row] * inverse[0];
  if (inverse[0] == 0 || !(normal > 0 || std::abs(gamma_[row]) <= hold_normals_below_)) return;
  const int unknown = add_unknown(block, 0);
  if (block.rows < 3) return;
  choose_disc(block, 1, block.mu, local_tangents_at(block.rows), unknown, normal);
  if (block.rows >= 4 && inverse[3] > 0 && block.mu_spin > 0) {
    const double spin = data_.lambda[row + 3] - gamma_[row + 3] * inverse[3];
    if (std::abs(spin) <= block.mu_spin * normal || std::abs(gamma_[row + 3]) <= hold_friction_below_) {
      add_unknown(block, 3);
    } else {
      add_part(unknown, row + 3, std::copysign(block.mu_spin, spin));
      symmetric_ = false;
    }
  }
  if (block.rows >= 6) choose_disc(block, 4, block.mu_roll, local_rolling_at(block.rows), unknown, normal);
}

// Sets what is given and lists the unknowns.
void NewtonDense::choose_active() {
  parts_.clear();
  for (const SweepBlock& block : blocks_) std::fill_n(is_unknown_.begin() + block.row_begin, block.rows, false);
  equation_.clear();
  compliance_.clear();
  around_.clear();
  x_before_.clear();
  pushes_more_.clear();
  unknown_count_ = 0;
  symmetric_ = true;
  std::fill_n(z_given_.data(), stride_, 0.0);
  for (const SweepBlock& block : blocks_) {
    const double* local = data_.local + block.local_begin;
    const double* inverse = local + local_inverse_at(block.rows);
    double* lambda = data_.lambda + block.row_begin;
    if (block.law == LawKind::kContact) {
      choose_contact(block);
      std::fill_n(lambda, block.rows, 0.0);
    } else if (block.law == LawKind::kInterval) {
      const double target = lambda[0] - gamma_[block.row_begin] * inverse[0];
      const double given = std::clamp(target, block.lo, block.hi);
      const bool inside = given == target || std::abs(gamma_[block.row_begin]) <= hold_friction_below_;
      const bool holds = inverse[0] > 0 && inside && block.lo < block.hi;
      if (holds) add_unknown(block, 0);
      lambda[0] = holds || inverse[0] == 0 ? 0 : given;
      if (lambda[0] != 0) add_scaled(z_given_.data(), lambda[0], y(block.row_begin), stride_);
    } else {
      for (int r = 0; r < block.rows; ++r)
        if (inverse[r] > 0) add_unknown(block, r);
      std::fill_n(lambda, block.rows, 0.0);
    }
  }
}

// E z + c x = -b. Where unknowns push along other rows than those that ask, each compliance is a column that its row
// alone touches; otherwise the factorisation does that by itself.
void NewtonDense::build_system() {
  int compliant_count = 0;
  if (!symmetric_)
    for (const double c : compliance_) compliant_count += c > 0;
  columns_ = stride_ + padded(compliant_count);
  const auto count = static_cast<std::size_t>(unknown_count_);
  grow(E_, count * columns_);
  grow(rhs_, count);
  grow(left_, count);
  grow(x_, static_cast<std::size_t>(padded(unknown_count_)));
  grow(x_nearest_, static_cast<std::size_t>(padded(unknown_count_)));
  grow(change_, static_cast<std::size_t>(padded(unknown_count_)));
  grow(c_, static_cast<std::size_t>(padded(unknown_count_)));
  if (!symmetric_) build_unknowns();
  int compliant = stride_;
  for (int k = 0; k < unknown_count_; ++k) {
    double* e = E_.data() + static_cast<std::size_t>(k) * columns_;
    if (equation_[k] >= 0) {
      std::copy_n(y(equation_[k]), stride_, e);
      rhs_[k] = -data_.b[equation_[k]];
    } else {
      std::copy_n(U_.data() + static_cast<std::size_t>(k) * columns_, stride_, e);
    }
    rhs_[k] += around_[k] - dot(e, z_given_.data(), stride_);
    if (symmetric_) continue;
    std::fill(e + stride_, e + columns_, 0.0);
    if (compliance_[k] > 0) e[compliant++] = std::sqrt(compliance_[k]);
    std::copy(e + stride_, e + columns_, U_.data() + static_cast<std::size_t>(k) * columns_ + stride_);
  }
}

// What each unknown pushes along, and the right sides of equations that are mixed from rows alike.
void NewtonDense::build_unknowns() {
  const std::size_t size = static_cast<std::size_t>(unknown_count_) * static_cast<std::size_t>(columns_);
  grow(U_, size);
  std::fill_n(U_.data(), size, 0.0);
  std::fill_n(rhs_.data(), unknown_count_, 0.0);
  for (const Part& part : parts_) {
    add_scaled(U_.data() + static_cast<std::size_t>(part.unknown) * columns_, part.factor, y(part.row), stride_);
    if (equation_[part.unknown] < 0) rhs_[part.unknown] -= part.factor * data_.b[part.row];
  }
}

void NewtonDense::solve_once(const double* rhs, double* x) {
  if (symmetric_) {
    equations_.solve_lambda(rhs, x);
  } else {
    equations_.demand_on_basis(rhs, c_.data());
    unknowns_.solve_z(c_.data(), x);
  }
}

void NewtonDense::factor_system() {
  equations_.factor(E_.data(), unknown_count_, columns_, columns_, symmetric_ ? compliance_.data() : nullptr);
  if (symmetric_) return;
  // E Uᵀ x = rhs with E = L V: V Uᵀ x is known, and the shortest x that gives it is the answer.
  const int rank = equations_.rank();
  grow(K_, static_cast<std::size_t>(rank) * static_cast<std::size_t>(unknown_count_));
  equations_.basis_times_own_rows(K_.data(), unknown_count_);
  for (int i = 0; i < unknown_count_; ++i)
    if (pushes_more_[i])
      equations_.basis_times(U_.data() + static_cast<std::size_t>(i) * columns_, K_.data() + i, unknown_count_);
  unknowns_.factor(K_.data(), rank, unknown_count_, unknown_count_, nullptr);
}

// What rounding has left of the right side; returns the largest.
double NewtonDense::what_is_left(const std::vector<double>& x) {
  const std::vector<double>& pushed = symmetric_ ? E_ : U_;
  std::fill_n(z_.data(), stride_, 0.0);
  for (int k = 0; k < unknown_count_; ++k)
    add_scaled(z_.data(), x[k], pushed.data() + static_cast<std::size_t>(k) * columns_, stride_);
  double worst = 0;
  for (int k = 0; k < unknown_count_; ++k) {
    const double* e = E_.data() + static_cast<std::size_t>(k) * columns_;
    left_[k] = rhs_[k] - dot(e, z_.data(), stride_) - compliance_[k] * x[k];
    worst = std::max(worst, std::abs(left_[k]));
  }
  return worst;
}

bool NewtonDense::solve_within(double tolerance) {
  factor_system();
  solve_once(rhs_.data(), x_.data());
  if (!(what_is_left(x_) > kRefineAbove * tolerance)) return true;
  solve_once(left_.data(), change_.data());
  for (int k = 0; k < unknown_count_; ++k) x_[k] += change_[k];  // the sum is still the shortest
  return !(what_is_left(x_) > tolerance);
}

// Rows that depend on each other may still tell each other apart, if one looks closer.
void NewtonDense::solve_system(double tolerance) {
  if (gives_way_ > 0) gives_way_ = std::max(kGivesWayLess * gives_way_, kGivesWayLeast);
  if (solve_within(tolerance) || equations_.rank() == unknown_count_) return;
  set_rank_tolerance(kCloserRankTolerance);
  if (!solve_within(tolerance) && gives_way_ == 0) gives_way_ = kGivesWayFirst;
  set_rank_tolerance(BilateralFactor::kDefaultRankTolerance);
}

void NewtonDense::set_rank_tolerance(double tolerance) {
  equations_.set_rank_tolerance(tolerance);
  unknowns_.set_rank_tolerance(tolerance);
}

bool NewtonDense::holds_but_is_given(const SweepBlock& block, int r, int rows, double tolerance) const {
  const double* inverse = data_.local + block.local_begin + local_inverse_at(block.rows);
  for (int i = r; i < r + rows; ++i) {
    const int row = block.row_begin + i;
    if (is_unknown_[row] || inverse[i] == 0 || !(std::abs(gamma_[row]) <= tolerance)) return false;
  }
  return true;
}

// First everything that stands still; if that fails, only friction.
bool NewtonDense::choose_canonical(int attempt, double tolerance) {
  if (attempt == 0) find_given_that_hold(tolerance);
  const bool another = attempt == 0 ? normals_may_hold_ || friction_may_hold_ || gives_way_ > 0
                                    : attempt == 1 && normals_may_hold_ && friction_may_hold_;
  gives_way_ = 0;
  hold_normals_below_ = another && attempt == 0 ? tolerance : -1;
  hold_friction_below_ = another ? tolerance : -1;
  return another;
}

void NewtonDense::find_given_that_hold(double tolerance) {
  bool normals = false, friction = false;
  for (const SweepBlock& block : blocks_) {
    if (block.law == LawKind::kInterval) friction |= block.lo < block.hi && holds_but_is_given(block, 0, 1, tolerance);
    if (block.law != LawKind::kContact) continue;
    const bool normal_may = holds_but_is_given(block, 0, 1, tolerance);
    normals |= normal_may;
    if (!normal_may && !is_unknown_[block.row_begin]) continue;  // no friction without a normal
    if (block.rows >= 3) friction |= block.mu > 0 && holds_but_is_given(block, 1, 2, tolerance);
    if (block.rows >= 4) friction |= block.mu_spin > 0 && holds_but_is_given(block, 3, 1, tolerance);
    if (block.rows >= 6) friction |= block.mu_roll > 0 && holds_but_is_given(block, 4, 2, tolerance);
  }
  normals_may_hold_ = normals;
  friction_may_hold_ = friction;
}

void NewtonDense::step(double tolerance) {
  choose_active();
  hold_normals_below_ = hold_friction_below_ = -1;
  if (unknown_count_ == 0) return;
  build_system();
  solve_system(tolerance);
  take(x_);
}

void NewtonDense::take(const std::vector<double>& x) {
  for (const Part& part : parts_) data_.lambda[part.row] = 0;
  for (const Part& part : parts_) data_.lambda[part.row] += part.factor * x[part.unknown];
}

// The factors are those of the step.
bool NewtonDense::take_nearest() {
  if (unknown_count_ == 0 || equations_.rank() == unknown_count_) return false;
  what_is_left(x_before_);
  solve_once(left_.data(), change_.data());
  for (int k = 0; k < unknown_count_; ++k) x_nearest_[k] = x_before_[k] + change_[k];
  take(x_nearest_);
  return true;
}

int NewtonDense::start_inside(double tolerance, int attempt) {
  gives_way_ = 0;
  return inside_.solve(data_, stride_, tolerance, attempt);
}

void NewtonDense::write_z(double* z) const {
  for (std::size_t column = 0; column < used_.size(); ++column) z[used_[column]] = z_[column];
}

}  // namespace lipkin
