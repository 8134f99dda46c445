// All constraints of a model, stage by stage, for the steppers: linearise at a state, solve for the velocities after
// the step, close the positions, make the velocities fit them. Made of parts that each do one of these.
#pragma once

#include "constraints/acceleration_reactions.hpp"
#include "constraints/loop_assembly.hpp"

namespace lipkin {

class ConstraintSystem {
 public:
  // Part of a gap that Baumgarte's feedback closes per step.
  static constexpr double kBaumgarte = 0.2;

  explicit ConstraintSystem(const ModelData& model);
  ConstraintSystem(const ConstraintSystem&) = delete;
  ConstraintSystem& operator=(const ConstraintSystem&) = delete;

  // Whether reactions of bilateral rows will be asked for; so from the start where an output of the model does.
  void want_reactions(bool wanted) { reactions_.want(wanted); }
  bool wants_reactions() const { return reactions_.wanted(); }

  bool empty() const { return bilateral_.empty() && !has_laws(); }
  bool has_laws() const { return !laws_.rows().empty(); }  // beside bilateral rows: contacts, limits, motors, friction
  bool tree_friction_is_force() const { return tree_friction_is_force_; }  // and has no rows

  // Kinematics, coordinates of closures, factors of M + work.diag, bilateral rows: everything at state.q and state.t.
  void linearize(const ModelData& model, const ConstraintOptions& options, State& state, Workspace& work);
  // The same behind project_positions or close_positions, which leave the poses of the state.
  void linearize_projected(const ModelData& model, const ConstraintOptions& options, State& state, Workspace& work);

  // Before the positions take a step of h along the velocities of the state: see tree/coordinates.hpp. work.kinematics:
  // the poses of the state.
  void lead_angles(const ModelData& model, double h, State& state, const Workspace& work);

  // Impulses over a step of h from velocities u_free, which become those after the step; `pseudo`: what else moves the
  // positions, per velocity. After linearize at the same state.
  void solve(const ModelData& model, const ConstraintOptions& options, ContactTiming timing, double h, State& state,
             Workspace& work, double* u_free, double* pseudo, ConstraintReport& report);

  // Brings a state that no step has led to onto the rows, positions and velocities; what that takes is no reaction.
  // Ends with the constraints linearised there.
  void close_state(const ModelData& model, const ConstraintOptions& options, State& state, Workspace& work,
                   ConstraintReport& report);

  // At the state's own time, where motors prescribe motions.
  void evaluate_prescribed(const ModelData& model, const State& state, Workspace& work) {
    if (targets_.any_prescribed()) targets_.evaluate(model, 0, state, work);
  }

  // The impulses of the last step as forces: adds them to work.tau and work.external, sets work.motor_force, and
  // work.joint_force of joints that close loops. After evaluate_forces, with the kinematics of the state.
  void react(const ModelData& model, const State& state, Workspace& work);

  // Of a step that solves once: the contacts of the state at its begin, where it is taken back.
  void begin_step() { laws_.begin_step(); }
  void put_back_contacts(State& state) { laws_.put_back_contacts(state); }

  // After solve() over h, with want_reactions(): adds the work of the reactions to `done`, and the reactions as forces
  // to work.external and work.tau. work.kinematics are those of the linearisation.
  void book(const ModelData& model, double h, const SolveVelocities& velocities, const State& state, Workspace& work,
            StepWork& done);

  // What prescribed motions did in the projection that led to the state, at velocities u: their part of
  // state.carried_impulses.
  double carried_motor_work(const State& state, const double* u, const KinematicsWork& kinematics) const {
    if (state.carried_impulses.empty()) return 0;
    return bilateral().motor_work(state.carried_impulses.data(), u, kinematics.V_WL.data());
  }

  // Of limited motors of positions, for ConstraintOptions::off_target.
  void measure_offsets(const ModelData& model, const State& state, Workspace& work,
                       std::vector<double>& offsets) const {
    targets_.measure_offsets(model, state, work, offsets);
  }

  double length_scale() const { return bilateral_.length_scale(); }  // size of the mechanism [m]
  const BilateralRows& bilateral() const { return bilateral_.rows(); }
  const ZLayout& layout() const { return bilateral_.layout(); }

  // The parts that steppers call by themselves.
  Projection& projection() { return projection_; }
  LoopAssembly& assembly() { return assembly_; }
  const Reactions& reactions() const { return reactions_; }
  AccelerationReactions& at_an_instant() { return at_an_instant_; }

  // The bodies of such a contact, of the last solve: "'piston' and the world".
  std::string name_of_contact(const ModelData& model, int point) const { return laws_.rows().bodies_of(model, point); }

  // Laws with a force that the motion does not determine, of the last solve.
  std::vector<std::string> undetermined_laws(const ModelData& model) const { return laws_.undetermined_names(model); }

 private:
  bool needs_factors(const ConstraintOptions& options) const;
  void feed_gaps_back(const ModelData& model, ContactTiming timing, double h, StabilizationKind stabilization,
                      State& state, Workspace& work);
  void meet_bilateral(const ModelData& model, Workspace& work, double* u_free);

  BilateralSystem bilateral_;
  LawSystem laws_;
  DriveTargets targets_;
  Reactions reactions_;
  Projection projection_;
  LoopAssembly assembly_;
  AccelerationReactions at_an_instant_;
  std::vector<double> rates_, z_, du_, carried_;
  std::vector<Motion<double>> V_free_;
  bool has_turns_ = false;  // of coordinates of closures
  bool tree_friction_is_force_ = false;
};

}  // namespace lipkin
