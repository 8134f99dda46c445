// Random mechanisms: every joint type, branching, frames in any orientation, rotors and added inertia.
#pragma once

#include <vector>

#include "lipkin/model.hpp"
#include "lipkin/model_builder.hpp"
#include "support/random.hpp"

namespace lipkin::test {

// What a model is built from, kept so that a test can compute from it without the library.
struct TreeParts {
  Eigen::Vector3d gravity{0, 0, -9.81};
  std::vector<BodySpec> bodies;
  std::vector<JointSpec> joints;
};

struct TreeOptions {
  bool added_inertia = true;   // of some bodies
  bool armature = true;        // of some joints
  double fixed_share = 0.15;   // bodies fixed to others
  double chain_share = 0.6;    // bodies that hang on the last one; the others on any body or the world
  double aligned_share = 0.4;  // frames without rotation, axes along coordinate axes
  bool free_base = false;      // the first joint is free and all else hangs on it
  std::vector<JointType> types = {JointType::kRevolute,    JointType::kPrismatic, JointType::kScrew,
                                  JointType::kCylindrical, JointType::kUniversal, JointType::kPlanar,
                                  JointType::kBall,        JointType::kFree};
};

// A tree of exactly `dof` degrees of freedom (at least those of the smallest joint allowed).
TreeParts random_tree(Random& random, int dof, const TreeOptions& options = {});

// Joints and bodies in a random order: the numbering must not matter.
void shuffle(Random& random, TreeParts& parts);

ModelBuilder builder_of(const TreeParts& parts);
Model build(const TreeParts& parts);

struct RandomState {
  std::vector<double> q, u, tau;
};

// Any configuration; velocities and forces up to the given sizes.
RandomState random_state(Random& random, const Model& model, double speed = 2, double force = 5);

MassProperties random_mass_properties(Random& random);
Eigen::Matrix<double, 6, 6> random_added_inertia(Random& random);
Pose random_pose(Random& random, double distance);

}  // namespace lipkin::test
