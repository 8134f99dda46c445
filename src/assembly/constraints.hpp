// All constraints of a model, stage by stage, for the steppers: linearise at a state, solve for the velocities after
// the step, close the positions, make the velocities fit them.
#pragma once

#include <memory>

#include "assembly/law_rows.hpp"
#include "assembly/rotor_rows.hpp"
#include "assembly/step_work.hpp"
#include "lipkin/scene.hpp"
#include "solvers/solver.hpp"

namespace lipkin {

struct ConstraintOptions {
  SolverKind solver = SolverKind::kHybrid;
  SolverOptions solver_options;
  StabilizationKind stabilization = StabilizationKind::kProjection;
  // Above 0 where steps of one length are compared with those of another: limited motors then close what they are off
  // over this time, not over the step [s].
  double settling_time = 0;
};

struct ConstraintReport {
  int iterations = 0;      // of the solver
  double residual = 0;     // worst violation of a law after the solve [m/s] or [rad/s]
  bool converged = true;   // the solver, and the projection of the positions
  double penetration = 0;  // of contacts, at the begin of the step [m]
  int contacts = 0;
  int undetermined = 0;  // laws with a force that the motion does not determine
  DrivenIn driven_in;    // a contact that prescribed motions close although nothing gives way
};

class Constraints {
 public:
  // Part of a gap that Baumgarte's feedback closes per step.
  static constexpr double kBaumgarte = 0.2;

  explicit Constraints(const ModelData& model);

  // Whether reactions of bilateral rows will be asked for; so from the start where an output of the model does.
  void want_reactions(bool wanted) { wants_reactions_ = wanted || model_wants_reactions_; }
  bool wants_reactions() const { return wants_reactions_; }

  bool empty() const { return bilateral_.row_count() == 0 && laws_.empty(); }
  bool has_laws() const { return !laws_.empty(); }  // beside bilateral rows: contacts, limits, motors, friction
  bool tree_friction_is_force() const { return tree_friction_is_force_; }  // and has no rows

  // Kinematics, coordinates of closures, factors of M + work.diag, bilateral rows: everything at state.q and state.t.
  void linearize(const ModelData& model, const ConstraintOptions& options, State& state, Workspace& work);
  // The same behind project_positions or close_positions, which leave the poses of the state.
  void linearize_projected(const ModelData& model, const ConstraintOptions& options, State& state, Workspace& work);

  // Impulses over a step of h from velocities u_free, which become those after the step; `pseudo`: what else moves the
  // positions, per velocity. After linearize at the same state.
  void solve(const ModelData& model, const ConstraintOptions& options, ContactTiming timing, double h, State& state,
             Workspace& work, double* u_free, double* pseudo, ConstraintReport& report);

  // Where velocities u lead the coordinates of prescribed speeds in a step of h from the state, at which things are
  // linearised: the next project_positions() leaves them there.
  void lead_speeds(const ModelData& model, double h, const State& state, const double* u, const Workspace& work);

  // Moves state.q, at state.t, onto the bilateral rows, along the linearisation of the step's begin; the velocities
  // take what that means for them over the step.
  void project_positions(const ModelData& model, const ConstraintOptions& options, double h, State& state,
                         Workspace& work, ConstraintReport& report);

  // The same without the velocities, for what was moved by no velocity.
  void close_positions(const ModelData& model, State& state, Workspace& work, ConstraintReport& report);

  // Takes from state.u what violates the rates of the bilateral rows, and from the links' velocities; after linearize
  // at state.
  void project_velocities(const ModelData& model, State& state, Workspace& work);

  // The impulses of the last step as forces: adds them to work.tau and work.external, sets work.motor_force, and
  // work.joint_force of joints that close loops. After evaluate_forces, with the kinematics of the state.
  void react(const ModelData& model, const State& state, Workspace& work);

  // How the rates of the bilateral rows change at constant u, as these turn along it: dW/dt u, for
  // complete_reactions(). Leaves the kinematics and the rows beside the state.
  void measure_turning(const ModelData& model, State& state, Workspace& work);

  // After linearize and solve() over h, with want_reactions(): adds to state.reactions what is missing for the rows to
  // keep pace with the accelerations du, which those found so far and all else bring about. turned: the velocities fit
  // the rows of the step before, and the solve has turned them already.
  void complete_reactions(const ModelData& model, const ConstraintOptions& options, double h, bool turned,
                          const double* du, State& state, Workspace& work);

  // After linearize, with the reactions of the step over h that led from velocities u_before to the state: the same so
  // that the accelerations du, with the forces there are now, are those of that step along the rows.
  void keep_pace_with_step(const ModelData& model, double h, const double* u_before, const double* du, State& state,
                           Workspace& work);

  // After solve() over h, with want_reactions(): adds the work of the reactions to `done`, and the reactions as forces
  // to work.external and work.tau. work.kinematics are those of the linearisation.
  void book(const ModelData& model, double h, const SolveVelocities& velocities, const State& state, Workspace& work,
            StepWork& done);

  // What prescribed motions did in the projection that led to the state, at velocities u: their part of
  // state.carried_impulses.
  double carried_motor_work(const State& state, const double* u, const KinematicsWork& kinematics) const {
    if (state.carried_impulses.empty()) return 0;
    return bilateral_.motor_work(state.carried_impulses.data(), u, kinematics.V_WL.data());
  }

  // Whether a projection has led to the state, and what it did as part of the reactions.
  bool has_carried(const State& state) const;
  void add_carried_to_reactions(State& state) const;

  // Brings a state that no step has led to onto the rows, positions and velocities; what that takes is no reaction.
  // Ends with the constraints linearised there.
  void close_state(const ModelData& model, const ConstraintOptions& options, State& state, Workspace& work,
                   ConstraintReport& report);

