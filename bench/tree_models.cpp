#include "tree_models.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <stdexcept>

namespace lipkin::bench {
namespace {

constexpr std::array kChainSizes{5, 7, 10, 30, 50, 100, 250, 1000};
constexpr double kRodRadius = 0.05;  // [m]

// Marsaglia's xorshift generator (J. Stat. Soft. 8(14), 2003), shifts 13, 7, 17: the same numbers on every machine.
class RandomNumbers {
 public:
  double within(double low, double high) {
    bits_ ^= bits_ << 13;
    bits_ ^= bits_ >> 7;
    bits_ ^= bits_ << 17;
    return low + (high - low) * static_cast<double>(bits_ >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t bits_ = 0x9E3779B97F4A7C15u;
};

// A solid cylinder that starts at its joint and reaches `length` along the given axis (negative: the other way).
TreeBody rod(int parent, TreeJoint joint, const Triple& position, double mass, double length, std::size_t along) {
  const double axial = 0.5 * mass * kRodRadius * kRodRadius;
  const double transverse = mass * (3.0 * kRodRadius * kRodRadius + length * length) / 12.0;
  TreeBody body{parent, joint, position, mass, {}, {transverse, transverse, transverse}};
  body.com[along] = 0.5 * length;
  body.inertia[along] = axial;
  return body;
}

TreeJoint revolute_about(char axis) {
  switch (axis) {
    case 'x':
      return TreeJoint::kRevoluteX;
    case 'y':
      return TreeJoint::kRevoluteY;
    default:
      return TreeJoint::kRevoluteZ;
  }
}

struct Limb {
  Triple root;            // on the trunk [m]
  std::string_view axes;  // one revolute joint each, from the trunk outwards
  double link_length;     // [m]
  double link_mass;       // [kg]
  double direction;       // -1: hangs down, +1: stands up
};

// The first three joints of a limb nearly meet, as in a hip or a shoulder.
void add_limb(TreeModel& model, const Limb& limb) {
  constexpr double kCloseJoints = 0.05;  // [m]
  int parent = 0;
  for (std::size_t i = 0; i < limb.axes.size(); ++i) {
    const double offset = i < 3 ? kCloseJoints : limb.link_length;
    const double length = i < 2 ? kCloseJoints : limb.link_length;
    const Triple position = i == 0 ? limb.root : Triple{0.0, 0.0, limb.direction * offset};
    model.bodies.push_back(
        rod(parent, revolute_about(limb.axes[i]), position, limb.link_mass, limb.direction * length, 2));
    parent = static_cast<int>(model.bodies.size()) - 1;
  }
}

Triple random_triple(RandomNumbers& random) {
  const double x = random.within(-1, 1), y = random.within(-1, 1), z = random.within(-1, 1);
  return {x, y, z};
}

Quaternion random_orientation(RandomNumbers& random) {
  Quaternion orientation;
  double norm_squared = 0.0;
  for (double& component : orientation) {
    component = random.within(-1, 1);
    norm_squared += component * component;
  }
  for (double& component : orientation) component /= std::sqrt(norm_squared);
  return orientation;
}

}  // namespace

Triple axis_of(TreeJoint joint) {
  return {joint == TreeJoint::kRevoluteX ? 1.0 : 0.0, joint == TreeJoint::kRevoluteY ? 1.0 : 0.0,
          joint == TreeJoint::kRevoluteZ ? 1.0 : 0.0};
}

TreeModel chain(int joint_count) {
  TreeModel model{"chain-" + std::to_string(joint_count), {}};
  for (int i = 0; i < joint_count; ++i) {
    const TreeJoint joint = i % 2 == 0 ? TreeJoint::kRevoluteY : TreeJoint::kRevoluteZ;
    model.bodies.push_back(rod(i - 1, joint, {i == 0 ? 0.0 : 1.0, 0.0, 0.0}, 1.0, 1.0, 0));
  }
  return model;
}

TreeModel humanoid_tree() {
  TreeModel model{"humanoid-tree", {}};
  model.bodies.push_back({-1, TreeJoint::kFree, {}, 20.0, {0.01, 0.0, 0.15}, {0.8, 0.6, 0.4}});
  add_limb(model, {{0.0, 0.1, 0.0}, "zxyyyx", 0.4, 2.0, -1.0});
  add_limb(model, {{0.0, -0.1, 0.0}, "zxyyyx", 0.4, 2.0, -1.0});
  add_limb(model, {{0.0, 0.25, 0.3}, "yxzyzyx", 0.3, 1.0, -1.0});
  add_limb(model, {{0.0, -0.25, 0.3}, "yxzyzyx", 0.3, 1.0, -1.0});
  add_limb(model, {{0.0, 0.0, 0.4}, "zyxy", 0.1, 0.8, 1.0});
  return model;
}

std::vector<std::string> tree_case_names() {
  std::vector<std::string> names;
  for (const int size : kChainSizes) names.push_back("chain-" + std::to_string(size));
  names.push_back("humanoid-tree");
  return names;
}

TreeModel tree_case(std::string_view name) {
  if (name == "humanoid-tree") return humanoid_tree();
  for (const int size : kChainSizes) {
    if (name == "chain-" + std::to_string(size)) return chain(size);
  }
  throw std::invalid_argument("no case '" + std::string(name) + "'");
}

std::vector<TreeState> random_states(const TreeModel& model) {
  // Enough that the branch predictors cannot learn them, few enough that they stay in the cache.
  const std::size_t state_count = model.u_count() <= 100 ? 64 : 16;
  RandomNumbers random;
  std::vector<TreeState> states(state_count);
  for (std::size_t i = 0; i < state_count; ++i) {
    TreeState& state = states[i];
    for (int joint = 0; joint < model.revolute_count(); ++joint) {
      state.q.push_back(random.within(-std::numbers::pi, std::numbers::pi));
      state.u.push_back(random.within(-1, 1));
      state.tau.push_back(random.within(-1, 1));
    }
    if (!model.floating() || i == 0) continue;
    state.base_orientation = random_orientation(random);
    state.base_position = random_triple(random);
    state.base_velocity = random_triple(random);
    state.base_angular_velocity = random_triple(random);
  }
  return states;
}

TreeState gently_bent(const TreeState& state) {
  constexpr double kBend = 0.3, kPace = 0.1;
  TreeState start;
  for (const double angle : state.q) start.q.push_back(kBend * angle);
  for (const double rate : state.u) start.u.push_back(kPace * rate);
  start.tau.assign(state.tau.size(), 0.0);
  return start;
}

Triple rotated(const Quaternion& orientation, const Triple& v) {
  // v + 2 w (r x v) + 2 r x (r x v), with r the vector part.
  const auto [w, x, y, z] = orientation;
  const Triple c{y * v[2] - z * v[1], z * v[0] - x * v[2], x * v[1] - y * v[0]};
  return {v[0] + 2.0 * (w * c[0] + y * c[2] - z * c[1]), v[1] + 2.0 * (w * c[1] + z * c[0] - x * c[2]),
          v[2] + 2.0 * (w * c[2] + x * c[1] - y * c[0])};
}

Quaternion conjugate(const Quaternion& orientation) {
  return {orientation[0], -orientation[1], -orientation[2], -orientation[3]};
}

}  // namespace lipkin::bench
