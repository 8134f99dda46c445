#include "constraints/projection.hpp"

#include <algorithm>
#include <cmath>

#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

// Where loops hold each other redundantly and no correction brings them closer: the digits of the file.
constexpr double kOpenByRounding = 1e-6;
constexpr double kStalled = 0.9;  // at singular positions gaps still halve
// A coordinate that a prescribed speed moves has nothing that closes its gap later: rounding, so that thousands of them
// add up to nothing [m] or [rad].
constexpr double kLed = 1e-15;

// Where the gaps shrink by less than this per iteration, the linearisation is renewed.
constexpr double kContraction = 0.3;
constexpr int kNewtonSteps = 30;

// Corrections of positions that the next one is predicted from. More of them fit better but pass on, many times larger,
// what each was allowed to leave open: the velocities of a driven slider-crank then differ by 1e-6.
constexpr std::size_t kCorrectionsKept = 3;

}  // namespace

Projection::Projection(const ModelData& model, BilateralSystem& bilateral, DriveTargets& targets, Reactions& reactions)
    : bilateral_(bilateral),
      targets_(targets),
      reactions_(reactions),
      z_(static_cast<std::size_t>(bilateral.layout().z_count()), 0.0),
      z_total_(z_),
      du_(static_cast<std::size_t>(model.u_count), 0.0),
      moved_(du_),
      rates_(static_cast<std::size_t>(bilateral.row_count()), 0.0),
      V_(model.links.size()) {}

void Projection::lead_speeds(const ModelData& model, double h, const State& state, const double* u,
                             const Workspace& work) {
  if (!bilateral_.rows().has_speeds()) return;
  if (bilateral_.rows().speeds_need_links())
    kernels().link_velocities(model.links.data(), static_cast<int>(model.links.size()), work.kinematics.X_WL.data(),
                              work.kinematics.S_W.data(), u, V_.data());
  bilateral_.rows().lead_speeds(model, h, state, u, V_.data(), targets_.values());
}

void Projection::move(const ModelData& model, const double* z, State& state, Workspace& work) {
  bilateral_.whitener().velocities(model, work, z, du_.data());
  for (int j = 0; j < model.u_count; ++j) moved_[j] += du_[j];
  kernels().retract(model.links.data(), static_cast<int>(model.links.size()), state.q.data(), 1.0, du_.data(),
                    state.q.data());
}

// The polynomial in time through the last corrections, continued by a step; only what the rows can do. Into z_total_.
void Projection::predict(const State& state) {
  double* z = z_total_.data();
  const std::size_t n = bilateral_.cluster_z_count(), count = state.projection.size() / n;
  const double* p = state.projection.data();
  double weight[kCorrectionsKept], last = 1;  // of Newton's backward differences: (-1)^i binomial(count, i + 1)
  for (std::size_t i = 0; i < count; ++i)
    weight[i] = last *= -static_cast<double>(count - i) / static_cast<double>(i + 1);
  for (std::size_t k = 0; k < n; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum -= weight[i] * p[i * n + k];
    z[k] = sum;
  }
  for (int c = 0; c < bilateral_.layout().cluster_count(); ++c) {
    const ZRange& range = bilateral_.layout().cluster(c);
    double* part = z + range.begin;
    std::copy(part, part + range.count, z_.begin());
    bilateral_.rows().project_out(c, z_.data());
    for (int k = 0; k < range.count; ++k) part[k] -= z_[k];
  }
}

void Projection::remember(State& state) const {
  const std::size_t n = bilateral_.cluster_z_count();
  std::vector<double>& p = state.projection;
  if (p.size() < kCorrectionsKept * n) p.resize(p.size() + n);
  std::copy_backward(p.begin(), p.end() - static_cast<std::ptrdiff_t>(n), p.end());
  std::copy_n(z_total_.begin(), n, p.begin());
}

