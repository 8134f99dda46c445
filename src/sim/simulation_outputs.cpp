// Looking at what runs: outputs, watches, energy. The motion does not depend on who looks.
#include <algorithm>
#include <limits>

#include "forces/channel_values.hpp"
#include "forces/controllers.hpp"
#include "forces/elements.hpp"
#include "forces/evaluate_forces.hpp"
#include "forces/regularised_forces.hpp"
#include "forces/tyre.hpp"
#include "sim/simulation_impl.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

void Simulation::Impl::watch_balance() {
  ledger = std::make_unique<BalanceLedger>(data());
  ledger->use(formulation->sample_work.regularised);
  ledger->start(data(), state);
  ask_for_reactions();
}

void Simulation::Impl::ask_for_reactions() {
  constraints().want_reactions(ledger || watches.need() >= ChannelNeed::kDynamics ||
                               (looks_at_all && formulation->need_on_request >= ChannelNeed::kDynamics));
}

// From the first look at the outputs that are worked out on request.
void Simulation::Impl::look_at_all() {
  if (looks_at_all || !has_outputs_on_request()) return;
  looks_at_all = true;
  ask_for_reactions();
  if (!has_trial_reactions() || first_step) return;
  sampled = tried_first_step = false;
}

bool Simulation::Impl::has_outputs_on_request() const {
  return std::any_of(data().outputs.begin(), data().outputs.end(), [](const OutputData& o) { return o.on_request; });
}

// Without projection, what turns the velocities with bilateral rows is in the solve of the step after.
bool Simulation::Impl::reactions_lag() const {
  return scene.experiment.stepper == StepperKind::kEuler &&
         scene.experiment.stabilization != StabilizationKind::kProjection;
}

bool Simulation::Impl::has_trial_reactions() const {
  return state.step_count == 0 || (state.step_count == 1 && reactions_lag());
}

// Reactions are those of the last step; before the first one, those of a trial, which the run knows nothing of. So they
// are behind the first one where that had none before it to turn the velocities for.
void Simulation::Impl::find_first_reactions() {
  if (tried_first_step || !has_trial_reactions() || !data().massless_joints.empty()) return;
  tried_first_step = true;
  const ChannelNeed need =
      looks_at_all ? std::max(formulation->output_need, formulation->need_on_request) : formulation->output_need;
  if (constraints().empty() || need < ChannelNeed::kDynamics) return;
  first_step = state;
  StepOptions options = step_options(std::numeric_limits<double>::infinity());
  options.tolerate = true;
  const StepReport report = stepper().step(data(), options, *first_step, formulation->work);
  if (report.finite && state.step_count == 0 && reactions_lag()) add_velocity_terms(options, *first_step);
  stepper().invalidate();
  if (!report.finite) first_step.reset();
}

// The reactions of the step after it.
void Simulation::Impl::add_velocity_terms(const StepOptions& options, State& first) {
  if (first.reactions.empty()) return;
  State second = first;
  stepper().step(data(), options, second, formulation->work);
  if (second.reactions.size() == first.reactions.size()) first.reactions = second.reactions;
}

Energy Simulation::Impl::energy_of(const State& s) {
  Workspace& work = formulation->sample_work;
  update_kinematics(data(), s.q.data(), s.u.data(), work.kinematics);
  if (work.regularised) evaluate_forces(data(), s, 0, work);  // the contacts, for what they store
  return {kinetic_energy(data(), work.kinematics, s.u.data()), gravitational_energy(data(), work.kinematics),
          elastic_energy(data(), s.q.data(), s.closure_q.data(), work.kinematics) + contact_energy(data(), work) +
              tyre_energy(data(), work.kinematics, s.memory.data())};
}

// Accelerations with the reactions of the last step, and the forces in the joints.
void Simulation::Impl::sample_dynamics(ChannelNeed need) {
  Workspace& work = formulation->sample_work;
  work.diag = data().armature;
  update_kinematics(data(), sample_state.q.data(), sample_state.u.data(), work.kinematics);
  evaluate_forces(data(), sample_state, 0, work);
  if (work.regularised) work.regularised->remember(sample_state);
  if (!constraints().empty()) constraints().react(data(), sample_state, work);
  accelerate(data(), sample_state, work);
  if (need == ChannelNeed::kReactions) update_joint_forces(data(), work);
}

void Simulation::Impl::sample_outputs() {
  prepare_sample(formulation->output_need);
  sampled = sampled_all = true;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const OutputData& output = data().outputs[i];
    sampled_all = sampled_all && !output.on_request;
    outputs[i] = output.on_request ? std::numeric_limits<double>::quiet_NaN()
                                   : expression_value(data(), sample_state, formulation->sample_work, output.value);
  }
}

// What loops do is known from the first step on after somebody asked.
bool Simulation::Impl::knows_reactions() const {
  const Constraints& constraints = formulation->constraints;
  return constraints.bilateral().row_count() == 0 || sample_state.reactions.size() == constraints.reaction_count();
}

void Simulation::Impl::sample_outputs_on_request() {
  look_at_all();
  if (!sampled) sample_now();
  if (sampled_all) return;
  prepare_sample(formulation->need_on_request);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const OutputData& output = data().outputs[i];
    if (output.on_request && (output.value.need() < ChannelNeed::kDynamics || knows_reactions()))
      outputs[i] = expression_value(data(), sample_state, formulation->sample_work, output.value);
  }
  sampled_all = true;
}

void Simulation::Impl::prepare_sample(ChannelNeed need) {
  Workspace& work = formulation->sample_work;
  if (ledger) ledger->write(work);
  if (need >= ChannelNeed::kDynamics) {
    sample_dynamics(need);
  } else if (work.regularised && need != ChannelNeed::kState) {
    evaluate_forces(data(), sample_state, 0, work);  // the contacts, for what they store
  }
  if (need != ChannelNeed::kState)
    update_kinematics(data(), sample_state.q.data(), sample_state.u.data(), work.kinematics);
}

std::span<const double> Simulation::Impl::sample_watches() {
  if (!sampled) sample_now();
  prepare_sample(watches.need());
  return watches.values(data(), sample_state, formulation->sample_work);
}

// t: when the row stands, if not at the state's own time; closer to it than the motion can tell.
void Simulation::Impl::sample_now(std::optional<double> t) {
  sample_state = state;
  sample_state.t = t.value_or(state.t);
  if (ledger && ledger->time() != state.t) book_until(state);
  begin_controllers(data(), sample_state, formulation->sample_work);
  find_first_reactions();
  if (first_step && has_trial_reactions()) {
    sample_state.impulse_step = first_step->impulse_step;
    sample_state.row_impulses = first_step->row_impulses;
    sample_state.reactions = first_step->reactions;
    sample_state.contacts = first_step->contacts;
  }
  sample_outputs();
}

void Simulation::Impl::sample_within_step(double t) {
  sample_state = state;
  stepper().interpolate(data(), t, sample_state);
  if (data().closure_coordinate_count > 0) {
    update_kinematics(data(), sample_state.q.data(), sample_state.u.data(), formulation->sample_work.kinematics);
    update_dependent_coordinates(data(), sample_state.q.data(), formulation->sample_work.kinematics,
                                 sample_state.closure_q.data());
  }
  if (ledger && !is_time_stepping(scene.experiment.stepper))
    book_until(sample_state);  // impulses are booked by whole steps
  sample_outputs();
}

}  // namespace lipkin
