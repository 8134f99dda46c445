// Channels: every variable of a model that can be watched or used in an expression, by name
// (docs/guide/variables.md lists the names).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/expression.hpp"

namespace lipkin {

struct ModelData;

enum class ChannelKind {
  kTime,
  kJointPosition,      // index: into q
  kJointVelocity,      // index: into u
  kJointAcceleration,  // index: into u
  kJointForce,         // index: into u; springs, dampers, actuators and applied forces together
  kClosurePosition,    // index: into closure_q
  kClosureVelocity,    // index: closure; component: which coordinate
  kClosureQuaternion,  // index: closure, a ball joint; component: w, x, y or z
  // Of a point; index: point, of which the first ones are the bodies' frames. World axes.
  kPointPosition,
  kPointVelocity,
  kPointAcceleration,
  kPointQuaternion,  // component: w x y z
  kPointAxis,        // component: x y z of its x axis, then of y and z
  kPointAngularVelocity,
  kPointAngularAcceleration,
  // The same along its own axes.
  kPointVelocityLocal,
  kPointAccelerationLocal,
  kPointAngularVelocityLocal,
  kPointAngularAccelerationLocal,
  kPointSpecificForce,  // acceleration less gravity
  kPointLoad,           // component: force x y z, moment x y z about the point that carry its body
  kPointTouch,          // normal forces of contacts in its zone
  kPointRange,          // distance along its z axis to the next body; -1: there is none
  // Of a point as seen from another, along its axes and turning with it; index: point, other: the other or the world.
  kRelativePosition,
  kRelativeVelocity,
  kRelativeQuaternion,
  kRelativeAxis,
  kRelativeAngularVelocity,
  // Of a body with all that it carries; index: body, or the world.
  kSubtreeMass,
  kSubtreeCenter,
  kSubtreeVelocity,
  kSubtreeAngularMomentum,  // about its centre of mass
  kBodyLoad,                // index: body; component: total force x y z, total moment x y z about its centre of mass
  kCenterOfMass,
  kCenterOfMassVelocity,
  kKineticEnergy,
  kGravitationalEnergy,
  kElasticEnergy,
  kTotalEnergy,
  kLinearMomentum,
  kAngularMomentum,
  kSpringLength,     // index: spring
  kSpringRate,       // index: spring
  kSpringForce,      // index: spring; tension
  kTendonRate,       // index: tendon
  kTendonTension,    // index: tendon
  kDistanceLength,   // index: distance
  kDistanceRate,     // index: distance
  kInput,            // index: input
  kTyre,             // index: tyre; component: TyreQuantity
  kController,       // index: into State::memory
  kActuatorControl,  // index: actuator
  kActuatorForce,    // index: actuator
  kMotorForce,       // index: motor
  kLimitForce,       // index: joint; of its limits, along its coordinate
  kGravity,          // component: axis
  kJointReaction,    // index: joint; component: force x y z, moment x y z on the child at M's origin, world axes
  kContactForce,     // index: body; other: the body that touches it; component: axis x y z
  kEnergyBalance,    // component: EnergyTerm
  kMomentumBalance,  // index: MomentumTerm; component: linear x y z, angular x y z
  // Of a joint that closes a loop; component: which coordinate.
  kClosureAcceleration,  // index: closure
  kClosureForce          // index: joint; all that acts along the coordinate
};

// Terms of the balances (lipkin/balance.hpp) in the order of Workspace::energy_terms and momentum_terms.
enum EnergyTerm {
  kDampersTerm,
  kJointFrictionTerm,
  kContactFrictionTerm,
  kImpactsTerm,
  kDissipatedTerm,
  kMotorsTerm,
  kAppliedTerm,
  kCommandsTerm,
  kStabilizationTerm,
  kEnergyResidualTerm,
  kEnergyTermCount
};
enum MomentumTerm { kGravityImpulse, kAppliedImpulse, kGroundImpulse, kMomentumResidual, kMomentumTermCount };

enum TyreQuantity { kTyreLoad, kTyreSlip, kTyreSlipAngle, kTyreForward, kTyreLateral, kTyreDeflection };

struct Channel {
  ChannelKind kind = ChannelKind::kTime;
  int index = 0;
  int component = 0;
  int other = kAnyBody;  // contact forces: a body; what is relative: a point

  static constexpr int kAnyBody = -2, kWorld = -1;
};

// What must be computed before a channel can be read.
enum class ChannelNeed { kState, kKinematics, kDynamics, kReactions };
ChannelNeed need_of(const Channel& channel);

// The channel of a dotted name; throws InvalidArgument with the nearest known name.
Channel find_channel(const ModelData& model, std::string_view name);

// An expression whose variables are channels.
struct ChannelExpression {
  Expression expression;
  std::vector<Channel> channels;  // one per variable of the expression

  ChannelNeed need() const;
  bool needs_balance() const;
};

}  // namespace lipkin
