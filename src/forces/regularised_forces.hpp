// Contact and joint friction as forces, for steppers that need them (docs/decisions/0008): what the set-valued laws of
// constraints/law_rows.hpp become where the materials have a stiffness.
#pragma once

#include <span>

#include "collision/shape_gaps.hpp"
#include "laws/law_regularised.hpp"
#include "lipkin/state.hpp"
#include "state/workspace.hpp"

namespace lipkin {

// A contact that carries something.
struct TouchingPoint {
  int shape_a = 0, shape_b = 0, link_a = 0, link_b = 0;
  std::uint64_t feature = 0;
  double depth = 0;         // [m]
  RegularisedForce normal;  // on b along the direction
  double along = 0;         // resistance of the friction to a change of the slip along it, and across [N s/m]
  double across = 0;
  Vec3<double> slip;        // in the plane [m/s]
  Vec3<double> direction;   // from a to b, world axes
  Vec3<double> point;       // half way between the surfaces, world [m]
  Vec3<double> tangential;  // friction on b [N]
  Vec3<double> torque;      // spinning and rolling resistance on b [N m]
};

class RegularisedForces {
 public:
  // slip_speed: below which friction is less than Coulomb's [m/s], for turning [rad/s]. Throws InvalidArgument naming
  // the materials that have no single-valued law.
  RegularisedForces(const ModelData& model, double slip_speed);

  bool has_contacts() const { return !gaps_.empty(); }

  // Adds to work.tau and, with contacts, to work.external. Needs world kinematics. Allocates nothing once its buffers
  // have grown.
  void load(const ModelData& model, const State& state, Workspace& work);

  // Finds what touches, and the forces there, without loading them.
  void touch(const ModelData& model, const KinematicsWork& kinematics);

  // Of the last load() or touch().
  std::span<const TouchingPoint> touching() const { return touching_; }

  // Stored in these contacts [J].
  double energy(const ModelData& model) const;

  // The forces of the last load() as impulses, where outputs look for them: of the step that the state's other impulses
  // belong to, or of one second where it has none.
  void remember(State& state) const;

 private:
  void add_contact(const ModelData& model, const ContactPoint& p, const KinematicsWork& kinematics);
  void add_turning(const ContactLaw& law, const Vec3<double>& spin, TouchingPoint& t) const;

  double slip_speed_;
  ShapeGaps gaps_;
  std::vector<TouchingPoint> touching_;
};

// Stored in contacts that are forces, at the last evaluate_forces() [J].
inline double contact_energy(const ModelData& model, const Workspace& work) {
  return work.regularised ? work.regularised->energy(model) : 0;
}

// The model without the rows that are forces now: what the constraints are made of. Friction keeps its number, so that
// the rows know the model's own, and acts on no coordinate where it is a force.
ModelData without_regularised_rows(const ModelData& model);

// Whether it is one of the rows of such a model.
inline bool is_row(const JointFrictionData& friction) {
  return friction.dof.is_in_tree() || friction.dof.closure >= 0 || friction.dof.tendon >= 0;
}

}  // namespace lipkin
