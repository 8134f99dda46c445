// Where the energy and the momentum of a run come from and where they go; docs/theory/balance.md says how each term is
// found and what the residuals mean.
#pragma once

#include "lipkin/dynamics.hpp"

namespace lipkin {

// Since the balance is watched; all in [J].
struct EnergyBalance {
  double since = 0;    // when counting began [s]
  double initial = 0;  // stored when it began
  Energy stored;       // now

  // Taken out.
  double dampers = 0;           // of joints, spring-dampers and bushings
  double joint_friction = 0;    // dry
  double contact_friction = 0;  // sliding, spinning and rolling
  double impacts = 0;           // of contacts, joint limits and ropes

  // Put in.
  double motors = 0;         // motors, prescribed motions and actuators
  double applied = 0;        // forces on bodies, pushes, forces added to joints
  double commands = 0;       // what changes of the model did to the energy stored
  double stabilization = 0;  // what keeping ideal constraints closed did, which do no work themselves

  double dissipated() const { return dampers + joint_friction + contact_friction + impacts; }
  double work() const { return motors + applied + commands; }
  double residual() const { return stored.total() - initial - work() - stabilization + dissipated(); }
};

// Since the balance is watched; angular momentum about the world's origin.
struct MomentumBalance {
  Momentum initial, now;
  // Impulses since then.
  Momentum gravity;
  Momentum applied;  // forces on bodies, pushes, forces added to free joints
  Momentum ground;   // what the world did through contacts, joints, loops, ropes and springs
  // By parts of the tree that hang on the world by a joint the ground's part is found from the others.
  bool ground_is_remainder = false;

  Momentum residual() const {
    return {now.linear - initial.linear - gravity.linear - applied.linear - ground.linear,
            now.angular - initial.angular - gravity.angular - applied.angular - ground.angular};
  }
};

}  // namespace lipkin
