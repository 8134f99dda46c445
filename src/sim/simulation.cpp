#include "lipkin/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/law_audit.hpp"
#include "model/eigen_convert.hpp"
#include "sim/require.hpp"
#include "sim/simulation_impl.hpp"
#include "sim/state_checks.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

constexpr double kSampleSlack = 1e-9;  // times closer than this fraction of the time between two samples are the same
constexpr double kMostSamples = 1e15;  // of a run: more are closer to each other than rounding

// While a run lasts, however it ends, steps know when outputs will be looked at.
class LookAhead {
 public:
  explicit LookAhead(double& next_look) : next_look_(next_look) {}
  ~LookAhead() { next_look_ = kNever; }
  LookAhead(const LookAhead&) = delete;
  LookAhead& operator=(const LookAhead&) = delete;
  void expect(double t) const { next_look_ = t; }

 private:
  double& next_look_;  // [s]
};

BodyMotion motion_of(const BodyData& body, const KinematicsWork& kinematics) {
  const Transform<double> X_WB = kinematics.X_WL[body.link] * body.X_LB;
  return {to_eigen(X_WB), to_eigen(point_velocity(kinematics, body.link, X_WB.p)),
          to_eigen(kinematics.V_WL[body.link].w)};
}

}  // namespace

Simulation::Simulation(Scene scene) : impl_(std::make_unique<Impl>(std::move(scene))) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

const Model& Simulation::model() const { return impl_->scene.model; }
const Experiment& Simulation::experiment() const { return impl_->scene.experiment; }
const State& Simulation::state() const { return impl_->state; }

void Simulation::reset() { impl_->reset(); }
void Simulation::restore(const State& state) { impl_->restore(state); }
void Simulation::restore(const Checkpoint& checkpoint) { impl_->restore(checkpoint); }

void Simulation::exchange(State& state) {
  require(has_sizes_of(impl_->data(), state), "the state to exchange belongs to another model");
  const std::size_t commands = impl_->commands.list().size();
  require(impl_->state.commands_done == commands && state.commands_done == commands,
          "states cannot be exchanged where timed commands wait");
  std::swap(impl_->state, state);
  impl_->changed(Changed::kMotion);
}

Checkpoint Simulation::checkpoint() const {
  begin_anew();
  return peek();
}

void Simulation::begin_anew() const { impl_->stepper().mark_checkpoint(); }

Checkpoint Simulation::peek() const {
  const Impl& s = *impl_;
  Experiment experiment = s.scene.experiment;
  experiment.commands = s.commands.list();
  return {s.scene.model, std::move(experiment), s.state, s.statistics, s.edited};
}

void Simulation::change_model(Model model, const std::vector<std::string>& forgotten) {
  impl_->change_model(model, forgotten);
}
const Model& Simulation::running_model() const { return impl_->formulation->model; }

void Simulation::set_drags(std::vector<ActiveDrag> drags) {
  for (const ActiveDrag& drag : drags) {
    model().body_name(drag.body);  // range check
    require(drag.point.allFinite() && drag.target.allFinite(), "a drag is not finite");
  }
  impl_->state.drags = std::move(drags);
  impl_->changed(Changed::kLoads);
}

std::vector<std::string> Simulation::set_watches(std::vector<std::string> expressions) {
  impl_->watches.set(std::move(expressions));
  std::vector<std::string> mistakes = impl_->watches.compile(impl_->data());
  impl_->ask_for_reactions();
  if (impl_->watches.needs_balance() && !impl_->ledger) impl_->watch_balance();
  return mistakes;
}

std::span<const double> Simulation::watched() { return impl_->sample_watches(); }
std::span<const double> Simulation::watched_in_step() { return impl_->watches_in_step(); }

void Simulation::set_experiment(Experiment experiment) {
  experiment.commands = impl_->scene.experiment.commands;
  impl_->change_settings(std::move(experiment));
}

