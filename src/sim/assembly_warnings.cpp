#include "sim/assembly_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/bilateral_laws.hpp"
#include "model/joint_units.hpp"
#include "model/mechanism_size.hpp"
#include "model/model_compiler.hpp"
#include "spatial/quaternion.hpp"

namespace lipkin {
namespace {

constexpr double kFarTurned = 0.5;  // [rad]
constexpr double kFarMoved = 0.1;   // of the mechanism's size
constexpr double kChanged = 0.1;    // of a speed
// Speeds below this part of the largest, or this much, are what somebody's rounding has left.
constexpr double kSmallSpeed = 1e-3, kNoSpeed = 1e-6;  // ; [m/s] or [rad/s]

// A coordinate, or a rotation, that has changed.
struct Change {
  double times = 0;  // over what is not worth telling
  const JointData* joint = nullptr;
  std::string text;  // "has q = 0 rad in the scene and begins at -5.03 rad"
};

void take(double times, const JointData& joint, Change& worst, int& count, const auto& text) {
  if (times > 1) ++count;
  if (times > worst.times) worst = {times, &joint, text()};
}

std::string place_of(const JointData& joint, int k) { return u_count(joint.type) > 1 ? fmt::format("[{}]", k) : ""; }

// The first three coordinates of a free joint are lengths, the others of it and of a ball a rotation.
int scalar_count(JointType type) { return type == JointType::kBall ? 0 : type == JointType::kFree ? 3 : u_count(type); }

void look_at_positions(const ModelData& model, const JointData& joint, const State& start, double far, Change& worst,
                       int& count) {
  const double *given = model.initial_q.data() + joint.q_index, *now = start.q.data() + joint.q_index;
  const int scalars = scalar_count(joint.type);
  for (int k = 0; k < scalars; ++k) {
    const bool angle = is_angle(joint.type, static_cast<std::size_t>(k));
    take(std::abs(now[k] - given[k]) / (angle ? kFarTurned : far), joint, worst, count, [&] {
      const char* unit = angle ? "rad" : "m";
      return fmt::format("has q{} = {:.4g} {} in the scene and begins at {:.4g} {}", place_of(joint, k), given[k], unit,
                         now[k], unit);
    });
  }
  if (scalars == u_count(joint.type)) return;
  const auto turn = conjugate(normalized(Quaternion<double>::from(given + scalars))) *
                    normalized(Quaternion<double>::from(now + scalars));
  const double angle = 2 * std::atan2(std::hypot(turn.x, turn.y, turn.z), std::abs(turn.w));
  take(angle / kFarTurned, joint, worst, count,
       [&] { return fmt::format("begins turned by {:.3g} rad against the q that it has in the scene", angle); });
}

std::string others(int count) { return count < 2 ? "" : fmt::format(", and {} more like it", count - 1); }

// What has no q in the scene, and a motor says where it is.
bool is_placed_by_motor(const ModelData& model, const JointData& joint) {
  const JointSpec& spec = model.parts->joints[static_cast<std::size_t>(&joint - model.joints.data())];
  return spec.q.empty() && std::any_of(model.motors.begin(), model.motors.end(), [&](const MotorData& motor) {
           return is_prescribed(motor) && motor.kind == MotorKind::kPosition && motor.dof.is_in_tree() &&
                  motor.dof.u_index >= joint.u_index && motor.dof.u_index < joint.u_index + u_count(joint.type);
         });
}

bool has_coordinates(const JointData& joint) { return joint.link >= 0 && joint.closure < 0; }

}  // namespace

bool warn_of_moved_joints(const ModelData& model, const State& start, const std::string& closes,
                          std::vector<Diagnostic>& warnings) {
  Change worst;
  int count = 0;
  const double far = kFarMoved * mechanism_size(model);
  for (const JointData& joint : model.joints)
    if (has_coordinates(joint) && !is_placed_by_motor(model, joint))
      look_at_positions(model, joint, start, far, worst, count);
  if (worst.times <= 1) return false;
  warnings.push_back({model.parts->joints[static_cast<std::size_t>(worst.joint - model.joints.data())].where,
                      fmt::format("joint '{}' {}, moved with others until {} fits{}", worst.joint->name, worst.text,
                                  closes.empty() ? "all" : closes, others(count)),
                      "begin with joint coordinates that nearly fit: there may be several ways to close it",
                      Severity::kWarning});
  return true;
}

bool warn_of_changed_speeds(const ModelData& model, const State& start, std::vector<Diagnostic>& warnings) {
  Change worst;
  int count = 0;
  double largest = 0;
  for (const double u : model.initial_u) largest = std::max(largest, std::abs(u));
  for (const JointData& joint : model.joints) {
    if (!has_coordinates(joint)) continue;
    for (int k = 0; k < u_count(joint.type); ++k) {
      const double given = model.initial_u[joint.u_index + k], now = start.u[joint.u_index + k];
      if (std::abs(given) <= std::max(kSmallSpeed * largest, kNoSpeed)) continue;
      take(std::abs(now - given) / (kChanged * std::abs(given)), joint, worst, count, [&] {
        return fmt::format("has u{} = {:.4g} in the scene and begins with {:.4g}", place_of(joint, k), given, now);
      });
    }
  }
  if (worst.times <= 1) return false;
  warnings.push_back({model.parts->joints[static_cast<std::size_t>(worst.joint - model.joints.data())].where,
                      fmt::format("joint '{}' {}, since loops, gears, rods and drives ask for it{}", worst.joint->name,
                                  worst.text, others(count)),
                      "give the joints that move with it their speeds too", Severity::kWarning});
  return true;
}

}  // namespace lipkin
