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
  ledger->keep(state);
  ask_for_reactions();
}

void Simulation::Impl::ask_for_reactions() {
  // What laws exert is in the steps of `moreau`, and what bilateral rows add to them there too.
  const bool shows_steps = scene.experiment.stepper == StepperKind::kMoreau;
  constraints().want_reactions(ledger || watches.need() >= ChannelNeed::kDynamics ||
                               (shows_steps && formulation->output_need >= ChannelNeed::kDynamics) ||
                               (looks_at_all && formulation->need_on_request >= ChannelNeed::kDynamics));
}

// From the first look at the outputs that are worked out on request.
void Simulation::Impl::look_at_all() {
  if (looks_at_all || !has_outputs_on_request()) return;
  looks_at_all = true;
  ask_for_reactions();
}

bool Simulation::Impl::has_outputs_on_request() const {
  return std::any_of(data().outputs.begin(), data().outputs.end(), [](const OutputData& o) { return o.on_request; });
}

// Whether velocities fit the rows of the step before: what turns them is in the solve of the next one then.
bool Simulation::Impl::velocities_lag() const {
  return scene.experiment.stepper == StepperKind::kEuler &&
         scene.experiment.stabilization != StabilizationKind::kProjection && state.step_count > 0;
}

// The step over which a law's impulse is a force, where none has led to the state [s].
double Simulation::Impl::looked_at_step() const {
  const Experiment& e = scene.experiment;
  if (!chooses_steps()) return e.dt;
  if (state.impulse_step > 0) return state.impulse_step;
  return e.dt > 0 ? std::clamp(e.dt, e.dt_min, e.dt_max) : e.dt_min;
}

// What they are is not known.
void Simulation::Impl::forget_reactions() {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::fill(sample_state.row_impulses.begin(), sample_state.row_impulses.end(), kNone);
  sample_state.reactions.assign(constraints().reactions().count(), kNone);
  sample_state.impulse_step = looked_at_step();
}

// Reactions go with the forces of one state. `moreau` solves at the end of its step, so that the last step's are those
// of now unless something else has changed since; `euler` at the begin, so that those of now are in the next one.
void Simulation::Impl::find_reactions() {
  if (has_reactions) return;
  has_reactions = true;
  if (constraints().empty() || !data().massless_joints.empty()) return;
  const bool is_moreau = scene.experiment.stepper == StepperKind::kMoreau, of_step = is_moreau && step_has_reactions;
  if (of_step && (chooses_steps() || constraints().bilateral().row_count() == 0)) return;
  ConstraintOptions look = options.constraints;
  if (is_moreau && chooses_steps()) look.settling_time = scene.experiment.dt_max;
  InstantReactions& instant = formulation->instant_reactions;
  Workspace& work = formulation->sample_work;
  work.threads = threads.get();
  const bool fits_rows = is_moreau || state.step_count == 0;
  const TurningSeen seen = fits_rows ? TurningSeen::kNotYet : TurningSeen::kInVelocities;
  if (of_step)
    instant.adapt(data(), look, before_step.u, constraints(), sample_state, work);
  else if (!instant.find(data(), look, looked_at_step(), velocities_lag(), seen, constraints(), sample_state, work))
    forget_reactions();
  ask_for_reactions();
  stepper().invalidate();
}

Energy Simulation::Impl::energy_of(const State& s) {
  Workspace& work = formulation->sample_work;
  update_kinematics(data(), s.q.data(), s.u.data(), work.kinematics);
  if (work.regularised) evaluate_forces(data(), s, 0, work);  // the contacts, for what they store
  return {kinetic_energy(data(), work.kinematics, s.u.data()), gravitational_energy(data(), work.kinematics),
          elastic_energy(data(), s.q.data(), s.closure_q.data(), work.kinematics) + contact_energy(data(), work) +
              tyre_energy(data(), work.kinematics, s.memory.data())};
}

namespace {

// Puts back the time of a state.
struct TimeOf {
  State& state;
  double t = state.t;
  ~TimeOf() { state.t = t; }
};

}  // namespace

// Accelerations, and the forces in the joints: of `moreau` those that led to the state, also where a law of time jumps
// there.
void Simulation::Impl::sample_dynamics(ChannelNeed need) {
  const TimeOf now{sample_state};
  if (scene.experiment.stepper == StepperKind::kMoreau && !chooses_steps() && state.step_count > 0)
    sample_state.t = std::min(now.t, before_jump(now.t));
  find_reactions();
  Workspace& work = formulation->sample_work;
  work.diag = data().armature;
  update_kinematics(data(), sample_state.q.data(), sample_state.u.data(), work.kinematics);
  accelerate_with_reactions(data(), sample_state, constraints(), work);
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

void Simulation::Impl::sample_outputs_on_request() {
  look_at_all();
  if (!sampled) sample_now();
  if (sampled_all) return;
  prepare_sample(formulation->need_on_request);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const OutputData& output = data().outputs[i];
    if (output.on_request) outputs[i] = expression_value(data(), sample_state, formulation->sample_work, output.value);
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

std::span<const double> Simulation::Impl::watches_in_step() {
  sample_state = state;
  has_reactions = true;
  sampled = false;  // whoever looks at now looks anew
  prepare_sample(watches.need());
  return watches.values(data(), sample_state, formulation->sample_work);
}

// t: when the row stands, if not at the state's own time; closer to it than the motion can tell.
void Simulation::Impl::sample_now(std::optional<double> t) {
  sample_state = state;
  sample_state.t = t.value_or(state.t);
  if (scene.experiment.stepper != StepperKind::kMoreau) TimedCommands::leave_acting_pushes(time_slack(), sample_state);
  has_reactions = false;
  if (ledger && ledger->time() != state.t) book_until(state);
  begin_controllers(data(), sample_state, formulation->sample_work);
  sample_outputs();
}

void Simulation::Impl::sample_within_step(double t) {
  sample_state = state;
  has_reactions = false;
  stepper().interpolate(data(), t, sample_state);
  if (data().closure_coordinate_count > 0) {
    update_kinematics(data(), sample_state.q.data(), sample_state.u.data(), formulation->sample_work.kinematics);
    lead_angles(data(), formulation->sample_work.kinematics, formulation->sample_work.kinematics.V_WL.data(),
                t - state.t, sample_state.closure_q.data());
    update_dependent_coordinates(data(), sample_state.q.data(), formulation->sample_work.kinematics,
                                 sample_state.closure_q.data());
  }
  if (ledger && !is_time_stepping(scene.experiment.stepper))
    book_until(sample_state);  // impulses are booked by whole steps
  sample_outputs();
}

}  // namespace lipkin