void Simulation::set_stepper(StepperKind kind) {
  Experiment next = experiment();
  next.stepper = kind;
  impl_->change_settings(std::move(next), true);
}

void Simulation::set_coordinates(CoordinateKind kind) {
  Experiment next = experiment();
  next.coordinates = kind;
  impl_->change_settings(std::move(next));
}

void Simulation::set_solver(SolverKind kind, const SolverOptions& options) {
  Experiment next = experiment();
  next.solver = kind;
  next.solver_options = options;
  impl_->change_settings(std::move(next));
}

void Simulation::check_all(bool every_step) { impl_->checks_all = every_step; }

void Simulation::tolerate(bool anything) {
  impl_->scene.experiment.tolerated.anything = anything;
  impl_->take_options();
}

void Simulation::set_stabilization(StabilizationKind kind) {
  Experiment next = experiment();
  next.stabilization = kind;
  impl_->change_settings(std::move(next));
}

void Simulation::set_dt(double dt) {
  Experiment next = experiment();
  next.dt = dt;
  if (dt == 0) throw InvalidArgument("dt is 0; expected a number > 0");
  impl_->change_settings(std::move(next));
}

void Simulation::set_step(StepKind kind, double dt_min, double dt_max) {
  Experiment next = experiment();
  next.step = kind;
  next.dt_min = dt_min;
  next.dt_max = dt_max;
  impl_->change_settings(std::move(next), true);
}

void Simulation::set_tolerances(double relative, double absolute) {
  Experiment next = experiment();
  next.relative_tolerance = relative;
  next.absolute_tolerance = absolute;
  impl_->change_settings(std::move(next));
}

void Simulation::apply(Command command) {
  Impl& s = *impl_;
  TimedCommands next = s.commands;  // whole or not at all
  next.add(std::move(command), s.scene.model, s.data());
  next.prepare(s.scene.model, s.data(), s.edited, s.state);
  s.before_commands.make_room(s.state, next.list());
  s.commands = std::move(next);
}

std::vector<Diagnostic> Simulation::idle_commands() const { return impl_->commands.idle(impl_->state); }

void Simulation::set_control(int actuator, double value) {
  if (actuator < 0 || actuator >= model().actuator_count())
    throw InvalidArgument(
        fmt::format("actuator {} is out of range; the model has {}", actuator, model().actuator_count()));
  impl_->state.control[model().control_of_actuator(actuator)] = value;
  impl_->changed(Changed::kLoads);
}

void Simulation::set(std::string_view path, double value) { impl_->set(path, value); }
void Simulation::set_input(std::string_view input, double value) { set(fmt::format("input.{}", input), value); }

std::span<double> Simulation::applied_forces() { return impl_->state.applied; }
std::span<double> Simulation::coordinates() { return impl_->state.q; }
std::span<double> Simulation::velocities() { return impl_->state.u; }
std::span<double> Simulation::controls() { return impl_->state.control; }
void Simulation::state_written() { impl_->state_written(); }
void Simulation::forces_written() { impl_->changed(Changed::kLoads); }

void Simulation::step(double limit) {
  impl_->step(limit);
  impl_->sampled = false;
}

