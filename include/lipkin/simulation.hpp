// A model that runs: what the command line, the server and Python all drive.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lipkin/balance.hpp"
#include "lipkin/dynamics.hpp"
#include "lipkin/scene.hpp"
#include "lipkin/state.hpp"

namespace lipkin {

struct Statistics {
  std::uint64_t steps = 0;
  std::uint64_t rejected_steps = 0;            // adaptive steppers
  std::uint64_t evaluations = 0;               // of the accelerations
  double shortest_step = 0, longest_step = 0;  // of those not cut short by an end or a command [s]; 0: none
  // Before the first step: loops and other bilateral rows were closed from the coordinates given.
  double assembly_gap = 0;     // largest gap as given [m] or [rad]
  std::string assembly_worst;  // whose gap that was: "loop 'C'"
  double assembly_moved = 0;   // largest change of a coordinate [m] or [rad]
  // Constraints: of all steps together.
  std::uint64_t iterations = 0;  // of the solver
  int max_iterations = 0;        // in one step
  std::uint64_t unconverged_steps = 0;
  // Measured after every step from poses, velocities and impulses (docs/theory/audit.md); contacts' laws now and then.
  double residual = 0;            // worst violation of a law, or what the solver said, if that is more [m/s] or [rad/s]
  double position_violation = 0;  // worst gap of a joint, loop, gear or drive, penetration, limit [m] or [rad]
  double velocity_violation = 0;  // worst rate of such a gap [m/s] or [rad/s]
  std::uint64_t undetermined_steps = 0;   // in which forces of laws did not follow from the motion
  std::vector<std::string> undetermined;  // which those were: "friction of joint 'a'"
  double limit_passed = 0;                // by `moreau`, which sees a limit behind it: over what is tolerated
  // What friction, brakes and contacts hold slips all the same, where the projection of `euler` turns what they sit on.
  double held_slip = 0;                      // largest [m/s] or [rad/s]
  double held_travel = 0;                    // what that adds up to, whatever slips, to and fro [m] or [rad]
  int held_item = -1;                        // what slipped so; see Simulation::held_slip_of
  int held_shape_a = -1, held_shape_b = -1;  // of a contact
  std::string held_slip_of = {};             // likewise, of a model that another has replaced
  // Limits and ropes that were set past where the mechanism is, by at most so many: it is pushed back from there.
  std::vector<std::string> set_beyond;
  std::vector<std::string> strings_inside;  // tendons that went into what they should go around, looked at now and then
  int contacts = 0;                         // in the last step
  double energy_initial = 0;                // [J]
  double energy_final = 0;                  // [J]
  // Now and then, where nothing drives the mechanism, so that its energy can only shrink.
  double energy_invented = 0;  // most that the least of several looks grew all the same [J]
  double energy_swing = 0;     // most that any look was above an earlier one [J]
  double energy_moving = 0;    // largest kinetic energy then [J]
  double energy_at_rest = 0;   // what rounding, and pushing out what overlaps, may come to [J]
};

// Whether steps have invented energy that can be seen: another motion, not another digit.
bool invents_energy(const Statistics& statistics);

// A run at one instant: enough to go on from there bit for bit, also after the model has changed.
struct Checkpoint {
  Model model;
  Experiment experiment;
  State state;
  Statistics statistics;
  bool edited = false;  // the model is no longer that of the scene: commands may have lost their target
};

class Simulation {
 public:
  explicit Simulation(Scene scene);
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  const Model& model() const;
  const Experiment& experiment() const;
  const State& state() const;

  void reset();                      // back to the initial state; pending commands again as in the scene
  void restore(const State& state);  // continues bit for bit from a saved state
  // Goes on from a state of the same simulation and gives the one that ran for it: many copies by turns, without the
  // cost of restore(). Refused where commands wait; coordinates() and the like show the memory of the state that runs.
  void exchange(State& state);

  // `adams` and `bdf` begin anew where a checkpoint is taken, as where one is restored: their history is no part of it.
  Checkpoint checkpoint() const;
  // The same without beginning anew, before something that may be refused; begin_anew() where it was not.
  Checkpoint peek() const;
  void begin_anew() const;
  void restore(const Checkpoint& checkpoint);

  // All settings of the run at once, but for its timed commands, which stay: where one is refused, none is taken.
  void set_experiment(Experiment experiment);