bool Projection::correct(const ModelData& model, int iterations, bool polish, State& state, Workspace& work) {
  std::vector<double>& gaps = bilateral_.gaps();
  double last = std::numeric_limits<double>::infinity();
  bool is_renewed = false, is_polished = !polish && !bilateral_.rows().has_speeds();
  for (int i = 0;; ++i) {
    kernels().poses(model.links.data(), static_cast<int>(model.links.size()), state.q.data(),
                    work.kinematics.X_WL.data());
    if (targets_.follow_poses()) targets_.follow(model, state, work);
    bilateral_.measure_gaps(model, state.q.data(), targets_.values(), work, state.closure_q.data());
    const double worst = bilateral_.worst_gap();
    if (worst <= BilateralSystem::kClosed && (is_polished || (!polish && bilateral_.worst_speed_gap() <= kLed)))
      return true;
    if (i == iterations || std::isnan(worst)) return worst <= BilateralSystem::kClosed;
    if (is_renewed && worst > kStalled * last && worst <= kOpenByRounding) return true;
    is_polished = is_polished || worst <= BilateralSystem::kClosed;
    is_renewed = worst > BilateralSystem::kClosed && worst > kContraction * last;
    if (is_renewed) {
      update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);
      bilateral_.whitener().factor(model, state.q.data(), work);
      bilateral_.rows().update(model, work.kinematics, state.q.data(), state.closure_q.data());
      bilateral_.factor(model, work);
    }
    last = worst;
    bilateral_.take_away(gaps, z_);
    for (int k = 0; k < bilateral_.cluster_z_count(); ++k) z_total_[k] += z_[k];
    move(model, z_.data(), state, work);
  }
}

void Projection::project_positions(const ModelData& model, double h, bool polish, State& state, Workspace& work,
                                   ConstraintReport& report) {
  if (bilateral_.empty()) return;
  if (targets_.follow_poses())
    kernels().poses(model.links.data(), static_cast<int>(model.links.size()), state.q.data(),
                    work.kinematics.X_WL.data());
  if (targets_.any_prescribed()) targets_.evaluate_at_end(model, state, work);
  std::fill(z_total_.begin(), z_total_.end(), 0.0);
  std::fill(moved_.begin(), moved_.end(), 0.0);
  if (state.projection.size() % std::max<std::size_t>(bilateral_.cluster_z_count(), 1) != 0 ||
      state.projection.size() > kCorrectionsKept * static_cast<std::size_t>(bilateral_.cluster_z_count()))
    state.projection.clear();  // of another model
  if (state.impulse_step == h && !state.projection.empty()) {
    predict(state);
    bilateral_.rotors().weigh(z_total_.data());
    move(model, z_total_.data(), state, work);
  }
  const bool closed = correct(model, kNewtonSteps, polish, state, work);
  report.converged = report.converged && closed;
  for (int j = 0; j < model.u_count; ++j) state.u[j] += moved_[j] / h;
  if (reactions_.wanted()) {
    z_ = z_total_;
    reactions_.find_push(z_, rates_, false);
    state.carried_impulses.clear();
    reactions_.carry(1 / h, state);
  }
  remember(state);
}

void Projection::close_positions(const ModelData& model, State& state, Workspace& work, ConstraintReport& report) {
  const bool closed = correct(model, kNewtonSteps, false, state, work);
  report.converged = report.converged && closed;
}

void Projection::project_velocities(const ModelData& model, State& state, Workspace& work) {
  if (bilateral_.empty()) return;
  meet_rates(model, state, work);
  if (targets_.follow_poses()) meet_rates(model, state, work);  // what is followed has its velocity now
}

void Projection::meet_rates(const ModelData& model, State& state, Workspace& work) {
  if (targets_.follow_poses()) targets_.evaluate(model, 0, state, work);
  bilateral_.rows().rates(state.u.data(), work.kinematics.V_WL.data(), targets_.values(), rates_.data());
  bilateral_.take_away(rates_, z_);
  bilateral_.whitener().velocities(model, work, z_.data(), du_.data());
  for (int j = 0; j < model.u_count; ++j) state.u[j] += du_[j];
  kernels().link_velocities(model.links.data(), static_cast<int>(model.links.size()), work.kinematics.X_WL.data(),
                            work.kinematics.S_W.data(), state.u.data(), work.kinematics.V_WL.data());
  if (!reactions_.wanted()) return;
  reactions_.find_push(z_, rates_, true);
  reactions_.carry(1, state);
}

}  // namespace lipkin
