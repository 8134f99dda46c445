#include "constraints/constraint_system.hpp"

#include <algorithm>

#include "constraints/reaction_loads.hpp"
#include "forces/actuators.hpp"
#include "forces/regularised_forces.hpp"
#include "tree/closure_rows.hpp"
#include "tree/coordinates.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

bool turns(const ClosureData& closure) {
  for (int k = 0; k < u_count(closure.type); ++k)
    if (keeps_turns(closure.type, k)) return true;
  return false;
}

}  // namespace

ConstraintSystem::ConstraintSystem(const ModelData& model)
    : bilateral_(model),
      laws_(model, bilateral_),
      targets_(model),
      reactions_(model, bilateral_),
      projection_(model, bilateral_, targets_, reactions_),
      assembly_(bilateral_, targets_, projection_),
      at_an_instant_(model, bilateral_, targets_, reactions_),
      rates_(static_cast<std::size_t>(bilateral_.row_count()), 0.0),
      z_(static_cast<std::size_t>(bilateral_.layout().z_count()), 0.0),
      du_(static_cast<std::size_t>(model.u_count), 0.0),
      V_free_(model.links.size()),
      has_turns_(std::any_of(model.closures.begin(), model.closures.end(), turns)),
      tree_friction_is_force_(!std::all_of(model.joint_frictions.begin(), model.joint_frictions.end(), is_row)) {}

bool ConstraintSystem::needs_factors(const ConstraintOptions& options) const {
  return eliminates(options.solver) || options.stabilization == StabilizationKind::kProjection;
}

void ConstraintSystem::linearize(const ModelData& model, const ConstraintOptions& options, State& state,
                                 Workspace& work) {
  bilateral_.linearize_at(model, needs_factors(options), state, work);
}

void ConstraintSystem::linearize_projected(const ModelData& model, const ConstraintOptions& options, State& state,
                                           Workspace& work) {
  if (bilateral_.empty()) return linearize(model, options, state, work);
  kernels().velocities_at_poses(model.links.data(), static_cast<int>(model.links.size()), state.q.data(),
                                state.u.data(), work.kinematics.X_WL.data(), work.kinematics.V_WL.data(),
                                work.kinematics.S_W.data());
  bilateral_.linearize_measured(model, needs_factors(options), state, work);
}

void ConstraintSystem::lead_angles(const ModelData& model, double h, State& state, const Workspace& work) {
  if (!has_turns_ || !may_lead_angles(h, state.u)) return;
  kernels().link_velocities(model.links.data(), static_cast<int>(model.links.size()), work.kinematics.X_WL.data(),
                            work.kinematics.S_W.data(), state.u.data(), V_free_.data());
  lipkin::lead_angles(model, work.kinematics, V_free_.data(), h, state.closure_q.data());
}

void ConstraintSystem::solve(const ModelData& model, const ConstraintOptions& options, ContactTiming timing, double h,
                             State& state, Workspace& work, double* u_free, double* pseudo, ConstraintReport& report) {
  laws_.use(options.solver);
  targets_.aim(model, options, timing, h, state, work);
  kernels().link_velocities(model.links.data(), static_cast<int>(model.links.size()), work.kinematics.X_WL.data(),
                            work.kinematics.S_W.data(), u_free, V_free_.data());
  if (!bilateral_.empty()) {
    bilateral().rates(u_free, V_free_.data(), targets_.values(), rates_.data());
    feed_gaps_back(model, timing, h, options.stabilization, state, work);
  }
  const bool eliminate = eliminates(options.solver);
  if (eliminate && !bilateral_.empty()) meet_bilateral(model, work, u_free);
  const RowContext context = {model,
                              state,
                              work,
                              bilateral_.whitener(),
                              u_free,
                              V_free_.data(),
                              targets_.values(),
                              h,
                              timing,
                              laws_.touching(options.solver),
                              eliminate ? &bilateral() : nullptr,
                              reactions_.wanted() && eliminate ? &laws_.whole_rows() : nullptr,
                              work.threads};
  laws_.solve(context, options, rates_, u_free, report);
  laws_.correct(model, options, h, work, pseudo, report);
  laws_.report_to(report);
  const double last_step = state.impulse_step;
  laws_.remember(h, state);
  if (options.stabilization != StabilizationKind::kProjection) {
    state.carried_impulses.clear();
  } else if (timing == ContactTiming::kAhead && last_step > 0) {  // impulses of another step, as forces
    for (double& carried : state.carried_impulses) carried *= h / last_step;
  }
  if (!eliminate) {
    const double* lambda = laws_.problem().lambda.data();
    state.row_impulses.insert(state.row_impulses.end(), lambda, lambda + bilateral_.row_count());
    reactions_.take(lambda, state);
  } else if (reactions_.wanted() && !bilateral_.empty()) {
    reactions_.find(laws_, state);
  }
}

