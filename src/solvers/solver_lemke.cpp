#include "solvers/solver_lemke.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lipkin {

namespace {

constexpr int kSides = 8;

// Adds a row of a block, times a factor, to z-sized memory.
void scatter(const SweepBlock& block, int r, double factor, double* z) {
  const double* y = block.y + r * block.width;
  for (int run = 0; run < block.run_count; ++run)
    for (int j = 0; j < block.runs[run].length; ++j) z[block.runs[run].begin + j] += factor * *y++;
}

}  // namespace

int SolverLemke::add_unknown(int row, double along) {
  Unknown unknown;
  unknown.row[0] = row;
  unknown.along[0] = along;
  unknowns_.push_back(unknown);
  return static_cast<int>(unknowns_.size()) - 1;
}

// Lambda = lo + x, or hi - x, or the difference of two; where both bounds are finite, a multiplier keeps x below hi -
// lo.
void SolverLemke::list_interval(const SweepBlock& block) {
  const bool low = std::isfinite(block.lo), high = std::isfinite(block.hi);
  const int x = add_unknown(block.row_begin, low || !high ? 1 : -1);
  if (low && high) {
    const int multiplier = add_unknown(-1, 0);
    unknowns_[multiplier].bound_of = x;
    unknowns_[multiplier].factor = -1;
    unknowns_[multiplier].limit = block.hi - block.lo;
    unknowns_[x].member_of = multiplier;
  } else if (!low && !high) {
    add_unknown(block.row_begin, -1);
  }
}

void SolverLemke::list_friction(const SweepBlock& block, int r, int rows, double mu, int normal) {
  const int multiplier = add_unknown(-1, 0);
  unknowns_[multiplier].bound_of = normal;
  unknowns_[multiplier].factor = mu;
  const int sides = rows == 1 ? 2 : kSides;
  for (int side = 0; side < sides; ++side) {
    const double angle = 2 * std::numbers::pi * side / sides;
    const int x = add_unknown(block.row_begin + r, rows == 1 ? (side == 0 ? 1 : -1) : std::cos(angle));
    if (rows == 2) {
      unknowns_[x].row[1] = block.row_begin + r + 1;
      unknowns_[x].along[1] = std::sin(angle);
    }
    unknowns_[x].member_of = multiplier;
  }
}

void SolverLemke::list_contact(const SweepBlock& block) {
  const int normal = add_unknown(block.row_begin, 1);
  if (block.rows >= 3 && block.mu > 0) list_friction(block, 1, 2, block.mu, normal);
  if (block.rows >= 4 && block.mu_spin > 0) list_friction(block, 3, 1, block.mu_spin, normal);
  if (block.rows >= 6 && block.mu_roll > 0) list_friction(block, 4, 2, block.mu_roll, normal);
}

void SolverLemke::list_unknowns() {
  unknowns_.clear();
  for (const SweepBlock& block : rest_.blocks()) {
    double* lambda = rest_.data().lambda + block.row_begin;
    std::fill_n(lambda, block.rows, 0.0);
    if (rest_.data().local[block.local_begin] == 0) continue;  // degenerate
    if (block.law == LawKind::kInterval) {
      lambda[0] = std::isfinite(block.lo) ? block.lo : (std::isfinite(block.hi) ? block.hi : 0);
      list_interval(block);
    } else {
      list_contact(block);
    }
  }
}

