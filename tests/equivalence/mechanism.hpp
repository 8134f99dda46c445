// A mechanism as the list of its parts, from which it is built, and which can be edited: said in another way, or made
// smaller.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/pose_algebra.hpp"
#include "lipkin/model_builder.hpp"
#include "lipkin/scene.hpp"

namespace lipkin::test {

struct Mechanism {
  Eigen::Vector3d gravity{0, 0, -9.81};  // [m/s^2]
  std::vector<BodySpec> bodies;
  std::vector<JointSpec> joints;  // those that close loops too
  std::vector<MotorSpec> motors;
  std::vector<GearSpec> gears;
  std::vector<SpringDamperSpec> springs;
  std::vector<BushingSpec> bushings;
  std::vector<ForceSpec> forces;
  std::vector<ActuatorSpec> actuators;
  std::vector<TendonSpec> tendons;
  std::vector<DistanceSpec> distances;
  std::vector<MaterialSpec> materials;
  std::vector<ShapeSpec> world_shapes;
  Experiment experiment;
  // Rows that say the same twice: how the reactions of its loops share the load is not determined.
  bool is_overconstrained = false;
};

using Outputs = std::vector<OutputSpec>;

// Throws InputError where the parts do not make a model.
Scene build(const Mechanism& mechanism, const Outputs& outputs = {});

// Calls visit(list) for every list of parts.
template <class M, class Visit>
void for_each_list(M& mechanism, const Visit& visit) {
  visit(mechanism.bodies), visit(mechanism.joints), visit(mechanism.motors), visit(mechanism.gears);
  visit(mechanism.springs), visit(mechanism.bushings), visit(mechanism.forces), visit(mechanism.actuators);
  visit(mechanism.tendons), visit(mechanism.distances);
}

// Every place where something is attached to a body.
template <class Visit>
void for_each_attachment(Mechanism& mechanism, const Visit& visit) {
  for (SpringDamperSpec& s : mechanism.springs) visit(s.a), visit(s.b);
  for (DistanceSpec& d : mechanism.distances) visit(d.a), visit(d.b);
  for (ForceSpec& f : mechanism.forces) visit(f.at);
}

// Every frame that a joint, a loop or a bushing has on a body.
template <class Visit>
void for_each_frame(Mechanism& mechanism, const Visit& visit) {
  for (JointSpec& j : mechanism.joints) visit(j.parent, j.frame_in_parent), visit(j.child, j.frame_in_child);
  for (BushingSpec& b : mechanism.bushings) visit(b.body_a, b.frame_in_a), visit(b.body_b, b.frame_in_b);
}

JointSpec* find_joint(Mechanism& mechanism, const std::string& name);
const JointSpec* find_joint(const Mechanism& mechanism, const std::string& name);

// Poses of the bodies at the start, in the order of mechanism.bodies; of the tree alone.
std::vector<Pose> initial_poses(const Mechanism& mechanism);
// Of one of them, or of the world.
Pose pose_of(const Mechanism& mechanism, const std::vector<Pose>& poses, const std::string& body);

// Whether the coordinate turns (an angle) or slides.
bool is_angle(JointType type, int dof);

// factor * signal, also where it is an expression or a table.
Signal scaled(const Signal& signal, double factor);
Signal sum(const std::vector<std::pair<double, Signal>>& terms);
// The components of a vector along other axes.
void turn_signals(std::array<Signal, 3>& signals, const Eigen::Matrix3d& axes);

}  // namespace lipkin::test
