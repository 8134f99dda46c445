// The inside of a Simulation: the formulation that runs, its state and commands, and what is kept beside them for
// looking. Everything that follows from model and choices is in the Formulation; here are clock, commands, statistics.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "constraints/balance_ledger.hpp"
#include "exec/thread_pool.hpp"
#include "formulation/formulation.hpp"
#include "lipkin/simulation.hpp"
#include "sim/command_backup.hpp"
#include "sim/energy_watch.hpp"
#include "sim/steady_memory.hpp"
#include "sim/timed_commands.hpp"
#include "sim/watches.hpp"
#include "steppers/state_backup.hpp"

namespace lipkin {

inline constexpr double kNever = std::numeric_limits<double>::infinity();  // [s]

// Times closer than this fraction of a step are the same step boundary.
inline constexpr double kTimeSlack = 1e-6;

// What may have changed between two steps, otherwise than by steps.
enum class Changed {
  kLoads,    // what acts on the motion: controls, inputs, applied forces, drags
  kOptions,  // of the run, with the same formulation
  kValues,   // of the model
  kMotion,   // coordinates, velocities, time
  kState     // the state is another, values of the model included
};

// What goes on in place of what runs.
struct Successor {
  Successor(Model of_scene, Experiment with, TimedCommands ordered, bool was_edited)
      : model(std::move(of_scene)), experiment(std::move(with)), commands(std::move(ordered)), edited(was_edited) {}

  Model model;  // of the scene
  Experiment experiment;
  TimedCommands commands;
  bool edited;  // the model is no longer that of the scene, and commands may have lost their target
  State state;
  std::unique_ptr<Formulation> formulation;
};

// A value set anew is the last one that was set.
void put_last(std::vector<SettingEdit>& edits, SettingEdit edit);

struct Simulation::Impl {
  explicit Impl(Scene scene);

  ModelData& data() { return formulation->data; }
  const ModelData& data() const { return formulation->data; }
  ConstraintSystem& constraints() { return formulation->constraints; }
  Stepper& stepper() { return *formulation->stepper; }
  bool chooses_steps() const { return formulation->chooses_steps; }

  // ---- simulation_adopt.cpp: what replaces what runs, and what becomes of all that depends on it ----
  Successor beginning(Statistics& assembled) const;
  void begin(Successor next, Statistics assembled);
  void adopt(Successor next);
  void take(Successor& next, Watches& next_watches, std::unique_ptr<BalanceLedger>& next_ledger,
            std::vector<double>& next_outputs, State& next_sample) noexcept;
  void changed(Changed what);
  void reset();
  void restore(const State& from);
  void restore_by_building(const State& from);
  void check_restorable(const ModelData& next, const State& from) const;
  void restore(const Checkpoint& checkpoint);
  void change_settings(Experiment next, bool anew = false);
  void change_model(const Model& next, const std::vector<std::string>& forgotten);
  void close_what_is_new(const ModelData& before, const State& was, const ModelData& next, ConstraintSystem& rows,
                         State& carried) const;
  void set(std::string_view path, double value);
  Model own_model() const;
  void build_anew(const Model& model, std::vector<SettingEdit> edits, bool was_edited, std::uint64_t commands_done);
  void carry_out_by_building(SettingEdit edit, SourceLocation where);
  void state_written();
  void use(std::unique_ptr<ThreadPool> pool);

  // ---- simulation_step.cpp: one step ----
  void step(double limit);
  void step_with_what_is_due(double limit, bool more_is_due);
  void restore_before_step();
  void take_back_commands();
  StepReport take_step(double limit);
  void take_options() noexcept;
  bool lies_ahead(double t) const;
  double time_slack() const { return kTimeSlack * std::max(scene.experiment.dt, 1e-9); }
  double tolerated_length() const;
  bool checks_contacts(double limit) const;
  void apply_due_commands();
  void require_inertia() const;
  bool samples_at_times() const { return formulation->holds_between_samples && chooses_steps(); }
  bool is_sample(double t) const;
  double next_sample(double t) const;
  void note_set_beyond(std::string_view path);
  void note_set_beyond_by_commands(std::uint64_t first);
  void note_strings_inside(bool silently);
  void begin_jumps();
  void check_jumps();
  void look_for_nan();
  SwitchingTime switching_time();
  double before_jump(double end) const;
  std::string held_slip_of() const;
  void pass_switching_time(double limit);
  void shear_tyres(double h);
  void book_until(const State& s);
  void count_step(double h);
  void count(const StepReport& step, double h);
  void note_undetermined();
  void note_slip(const AuditReport& audit, double h);
  void look_at_energy();
  template <class Work>
  auto whole_or_not_at_all(const Work& work_on_state);

  // ---- simulation_outputs.cpp: looking ----
  void watch_balance();
  void ask_for_reactions();
  void look_at_all();
  bool has_outputs_on_request() const;
  bool velocities_lag() const;
  double looked_at_step() const;
  void find_reactions();
  void forget_reactions();
  Energy energy_of(const State& s);
  void sample_dynamics(ChannelNeed need);
  void sample_outputs();
  void sample_outputs_on_request();
  void prepare_sample(ChannelNeed need);
  std::span<const double> sample_watches();
  std::span<const double> watches_in_step();
  void sample_now(std::optional<double> t = {});
  void sample_within_step(double t);

  // What runs: replaced by adopt() alone.
  Scene scene;
  std::unique_ptr<Formulation> formulation;
  State state;
  TimedCommands commands{{}};
  bool edited = false;  // the model is no longer that of the scene
  StepOptions options;  // those of the experiment; a step sets what is its own

  // What follows from the state and its past: changed() says what of it holds no longer.
  bool step_has_reactions = false;            // those in the state are of the step that led to it
  bool has_reactions = false;                 // those in the sampled state are of its time
  bool sampled = false, sampled_all = false;  // the outputs are those of now; all: what is worked out on request too
  std::unique_ptr<BalanceLedger> ledger;      // where the balance is watched

  EnergyWatch energy_watch;
  std::vector<bool> strings_inside;  // per tendon: that it began so, or has been told

  std::vector<double> outputs;
  State sample_state;
  Statistics statistics;
  StateBackup before_step;
  CommandBackup before_commands;         // of those that were due with the step
  std::optional<State> before_building;  // where one of them has built the model anew: with those before it
  BalanceLedger::Books books_before_step;

  // Of whoever looks and drives; not of the run.
  Watches watches;
  std::unique_ptr<ThreadPool> threads;  // null: the calling one alone
  SteadyMemory memory;
  bool looks_at_all = false;  // somebody has asked for outputs that are worked out on request
  bool checks_all = false;    // the laws of contacts are checked at every step
  double next_look = kNever;  // when outputs will be looked at next [s]
};

}  // namespace lipkin