// Baumgarte feeds the gaps back into the rates; split impulses need them for the pseudo velocities.
void ConstraintSystem::feed_gaps_back(const ModelData& model, ContactTiming timing, double h,
                                      StabilizationKind stabilization, State& state, Workspace& work) {
  if (stabilization != StabilizationKind::kBaumgarte && stabilization != StabilizationKind::kSplit) return;
  targets_.have_no_gap(model, timing, state);
  bilateral_.measure_gaps(model, state.q.data(), targets_.values(), work, state.closure_q.data());
  if (stabilization == StabilizationKind::kBaumgarte)
    for (int r = 0; r < bilateral_.row_count(); ++r) rates_[r] += kBaumgarte * bilateral_.gaps()[r] / h;
}

// The shortest impulses that meet the bilateral rows, before the others see the velocities: these cannot spoil it any
// more, having lost what the bilateral rows can do. Rotors are among the others.
void ConstraintSystem::meet_bilateral(const ModelData& model, Workspace& work, double* u_free) {
  for (double& rate : rates_) rate = -rate;
  std::fill(z_.begin(), z_.end(), 0.0);
  bilateral_.rows().solve(rates_.data(), z_.data());
  if (reactions_.wanted()) reactions_.begin_solve(z_);
  bilateral_.whitener().velocities(model, work, z_.data(), du_.data());
  for (int j = 0; j < model.u_count; ++j) u_free[j] += du_[j];
  if (!has_laws()) return;
  kernels().link_velocities(model.links.data(), static_cast<int>(model.links.size()), work.kinematics.X_WL.data(),
                            work.kinematics.S_W.data(), u_free, V_free_.data());
}

void ConstraintSystem::close_state(const ModelData& model, const ConstraintOptions& options, State& state,
                                   Workspace& work, ConstraintReport& report) {
  linearize(model, options, state, work);
  if (bilateral_.empty()) return;
  targets_.evaluate_anew(model, state, work);  // prescribed speeds have led where they have
  projection_.close_positions(model, state, work, report);
  linearize(model, options, state, work);
  carried_ = state.carried_impulses;
  projection_.project_velocities(model, state, work);
  std::swap(state.carried_impulses, carried_);
}

void ConstraintSystem::react(const ModelData& model, const State& state, Workspace& work) {
  if (!work.has_external) std::fill(work.external.begin(), work.external.end(), Force<double>::zero());
  work.has_external = true;
  std::fill(work.motor_force.begin(), work.motor_force.end(), 0.0);
  std::fill(work.joint_force.begin(), work.joint_force.end(), Force<double>::zero());
  add_actuator_forces(model, work);
  if (state.impulse_step <= 0) return;
  laws_.rows().react(model, state, work);
  reactions_.react(model, state, work);
}

void ConstraintSystem::book(const ModelData& model, double h, const SolveVelocities& velocities, const State& state,
                            Workspace& work, StepWork& done) {
  laws_.add_work(model, h, velocities, work.kinematics, done);
  laws_.rows().react(model, state, work);
  reactions_.book(model, h, velocities, state, work, done);
}

}  // namespace lipkin
