// What a mechanism does, said so that two traces of the same mechanism said in two ways can be compared.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "equivalence/mechanism.hpp"
#include "lipkin/simulation.hpp"

namespace lipkin::test {

enum class Quantity {
  kPlace,
  kAxis,
  kVelocity,
  kSpin,
  kCoordinate,
  kRate,
  kMotorForce,
  kReaction,
  kMoment,
  kContact,
  kEnergy
};
inline constexpr int kQuantityCount = 11;
std::string_view name_of(Quantity quantity);

// Whether it is the mean over a window of steps instead of the value at its end.
bool is_force(Quantity quantity);

// How a restated mechanism lies in the world of the one it restates: p' = axes p + shift. With a mirror among the axes
// angular velocities and moments change their sign as well, and so do some coordinates of joints.
struct Placement {
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
  Eigen::Vector3d shift = Eigen::Vector3d::Zero();
  bool is_mirror() const { return axes.determinant() < 0; }
};

// Sign of a coordinate after a mirror that turns y into -y.
double mirrored_sign(JointType type, int dof);

struct Entry {
  Quantity quantity = Quantity::kPlace;
  std::string what;                    // "joint.body1.q"
  std::vector<std::string> variables;  // three of a vector, or one
  bool is_pseudovector = false;
  double sign = 1;  // after a mirror
};

using Names = std::map<std::string, std::string>;

// What there is to see of `original`, in the variables of the mechanism that restates it with some other names.
std::vector<Entry> entries_of(const Mechanism& original, const Names& names = {});

inline constexpr int kWindows = 5;
inline constexpr double kWindow = 0.01;  // [s]

struct Trace {
  std::string refused;      // why there are no values
  bool has_failed = false;  // in the middle of the run
  Statistics statistics;
  double dt = 0;
  // First the start, then the windows; in the world of the original. A number stands in x.
  std::vector<std::vector<Eigen::Vector3d>> values;
  bool ran() const { return refused.empty(); }
};

Trace run(const Mechanism& mechanism, const std::vector<Entry>& entries, const Placement& placement = {});
// A scene that watches outputs_for(entries); what making it throws is told in the trace. With command lines, it runs in
// a session that is given these.
Trace run_scene(const std::function<Scene()>& make, const std::vector<Entry>& entries, const Placement& placement = {},
                const std::vector<std::string>& command_lines = {});

// Outputs that show the entries, in their order.
Outputs outputs_for(const std::vector<Entry>& entries);
// Values as they are in the world of the original, from those of outputs_for.
std::vector<Eigen::Vector3d> read(const std::vector<Entry>& entries, std::span<const double> outputs,
                                  const Placement& placement);

}  // namespace lipkin::test
