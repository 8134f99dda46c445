#include "solvers/restless_sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solvers/kernels.hpp"

namespace lipkin {

namespace {

constexpr double kFew = 0.75;    // where more of the blocks are restless, all are solved as usual
constexpr double kMany = 0.3;    // from here on it costs less to sweep and measure all of them
constexpr double kHolds = 0.05;  // of the tolerance: what is violated less is left alone
constexpr double kWaits = 0.2;   // of the tolerance: what is violated less after the first sweep waits
constexpr int kRoundsMost = 10;
constexpr double kSweepsInTurn = 10, kLittleWork = 0.1;  // work: of a sweep of all blocks
constexpr int kSampleEvery = 64;                         // blocks: how many are restless is guessed from every so many

}  // namespace

void RestlessSweeps::Chosen::gather(const SweepData& all) {
  blocks.clear();
  for (const int i : index) blocks.push_back(all.blocks[i]);
}

SweepData RestlessSweeps::Chosen::within(const SweepData& all) const {
  SweepData some = all;
  some.blocks = blocks.data();
  some.block_count = static_cast<int>(blocks.size());
  return some;
}

void RestlessSweeps::choose_all() {
  restless_.index.resize(violation_.size());
  std::iota(restless_.index.begin(), restless_.index.end(), 0);
  doubtful_.index.clear();
}

void RestlessSweeps::choose_first(double least) {
  restless_.index.clear();
  for (std::size_t i = 0; i < violation_.size(); ++i)
    if (!(violation_[i] <= least)) restless_.index.push_back(static_cast<int>(i));
}

// Among those that were measured after the last sweep.
void RestlessSweeps::choose_again(double least) {
  measured_.resize(restless_.index.size() + doubtful_.index.size());
  std::merge(restless_.index.begin(), restless_.index.end(), doubtful_.index.begin(), doubtful_.index.end(),
             measured_.begin());
  restless_.index.clear();
  for (const int i : measured_)
    if (!(violation_[static_cast<std::size_t>(i)] <= least)) restless_.index.push_back(i);
}

double RestlessSweeps::restless_part_of_sample(const SweepData& all, double least) {
  restless_.index.clear();
  for (int i = 0; i < all.block_count; i += kSampleEvery) restless_.index.push_back(i);
  measure(all, restless_);
  int restless = 0;
  for (const int i : restless_.index)
    if (!(violation_[static_cast<std::size_t>(i)] <= least)) ++restless;
  return static_cast<double>(restless) / static_cast<double>(restless_.index.size());
}

double RestlessSweeps::restless_part() const {
  return static_cast<double>(restless_.index.size()) / static_cast<double>(violation_.size());
}

double RestlessSweeps::sweep_all(SweepSet& set) {
  set.sweep({});
  work_ += 1;
  choose_all();
  return set.residual(violation_.data());
}

// Few blocks are swept several times before the others are looked at; together that is no more than kLittleWork.
double RestlessSweeps::sweep_restless(const SweepSet& set, double tolerance) {
  const SweepData& all = set.data();
  restless_.gather(all);
  before_.resize(std::max(before_.size(), static_cast<std::size_t>(set.z_count())));
  for (const SweepBlock& block : restless_.blocks)
    for (int run = 0; run < block.run_count; ++run)
      std::copy_n(all.z + block.runs[run].begin, block.runs[run].length, before_.data() + block.runs[run].begin);
  const double sweeps_most = std::clamp(kLittleWork / restless_part(), 1.0, kSweepsInTurn);
  double moved = tolerance;
  for (int k = 0; k + 1 <= sweeps_most && moved > kWaits * tolerance; ++k) {
    moved = solver_kernels().sweep_blocks(restless_.within(all), {}, false).velocity;
    work_ += restless_part();
  }
  sum_pushes(all, static_cast<std::size_t>(set.z_count() / kRunGrain + 1));
  return update_violations(set, tolerance);
}

void RestlessSweeps::sum_pushes(const SweepData& all, std::size_t grain_count) {
  push_.assign(grain_count, 0);
  for (const SweepBlock& block : restless_.blocks)
    visit_grains(block, [&](std::size_t grain) { push_[grain] = moved_by(all.z, grain); });
  push_before_.resize(grain_count + 1);
  push_before_[0] = 0;
  std::partial_sum(push_.begin(), push_.end(), push_before_.begin() + 1);
}

// |dz| in a piece of z, since it was kept.
double RestlessSweeps::moved_by(const double* z, std::size_t grain) const {
  static_assert(kRunGrain == 2);
  const double first = z[2 * grain] - before_[2 * grain], second = z[2 * grain + 1] - before_[2 * grain + 1];
  return std::sqrt(first * first + second * second);
}

RestlessSweeps::Reach RestlessSweeps::reach_of(const SweepBlock& block) {
  Reach reach = {{0, 0}, {0, 0}};
  if (block.run_count > 2) {
    reach.begin[0] = -1;
    return reach;
  }
  for (int run = 0; run < block.run_count; ++run) {
    reach.begin[run] = block.runs[run].begin / kRunGrain;
    reach.end[run] = (block.runs[run].begin + block.runs[run].length + kRunGrain - 1) / kRunGrain;
  }
  return reach;
}

double RestlessSweeps::push_on(const SweepData& all, int i) {
  if (i == static_cast<int>(reaches_.size())) reaches_.push_back(reach_of(all.blocks[i]));
  const Reach& reach = reaches_[static_cast<std::size_t>(i)];
  double push = 0;
  if (reach.begin[0] < 0) {
    visit_grains(all.blocks[i], [&](std::size_t grain) { push += push_[grain]; });
    return push;
  }
  for (int run = 0; run < 2; ++run) push += push_before_[reach.end[run]] - push_before_[reach.begin[run]];
  return push;
}

void RestlessSweeps::measure(const SweepData& all, Chosen& chosen) {
  chosen.gather(all);
  values_.resize(std::max(values_.size(), chosen.index.size()));
  solver_kernels().residual_of_blocks(chosen.within(all), nullptr, values_.data());
  for (std::size_t k = 0; k < chosen.index.size(); ++k)
    violation_[static_cast<std::size_t>(chosen.index[k])] = values_[k];
}

// After a sweep; returns the worst of all.
double RestlessSweeps::update_violations(const SweepSet& set, double tolerance) {
  const SweepData& all = set.data();
  const double norm = std::sqrt(set.largest_trace());
  doubtful_.index.clear();
  double worst = 0;
  const auto look_at = [&](double violation) {
    if (!(violation <= worst)) worst = violation;  // NaN counts as the worst
  };
  std::size_t next = 0;
  for (int i = 0; i < all.block_count; ++i) {
    const double push = push_on(all, i);
    if (next < restless_.index.size() && restless_.index[next] == i) {
      ++next;
      continue;
    }
    double& violation = violation_[static_cast<std::size_t>(i)];
    violation += norm * push;
    if (violation <= tolerance) {
      look_at(violation);
    } else {
      doubtful_.index.push_back(i);
    }
  }
  for (Chosen* chosen : {&restless_, &doubtful_}) {
    measure(all, *chosen);
    for (const int i : chosen->index) look_at(violation_[static_cast<std::size_t>(i)]);
  }
  return worst;
}

bool RestlessSweeps::solve(SweepSet& set, const SolverOptions& options, double allowed, const SolveClock& clock,
                           SolveReport& report) {
  violation_.resize(set.blocks().size());
  reaches_.clear();
  work_ = 0;
  report.iterations = 1;
  report.operator_used = SolverOperator::kMatrixFree;
  report.reason = "few rows had to be swept";
  report.converged = false;
  const double least = std::min(allowed, kHolds * options.tolerance);
  const auto is_time_up = [&] { return report.iterations >= options.max_iterations || clock.expired(); };
  const double guess = restless_part_of_sample(set.data(), least);
  if (guess > kMany && guess <= kFew && !is_time_up()) {
    choose_all();  // what each is violated by need not be known
  } else {
    report.residual = set.residual(violation_.data());
    if (report.residual <= allowed) {
      report.reason = "the last step's impulses still hold";
      report.converged = true;
      return true;
    }
    choose_first(least);
    if (restless_part() > kFew) return is_time_up();
  }
  for (int k = 0; k < kRoundsMost && !is_time_up() && !report.converged; ++k) {
    if (k > 0) choose_again(kWaits * options.tolerance);
    report.residual = restless_part() > kMany ? sweep_all(set) : sweep_restless(set, options.tolerance);
    report.iterations = 1 + static_cast<int>(std::ceil(work_));
    report.converged = report.residual <= options.tolerance;
  }
  return report.converged || is_time_up() || kRoundsMost >= options.max_iterations;
}

}  // namespace lipkin