// w = M x + q: gap velocities along what each unknown pushes, plus its multiplier; for multipliers what is left of the
// bound. q holds the impulses at x = 0.
void SolverLemke::build() {
  const int n = static_cast<int>(unknowns_.size());
  const auto width = static_cast<std::size_t>(rest_.z_count());
  const SweepData& data = rest_.data();
  pushed_.assign(static_cast<std::size_t>(n) * width, 0.0);
  M_.assign(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 0.0);
  q_.assign(static_cast<std::size_t>(n), 0.0);
  x_.resize(static_cast<std::size_t>(n));
  rest_.refresh_z();
  int k = 0;
  for (const SweepBlock& block : rest_.blocks()) {
    for (; k < n; ++k) {
      const Unknown& unknown = unknowns_[k];
      const int row = unknown.row[0];
      if (row >= block.row_begin + block.rows) break;
      for (int i = 0; i < 2 && row >= 0; ++i)
        if (unknown.row[i] >= 0)
          scatter(block, unknown.row[i] - block.row_begin, unknown.along[i], pushed_.data() + k * width);
    }
  }
  for (int i = 0; i < n; ++i) {
    const Unknown& a = unknowns_[i];
    if (a.row[0] < 0) {
      q_[i] = a.limit;
      M_[i * n + a.bound_of] = a.factor;
      for (int j = 0; j < n; ++j)
        if (unknowns_[j].member_of == i && j != a.bound_of) M_[i * n + j] = -1;
      continue;
    }
    const double* pushed = pushed_.data() + i * width;
    for (int c = 0; c < rest_.z_count(); ++c) q_[i] += pushed[c] * data.z[c];
    for (int e = 0; e < 2; ++e)
      if (a.row[e] >= 0) q_[i] += a.along[e] * (data.b[a.row[e]] + data.compliance[a.row[e]] * data.lambda[a.row[e]]);
    if (a.member_of >= 0) M_[i * n + a.member_of] = 1;
    for (int j = 0; j < n; ++j) {
      if (unknowns_[j].row[0] < 0) continue;
      const double* other = pushed_.data() + j * width;
      for (int c = 0; c < rest_.z_count(); ++c) M_[i * n + j] += pushed[c] * other[c];
      for (int e = 0; e < 2; ++e)
        for (int f = 0; f < 2; ++f)
          if (a.row[e] >= 0 && a.row[e] == unknowns_[j].row[f])
            M_[i * n + j] += data.compliance[a.row[e]] * a.along[e] * unknowns_[j].along[f];
    }
  }
}

// x = D x' with D such that G has a unit diagonal: the same problem whatever the units.
void SolverLemke::scale() {
  const int n = static_cast<int>(unknowns_.size());
  scale_.resize(unknowns_.size());
  for (int i = 0; i < n; ++i) {
    const int bound_of = unknowns_[i].bound_of, k = bound_of < 0 ? i : bound_of;
    const double root = std::sqrt(M_[k * n + k]);
    scale_[i] = root > 0 ? (bound_of < 0 ? 1 / root : root) : 1;  // a degenerate tangent stays as it is
  }
  for (int i = 0; i < n; ++i) {
    q_[i] *= scale_[i];
    for (int j = 0; j < n; ++j) M_[i * n + j] *= scale_[i] * scale_[j];
  }
}

void SolverLemke::impulses_from_unknowns() {
  for (std::size_t k = 0; k < unknowns_.size(); ++k)
    for (int i = 0; i < 2; ++i)
      if (unknowns_[k].row[i] >= 0)
        rest_.data().lambda[unknowns_[k].row[i]] += unknowns_[k].along[i] * scale_[k] * x_[k];
}

SolveReport SolverLemke::solve(Problem& problem, const SolverOptions& options, double* z) {
  SolveReport report;
  elimination_.reduce(problem, rest_, z);
  if (!rest_.blocks().empty()) {
    list_unknowns();
    build();
    scale();
    report.converged = lemke_.solve(static_cast<int>(unknowns_.size()), M_.data(), q_.data(), x_.data());
    impulses_from_unknowns();
    rest_.refresh_z();
    report.iterations = lemke_.pivots();
    report.residual = rest_.residual();
    report.operator_used = SolverOperator::kDelassus;
    report.reason = "pivoting works on the matrix";
  }
  elimination_.finish(problem, z);
  const double bilateral = elimination_.residual(problem, z);
  report.converged = report.converged && bilateral <= options.tolerance;
  report.residual = std::max(report.residual, bilateral);
  return report;
}

}  // namespace lipkin