void Simulation::run(double duration, double every, const Observer& on_sample, const Observer& on_step,
                     const std::function<double()>& before_step) {
  Impl& s = *impl_;
  if (!(duration >= 0)) throw InvalidArgument(fmt::format("duration is {} s; expected a number >= 0", duration));
  if (every > 0 && !(s.state.t + every > s.state.t && duration / every < kMostSamples))
    throw InvalidArgument(fmt::format("samples every {} s are more than can be told apart in {} s", every, duration));
  const double start = s.state.t, end = start + duration;
  std::uint64_t next = 1;
  const auto next_time = [&] { return start + static_cast<double>(next) * every; };
  const auto look = [&] { return !on_sample || on_sample(*this); };
  const LookAhead look_ahead(s.next_look);
  s.sample_now();
  bool go_on = look();
  while (go_on && s.lies_ahead(end)) {
    look_ahead.expect(every > 0 ? next_time() : s.state.t);
    step(before_step ? std::min(end, before_step()) : end);
    if (on_step && !on_step(*this)) break;
    const bool dense = s.stepper().has_dense_output() && every > 0;
    const double slack = s.stepper().chooses_steps() ? 0 : 0.5 * s.scene.experiment.dt;
    if (every <= 0) {
      if (!s.sampled) s.sample_now();
      go_on = look();
    } else {
      while (go_on && next_time() <= s.state.t + slack + kSampleSlack * every) {
        if (dense && next_time() < s.state.t) {
          s.sample_within_step(next_time());
        } else {
          s.sample_now(dense ? std::optional(next_time()) : std::nullopt);
        }
        go_on = look();
        while (next_time() <= s.sample_state.t + slack + kSampleSlack * every) ++next;
      }
    }
  }
  s.sample_now();
  s.statistics.energy_final = s.energy_of(s.state).total();
  s.look_at_energy();
}

std::span<const double> Simulation::outputs() const {
  impl_->sample_outputs_on_request();
  return impl_->outputs;
}

std::span<const double> Simulation::outputs_at_hand() const {
  if (!impl_->sampled) impl_->sample_now();
  return impl_->outputs;
}

double Simulation::output(std::string_view name) const { return outputs()[model().output(name)]; }

double Simulation::sample_time() const { return impl_->sample_state.t; }

Energy Simulation::energy() const { return impl_->energy_of(impl_->state); }

void Simulation::use_threads(int count) {
  if (count < 1) throw InvalidArgument(fmt::format("{} threads: expected 1 or more", count));
  impl_->use(count > 1 ? std::make_unique<ThreadPool>(count) : nullptr);
}

int Simulation::thread_count() const { return thread_count_of(impl_->threads.get()); }

void Simulation::watch_balance() { impl_->watch_balance(); }
bool Simulation::watches_balance() const { return impl_->ledger != nullptr; }

const EnergyBalance& Simulation::energy_balance() const {
  require(watches_balance(), "the balance is not watched; call watch_balance() first");
  return impl_->ledger->energy();
}

const MomentumBalance& Simulation::momentum_balance() const {
  require(watches_balance(), "the balance is not watched; call watch_balance() first");
  return impl_->ledger->momentum();
}

BodyMotion Simulation::body_motion(int body) const {
  Impl& s = *impl_;
  model().body_name(body);  // range check
  update_kinematics(s.data(), s.state.q.data(), s.state.u.data(), s.formulation->sample_work.kinematics);
  return motion_of(s.data().bodies[body], s.formulation->sample_work.kinematics);
}

void Simulation::body_motions(std::vector<BodyMotion>& motions) const {
  Impl& s = *impl_;
  update_kinematics(s.data(), s.state.q.data(), s.state.u.data(), s.formulation->sample_work.kinematics);
  motions.clear();
  for (const BodyData& body : s.data().bodies)
    motions.push_back(motion_of(body, s.formulation->sample_work.kinematics));
}

const Statistics& Simulation::statistics() const { return impl_->statistics; }

std::string Simulation::held_slip_of() const { return impl_->held_slip_of(); }

std::string Simulation::Impl::held_slip_of() const {
  const Statistics& s = statistics;
  if (s.held_item < 0) return s.held_slip_of;
  const LawAudit audit(data(), formulation->constraints.tree_friction_is_force());
  State of_contact;
  if (s.held_shape_a < 0) return audit.name_of(data(), of_contact, s.held_item);
  of_contact.contacts.resize(1);
  of_contact.contacts[0].shape_a = s.held_shape_a, of_contact.contacts[0].shape_b = s.held_shape_b;
  return audit.name_of(data(), of_contact, audit.item_count());
}

}  // namespace lipkin
