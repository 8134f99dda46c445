// Multistep methods of variable order and step by SUNDIALS CVODE (Hindmarsh et al., ACM TOMS 31 (2005) 363): `adams`,
// orders 1 to 12, whose implicit formula is met by accelerated fixed-point iteration, for forces that are not stiff;
// `bdf`, orders 1 to 5, by Newton's method, for stiff contacts.
//
// Newton's matrix: dense and by differences for small models; for large ones the contacts' linearisation
// (steppers/implicit_contacts.hpp), alone where nothing else is stiff, otherwise as the preconditioner of GMRES on
// differences of the forces.
//
// The history of a multistep method is no part of State: where the state is not the one the last step left, or
// something has changed (commands, a restored state, a checkpoint), it starts again from order one.
#pragma once

#include <memory>

#include "steppers/stepper.hpp"

namespace lipkin {

class StepperCvode : public Stepper {
 public:
  StepperCvode(StepperKind kind, const ModelData& model);
  ~StepperCvode() override;

  // state.step_size is the step that comes next; it decides nothing but the first one.
  StepReport step(const ModelData& model, const StepOptions& options, State& state, Workspace& work) override;
  void invalidate() override;
  void mark_checkpoint() override { invalidate(); }

  bool has_dense_output() const override { return true; }
  void interpolate(const ModelData& model, double t, State& state) const override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lipkin