  // Chooses stepper and step; from the next step on. What is refused leaves the run as it was, to the last bit.
  void set_stepper(StepperKind kind);
  void set_dt(double dt);  // [s]
  // Whether `euler` and `moreau` take fixed or variable steps, and between which bounds [s].
  void set_step(StepKind kind, double dt_min = 1e-6, double dt_max = 1e-2);
  void set_solver(SolverKind kind, const SolverOptions& options = {});
  void set_stabilization(StabilizationKind kind);
  // Whether to go on where a motion cannot be followed (Experiment::tolerated).
  void tolerate(bool anything);
  // Whether the laws of contacts are checked after every step instead of now and then; changes no state.
  void check_all(bool every_step);
  // State::q and u change their meaning and size; poses, velocities and the turns of angles stay.
  void set_coordinates(CoordinateKind kind);
  void set_tolerances(double relative, double absolute);

  // Goes on with an edited model: bodies and joints are matched by name. Bodies stay where they are as far as the new
  // joints let them; velocities are projected in the norm of M. Timed commands of the scene that have lost their target
  // do nothing, see idle_commands(). Values that were set while it ran stay in force, but for those of `forgotten`:
  // paths of values, or of parts with all of theirs, which are those of the model again. Throws InputError where loops
  // cannot be closed, and changes nothing then.
  void change_model(Model model, const std::vector<std::string>& forgotten = {});
  // The model in the coordinates that run: that of model(), or the same with every joint cut.
  const Model& running_model() const;

  // Takes effect between two steps, at the first boundary at or after command.at.
  // A value that passes another one by then, such as a lower limit above the upper one, stops the step with an
  // InputError.
  void apply(Command command);
  // Timed commands still to come whose target is no longer part of the model, each with the reason.
  std::vector<Diagnostic> idle_commands() const;
  void set_control(int actuator, double value);
  void set(std::string_view path, double value);  // as CommandSet, at once
  // Throws InvalidArgument naming the nearest input, or the range.
  void set_input(std::string_view input, double value);
  // Generalized forces added to those of the model until changed [N m] or [N]; size u_count.
  std::span<double> applied_forces();

  // The state to write into between two steps. It stays where it is in memory, over reset() and restore() too; where
  // the number of coordinates changes, these show the new ones and the old memory stays for as long as the simulation.
  std::span<double> coordinates();  // q
  std::span<double> velocities();   // u
  std::span<double> controls();     // State::control
  void state_written();             // to be called after writing coordinates or velocities; quaternions become unit
  void forces_written();            // to be called after writing applied_forces() or controls()

  void set_drags(std::vector<ActiveDrag> drags);

  // One step; throws SimulationError when the state stops being finite. A fixed-step stepper takes dt, an adaptive one
  // what its tolerances allow; neither goes beyond `limit` [s], and nothing happens where it is reached.
  void step(double limit = std::numeric_limits<double>::infinity());

  // Steps until t = state().t + duration. `on_sample` is called at multiples of `every` (0: after every step), the
  // start included; with adaptive steppers from the dense output. `on_step` is called after every step, before the
  // samples that fall into it. Return false from either to stop early. `before_step` is called before every step; it
  // may change the simulation, and returns a time that the step does not go beyond [s].
  using Observer = std::function<bool(const Simulation&)>;
  void run(double duration, double every = 0, const Observer& on_sample = {}, const Observer& on_step = {},
           const std::function<double()>& before_step = {});

  // Watched outputs at the time last sampled, in the order of the model; sample_time() says when.
  // Those that are worked out on request (OutputSpec) cost time where they are asked for.
  std::span<const double> outputs() const;
  std::span<const double> outputs_at_hand() const;  // the same with NaN for what nobody asked for at this time
  double output(std::string_view name) const;
  double sample_time() const;

  // Further expressions to look at; the motion does not depend on them. Returns what is wrong with each, empty where
  // nothing is; watched(), at the time last sampled, has NaN for those that are wrong, also after a change of the
  // model.
  std::vector<std::string> set_watches(std::vector<std::string> expressions);
  std::span<const double> watched();
  // The same now, with the reactions that the last step found instead of those of now: what joints have carried.
  std::span<const double> watched_in_step();

  Energy energy() const;

  // How many threads may work on a step (1 at first); those that would not pay are not used. The result is the same.
  void use_threads(int count);
  int thread_count() const;

  // Where energy and momentum come from and go to, from this call on (from the start where an output asks for it);
  // after state_written(), and after a restore of a state from when nobody watched, from there: EnergyBalance::since.
  // The motion does not know of it; a state brings along what was booked by then.
  void watch_balance();
  bool watches_balance() const;
  const EnergyBalance& energy_balance() const;      // throws InvalidArgument where it is not watched
  const MomentumBalance& momentum_balance() const;  // likewise
  BodyMotion body_motion(int body) const;
  void body_motions(std::vector<BodyMotion>& motions) const;  // of every body
  std::uint64_t hash() const { return state_hash(state()); }
  const Statistics& statistics() const;
  std::string held_slip_of() const;  // Statistics::held_slip: "the friction of joint 'a'"; empty: nothing

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lipkin