  // What motors ask for: at the end of the step after solve(), at the state after project_positions() and the next.
  const MotorTargets& targets() const { return targets_; }
  void evaluate_prescribed(const ModelData& model, State& state, Workspace& work) {
    if (has_prescribed_) evaluate_targets(model, 0, state, work);
  }

  double length_scale() const { return length_scale_; }  // size of the mechanism [m]

  // Of State::reactions where they are known: of the bilateral rows, then of the rotors that these carry along.
  std::size_t reaction_count() const { return lambda_.size() + rotor_impulse_.size(); }

  // The bodies of such a contact, of the last solve: "'piston' and the world".
  std::string name_of_contact(const ModelData& model, int point) const { return laws_.bodies_of(model, point); }

  // Of the last solve.
  std::vector<std::string> undetermined_laws(const ModelData& model) const;

  // Closes loops from an approximate state by damped Newton steps, then the velocities; says how far things moved.
  // Throws InputError naming what cannot be closed.
  struct Assembled {
    double moved = 0;     // largest change of a coordinate [m] or [rad]
    double was_open = 0;  // largest gap before [m] or [rad]
    std::string worst;    // whose gap that was
  };
  Assembled assemble(const ModelData& model, State& state, Workspace& work);

  const BilateralRows& bilateral() const { return bilateral_; }
  const ZLayout& layout() const { return layout_; }

 private:
  void evaluate_targets(const ModelData& model, double ahead, const State& state, Workspace& work);
  void evaluate_targets_at_end(const ModelData& model, const State& state, Workspace& work);
  void evaluate_effort(const ModelData& model, double ahead, std::size_t motor, const State& state, Workspace& work);
  void use(SolverKind kind);
  void aim_motors(const ModelData& model, const ConstraintOptions& options, ContactTiming timing, double h,
                  State& state, Workspace& work);
  void measure_gaps(const ModelData& model, ContactTiming timing, double h, StabilizationKind stabilization,
                    State& state, Workspace& work);
  void factor_bilateral(const ModelData& model, Workspace& work);
  void write_bilateral(const ModelData& model, double h, const State& state, Workspace& work);
  void find_bilateral_impulses(State& state);
  void add_reaction_to_laws();
  void remember_reactions(const double* impulses, State& state) const;
  void carry_impulses(double factor, State& state) const;
  void meet_bilateral(const ModelData& model, Workspace& work, double* u_free);
  void solve_laws(const RowContext& context, const ConstraintOptions& options, double* u_free,
                  ConstraintReport& report);
  void solve_velocities(const RowContext& context, const ConstraintOptions& options, ConstraintReport& report);
  void solve_corrections(const ModelData& model, const ConstraintOptions& options, bool eliminate, double h,
                         Workspace& work, double* pseudo, ConstraintReport& report);
  double worst_gap(int* row = nullptr) const;
  double worst_speed_gap() const;
  void predict_correction(const State& state, double* z);
  void remember_correction(const double* z, State& state) const;
  bool is_upright(const ModelData& model, const Workspace& work) const;
  bool close_by_stages(const ModelData& model, State& state, Workspace& work);
  bool close_within_limits(const ModelData& model, State& state, Workspace& work);
  double closest_gap(const ModelData& model, State& state, Workspace& work, int* row);
  double measure_squares(const ModelData& model, const State& state, Workspace& work);
  bool shrink_gaps(const ModelData& model, const std::vector<double>& z, double longest, double shortest, State& state,
                   Workspace& work);
  void linearize_rows(const ModelData& model, const ConstraintOptions& options, State& state, Workspace& work);
  void meet_rates(const ModelData& model, State& state, Workspace& work);
  void change_rates();
  void find_push();
  void rates_after(const ModelData& model, const double* u, double h, const double* du, const Workspace& work,
                   double* rates);
  void add_missing_reactions(State& state);
  void turned_rates(const ModelData& model, double time, State& state, Workspace& work, double* rates);
  void follow_poses(const ModelData& model, State& state, Workspace& work);
  bool correct_positions(const ModelData& model, int iterations, State& state, Workspace& work, double* z_total,
                         bool polish = false);
  void move(const ModelData& model, const double* z, State& state, Workspace& work);

  ZLayout layout_;
  Whitener whitener_;
  BilateralRows bilateral_;
  RotorRows rotors_;
  LawRows laws_;
  SolverKind solver_kind_ = SolverKind::kHybrid;
  std::unique_ptr<Solver> solver_;
  Problem problem_, corrections_;
  MotorTargets targets_;
  std::vector<double> end_rate_;                                // of prescribed positions, at the time aimed at
  double aimed_at_ = std::numeric_limits<double>::quiet_NaN();  // the end of the step that targets_ are those of [s]
  double length_scale_ = 1;
  std::vector<double> gap_weight_;  // per bilateral row: makes gaps of lengths and angles comparable
  int cluster_z_count_ = 0;
  bool has_prescribed_ = false;                                   // some motor prescribes its motion
  bool follows_poses_ = false;                                    // and some such motion depends on where things are
  bool model_wants_reactions_ = false, wants_reactions_ = false;  // some output needs impulses of bilateral rows
  std::vector<double> z_bilateral_, z_laws_, lambda_;             // z of the bilateral rows alone, and of the laws
  WholeRows whole_rows_;
  std::vector<double> carried_, rotor_impulse_;
  std::vector<double> g_, gamma_, z_, z_pseudo_, z_total_, du_, moved_;
  std::vector<double> turning_, turned_q_;  // of measure_turning(): per row [m/s^2] or [rad/s^2]; scratch
  std::vector<Motion<double>> V_free_, dV_;
  bool has_dependent_limits_ = false;
  bool tree_friction_is_force_ = false;
};

}  // namespace lipkin
