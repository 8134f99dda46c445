// The trees every engine is measured on, and the states they are measured at. Standard library only: Lipkin and each
// peer turn the same description into their own form.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace lipkin::bench {

using Triple = std::array<double, 3>;
using Quaternion = std::array<double, 4>;  // w x y z

enum class TreeJoint { kRevoluteX, kRevoluteY, kRevoluteZ, kFree };

// Axis of a revolute joint, the same in the parent's and the child's axes.
Triple axis_of(TreeJoint joint);

// A body whose frame sits at its joint; at zero angles all frames are parallel.
struct TreeBody {
  int parent = -1;  // index of an earlier body, -1 for the world
  TreeJoint joint = TreeJoint::kRevoluteX;
  Triple position{};  // of the joint in the parent's frame [m]
  double mass = 0;    // [kg]
  Triple com{};       // in the body frame [m]
  Triple inertia{};   // principal, about the centre of mass, body axes [kg m^2]
};

struct TreeModel {
  std::string name;
  std::vector<TreeBody> bodies;

  bool floating() const { return !bodies.empty() && bodies.front().joint == TreeJoint::kFree; }
  int revolute_count() const { return static_cast<int>(bodies.size()) - (floating() ? 1 : 0); }
  int u_count() const { return revolute_count() + (floating() ? 6 : 0); }
};

// q, u and tau hold the revolute joints in the order of the bodies; the base matters to floating models only.
struct TreeState {
  std::vector<double> q, u, tau;  // [rad], [rad/s], [N m]
  Triple base_position{};         // [m]
  Quaternion base_orientation{1.0, 0.0, 0.0, 0.0};
  Triple base_velocity{};          // of the frame's origin, world axes [m/s]
  Triple base_angular_velocity{};  // body axes [rad/s]
};

// Serial chain: rods of 1 kg and 1 m along x, axes alternating y and z.
TreeModel chain(int joint_count);

// Floating trunk, two legs of 6, two arms of 7 and a neck of 4 revolute joints: 36 degrees of freedom.
TreeModel humanoid_tree();

// Names of every case, smallest first: "chain-5", ..., "humanoid-tree".
std::vector<std::string> tree_case_names();

// Throws std::invalid_argument for a name that is none of the cases.
TreeModel tree_case(std::string_view name);

// Random states: angles over the full turn, rates and torques within 1, base likewise; state 0 has its base at rest at
// the origin. The same for every engine and every run.
std::vector<TreeState> random_states(const TreeModel& model);

// Where the measured steps start: less bent and slower than `state`, the base at rest, nothing applied. Steps of 1 ms
// then stay stable for a second of motion, even at the far end of the longest chain.
TreeState gently_bent(const TreeState& state);

// v turned by the unit quaternion: from body to world axes.
Triple rotated(const Quaternion& orientation, const Triple& v);
Quaternion conjugate(const Quaternion& orientation);

}  // namespace lipkin::bench
