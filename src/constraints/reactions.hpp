// Impulses of the bilateral rows and of the rotors that these carry along, as State::reactions has them: found after a
// solve by what the rows have put into z, and where a projection has moved the state on, with its part.
#pragma once

#include "constraints/law_system.hpp"

namespace lipkin {

class Reactions {
 public:
  Reactions(const ModelData& model, BilateralSystem& bilateral);

  // Whether they will be asked for; so from the start where an output of the model does.
  void want(bool wanted) { wanted_ = wanted || model_wants_; }
  bool wanted() const { return wanted_; }

  // Of State::reactions where they are known: of the bilateral rows, then of the rotors.
  std::size_t count() const { return lambda_.size() + rotor_impulse_.size(); }

  // Of a solve: z of the bilateral rows alone before the laws, then what these took out of theirs; or the impulses,
  // where the solve has found them. Both into the state.
  void begin_solve(const std::vector<double>& z) { z_bilateral_ = z; }
  void find(const LawSystem& laws, State& state);
  void take(const double* impulses, State& state);

  // The impulses behind a push z; rates: those that it makes where `rates_known`, else receives them. Both are used up.
  void find_push(std::vector<double>& z, std::vector<double>& rates, bool rates_known);

  // What a projection did goes with the solve that it belongs to: the push that was found last, times a factor, becomes
  // part of State::carried_impulses.
  void carry(double factor, State& state) const;
  bool has_carried(const State& state) const { return state.carried_impulses.size() == count(); }
  void add_carried(State& state) const;

  // The push that was found last becomes part of State::reactions.
  void add_push(State& state) const;

  // As forces on links and joints, over the step that they belong to.
  void react(const ModelData& model, const State& state, Workspace& work);

  // After find() or take(): work of the impulses of the last solve, and these as forces.
  void book(const ModelData& model, double h, const SolveVelocities& velocities, const State& state, Workspace& work,
            StepWork& done);

 private:
  void remember(const double* impulses, State& state) const;
  void add_reaction_to_laws(const LawSystem& laws);

  BilateralSystem& bilateral_;
  bool model_wants_ = false, wanted_ = false;  // some output needs impulses of bilateral rows
  std::vector<double> lambda_, rotor_impulse_;
  std::vector<double> z_bilateral_;  // what the bilateral rows have put in
  std::vector<double> rates_;
};

}  // namespace lipkin
