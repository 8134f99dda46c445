// Books energy and momentum of a run, step by step, where somebody asks for the balance. docs/theory/balance.md.
#pragma once

#include <optional>
#include "constraints/constraint_system.hpp"

#include "lipkin/balance.hpp"

namespace lipkin {

class BalanceLedger {
 public:
  explicit BalanceLedger(const ModelData& model);

  // Contact and joint friction as forces, for looking at them; null: they are rows. Before start().
  void use(std::shared_ptr<RegularisedForces> forces) { at_.regularised = std::move(forces); }

  // Counts from this state on.
  void start(const ModelData& model, const State& state);

  // Goes on from what keep() has left in the state; from this state on where that is nothing.
  void resume(const ModelData& model, const State& state);

  // What is booked at the end of a step, into State::balance, so that a state which is restored brings its books along.
  void keep(State& state) const;

  // Goes on counting for `other`, whose model is the same in other coordinates.
  void take_over(const BalanceLedger& other, const ModelData& model, const State& state);

  // The model's values have changed at the state.
  void model_changed(const ModelData& model, const State& state);

  // A solve over h from state.u to `u_after` at state.q, with the forces in `work`; constraints: null where there are
  // none. Before the state takes the velocities.
  void solved(const ModelData& model, double h, const State& state, const std::vector<double>& u_after,
              const Workspace& work, ConstraintSystem* constraints);

  // Around what moves positions or velocities to close gaps: where `u` alone leads from the state in the time h, and
  // where the state is then. projected: the constraints that were projected on; null: none were.
  void before_stabilization(const ModelData& model, double h, const State& state, const std::vector<double>& u);
  void after_stabilization(const ModelData& model, const State& state, const ConstraintSystem* projected);

  // The same for a projection before the solve of the step: what it did to the velocities is booked with the solve.
  void after_projection(const ModelData& model, const State& state);

  // The step has ended there.
  void finish(const ModelData& model, const State& state);

  // From the state of the last finish() to this one went a smooth motion without constraints: Simpson's rule on the
  // powers.
  void finish_smooth(const ModelData& model, const State& state);

  // The terms as channels: work.energy_terms and work.momentum_terms.
  void write(Workspace& work) const;

  double time() const { return t_; }  // until when is booked [s]

  // What is booked, to take back a step that fails before finish().
  struct Contents {
    Energy energy;
    Force<double> momentum = Force<double>::zero();  // about the world's origin, world axes
  };
  struct Books {
    EnergyBalance energy;
    MomentumBalance momentum;
    Contents before;
    std::optional<double> tyre_work, contact_work;
  };
  Books books() const { return {energy_, momentum_, before_, tyre_work_, contact_work_}; }
  void restore(const Books& books);
  const EnergyBalance& energy() const { return energy_; }
  const MomentumBalance& momentum() const { return momentum_; }

 private:
  template <class Use>
  static void for_each_number(EnergyBalance& energy, MomentumBalance& momentum, const Use& use);
  Contents contents(const ModelData& model, const double* q, const double* u);
  void book_forces(const ModelData& model, double h, const State& state, const double* u_after,
                   const double* actuator_control);
  void book_dampers(const ModelData& model, double h, const double* u_after);
  void book_actuators(const ModelData& model, double h, const double* control);
  void book_applied(const ModelData& model, double h, const State& state);
  void book_tyres(const ModelData& model, const State& state);
  void book_contact_forces(const ModelData& model, double h, const State& state);
  void book_contacts(const ModelData& model);
  void book_free_joints(const ModelData& model, double h, const State& state, const Workspace& work,
                        const std::vector<double>& u_after);
  void book_power(const ModelData& model, double weight, State& state);
  void clear_loads();
  Force<double> loads_on_links(const ModelData& model) const;
  double power_on_links(const ModelData& model) const;
  void book_push(const ModelData& model, const State& state, const ConstraintSystem& constraints);

  EnergyBalance energy_;
  MomentumBalance momentum_;
  bool rows_on_world_ = false;  // some bilateral row holds a body against the world
  Contents before_;

  std::vector<double> q_, u_, closure_q_;  // of the last finish()
  double t_ = 0;
  double tyre_energy_ = 0;           // stored in tyres at the last finish() [J]
  std::optional<double> tyre_work_;  // of tyres on links since then [J]; none: no time has passed
  double contact_energy_ = 0;        // the same of the normals of contacts that are forces
  std::optional<double> contact_work_;
  std::vector<double> u_before_;  // of before_stabilization()
  bool is_pushed_ = false;        // a projection has made others of these, for the solve to come
  std::vector<Motion<double>> V_before_;
  std::vector<double> mean_u_, moved_q_, half_way_, u_end_rate_;
  Workspace at_;          // scratch: kinematics at the q of a solve, loads of one kind
  KinematicsWork mean_;   // the same poses with the mean velocities
  KinematicsWork there_;  // of contents()
  State trial_;
};

}  // namespace lipkin
