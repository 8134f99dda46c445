#include "equivalence/random_mechanism.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "equivalence/random_parts.hpp"
#include "support/random_tree.hpp"

namespace lipkin::test {
namespace {

// Bodies whose shapes would overlap at the start stay without.
bool is_clear(const std::vector<std::pair<Eigen::Vector3d, double>>& spheres, const Eigen::Vector3d& center,
              double radius) {
  return std::ranges::all_of(spheres,
                             [&](const auto& s) { return (s.first - center).norm() > s.second + radius + 0.01; });
}

bool has_drives(const Mechanism& mechanism) { return !mechanism.motors.empty() || !mechanism.gears.empty(); }

bool is_prescribed(const Mechanism& mechanism, const std::string& joint) {
  const auto is_exact = [](const MotorSpec& m) {
    return !m.stiffness && !(m.max_force < std::numeric_limits<double>::infinity());
  };
  return std::ranges::any_of(mechanism.motors, [&](const MotorSpec& m) { return m.joint == joint && is_exact(m); }) ||
         std::ranges::any_of(mechanism.gears, [&](const GearSpec& g) { return g.joint == joint || g.of == joint; });
}

// Whether something that the body hits can push it away, wherever it is hit.
bool can_give_way(const Mechanism& mechanism, const std::string& body) {
  return std::ranges::any_of(mechanism.joints, [&](const JointSpec& joint) {
    return !joint.closes_loop && joint.child == body && u_count(joint.type) >= (has_drives(mechanism) ? 3 : 1) &&
           !is_prescribed(mechanism, joint.name);
  });
}

// What is prescribed in a loop leaves its other joints no choice.
void take_limits_of_loops(Mechanism& mechanism) {
  for (JointSpec& joint : mechanism.joints) joint.lower.clear(), joint.upper.clear();
}

void equip_linkage(Random& random, Mechanism& mechanism) {
  for (JointSpec& joint : mechanism.joints) equip(random, joint);
}

Experiment random_experiment(Random& random) {
  Experiment experiment;
  experiment.dt = 1e-3;
  experiment.duration = 0.05;
  experiment.solver_options.tolerance = 1e-11;
  experiment.solver_options.max_iterations = 20000;
  if (random.chance(0.15)) experiment.stepper = StepperKind::kMoreau;
  return experiment;
}

}  // namespace

void add_rope(Random& random, Mechanism& mechanism) {
  DistanceSpec rope;
  rope.name = "rope";
  rope.a = any_place(random, any_body(random, mechanism));
  rope.b = any_place(random, any_body(random, mechanism, false));
  if (rope.a.body == rope.b.body) return;
  const std::vector<Pose> poses = initial_poses(mechanism);
  const auto place = [&](const Attachment& a) {
    const Pose pose = pose_of(mechanism, poses, a.body);
    return Eigen::Vector3d(pose.position + pose.orientation * a.position);
  };
  const double length = (place(rope.a) - place(rope.b)).norm();
  if (length < 0.05) return;
  rope.upper = length + random.uniform(0, 0.03);
  if (random.chance(0.3)) rope.restitution = random.uniform(0, 0.8);
  mechanism.distances.push_back(rope);
}

void add_contacts(Random& random, Mechanism& mechanism) {
  MaterialSpec material;
  material.name = "steel";
  material.friction = random.chance(0.7) ? random.uniform(0, 0.6) : 0;
  material.restitution = random.chance(0.4) ? random.uniform(0.1, 0.8) : 0;
  if (random.chance(0.15)) material.rolling_friction = 0.005;
  if (random.chance(0.15)) material.spinning_friction = 0.005;
  std::vector<std::pair<Eigen::Vector3d, double>> spheres;
  const std::vector<Pose> poses = initial_poses(mechanism);
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < poses.size(); ++i) {
    if (!can_give_way(mechanism, mechanism.bodies[i].name)) continue;
    ShapeSpec shape;
    const double radius = random.uniform(0.03, 0.15);
    shape.geometry = ShapeSphere{radius};
    shape.pose.position = random.vector(0.05);
    shape.contact = "steel";
    const Eigen::Vector3d center = poses[i].position + poses[i].orientation * shape.pose.position;
    if (!is_clear(spheres, center, radius)) continue;
    spheres.emplace_back(center, radius);
    lowest = std::min(lowest, center.z() - radius);
    mechanism.bodies[i].shapes.push_back(shape);
  }
  if (spheres.empty()) return;
  ShapeSpec ground;
  ground.geometry = ShapePlane{};
  ground.pose.position = {0, 0, lowest - (random.chance(0.3) ? 0 : random.uniform(0, 0.03))};
  ground.contact = "steel";
  mechanism.world_shapes.push_back(ground);
  mechanism.materials.push_back(material);
}

Mechanism random_mechanism(std::uint64_t seed) {
  Random random(seed * 7919 + 17);
  Mechanism mechanism;
  mechanism.experiment = random_experiment(random);
  if (random.chance(0.3)) mechanism.gravity = random.vector(10);
  const double kind = random.uniform(0, 1);
  const bool is_tree = kind < 0.65;
  if (is_tree) {
    add_tree(random, mechanism);
    if (random.chance(0.3)) add_loop(random, mechanism);
  } else {
    kind < 0.85 ? add_planar_linkage(random, mechanism) : add_spatial_linkage(random, mechanism);
    equip_linkage(random, mechanism);
  }
  std::vector<FreeDof> dofs = scalar_dofs(mechanism);
  const bool has_loop = std::ranges::any_of(mechanism.joints, &JointSpec::closes_loop);
  if (!has_loop && random.chance(0.3)) add_gear(random, mechanism, dofs);
  if (has_loop && !dofs.empty() && random.chance(0.5)) add_motor(random, mechanism, dofs[0]);
  if (has_loop && has_drives(mechanism)) take_limits_of_loops(mechanism);
  if (!has_loop)
    for (FreeDof& dof : dofs)
      if (!dof.is_driven && random.chance(0.3)) add_motor(random, mechanism, dof);
  add_forces(random, mechanism);
  if (!has_drives(mechanism) && random.chance(0.2)) add_rope(random, mechanism);
  if (!(has_loop && has_drives(mechanism)) && random.chance(0.35)) add_contacts(random, mechanism);
  if (random.chance(0.3)) add_commands(random, mechanism);
  return mechanism;
}

}  // namespace lipkin::test
