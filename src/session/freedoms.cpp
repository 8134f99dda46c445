#include "session/freedoms.hpp"

#include <fmt/format.h>

#include <limits>
#include <vector>

#include "model/eigen_convert.hpp"
#include "model/frames.hpp"
#include "tree/closure_rows.hpp"

namespace lipkin {

namespace {

using Isometry = Eigen::Isometry3d;

Isometry isometry(const Pose& pose) {
  Isometry X = Isometry::Identity();
  X.linear() = pose.orientation.normalized().toRotationMatrix();
  X.translation() = pose.position;
  return X;
}

Isometry isometry(const Transform<double>& t) { return isometry(to_eigen(t)); }

Pose pose_of(const Isometry& X) { return {X.translation(), Eigen::Quaterniond(X.linear()).normalized()}; }

// A joint type and how its frame F stands in S.
struct Placement {
  JointType type = JointType::kFixed;
  Eigen::Vector3d axis{0, 0, 1};                       // in F
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  // F in S
};

int first(const Freedoms& f, int begin) {
  for (int k = 0; k < 3; ++k)
    if (f[begin + k]) return k;
  return -1;
}

// A right-handed frame with x and y along two of S's axes.
Eigen::Matrix3d frame_of(int x, int y) {
  Eigen::Matrix3d axes;
  axes.col(0) = Eigen::Vector3d::Unit(x);
  axes.col(1) = Eigen::Vector3d::Unit(y);
  axes.col(2) = axes.col(0).cross(axes.col(1));
  return axes;
}

Placement placement_of(const Freedoms& f) {
  const int rotations = f[0] + f[1] + f[2], translations = f[3] + f[4] + f[5];
  const int r = first(f, 0), t = first(f, 3);
  if (rotations == 0 && translations == 0) return {};
  if (rotations == 3 && translations == 3) return {JointType::kFree};
  if (rotations == 3 && translations == 0) return {JointType::kBall};
  if (rotations == 1 && translations == 0) return {JointType::kRevolute, Eigen::Vector3d::Unit(r)};
  if (rotations == 0 && translations == 1) return {JointType::kPrismatic, Eigen::Vector3d::Unit(t)};
  if (rotations == 1 && translations == 1 && r == t) return {JointType::kCylindrical, Eigen::Vector3d::Unit(r)};
  if (rotations == 2 && translations == 0) {
    const int second = f[2] ? 2 : 1;
    return {JointType::kUniversal, {0, 0, 1}, frame_of(r, second)};
  }
  if (rotations == 1 && translations == 2 && !f[3 + r])
    return {JointType::kPlanar, {0, 0, 1}, frame_of((r + 1) % 3, (r + 2) % 3)};
  throw InvalidArgument(fmt::format(
      "no joint has {} rotation{} and {} translation{} free in this way; there are: one rotation (revolute), one "
      "translation (prismatic), both along one axis (cylindrical), two rotations (universal), two translations and the "
      "rotation about the third axis (planar), three rotations (ball), all (free), none (fixed)",
      rotations, rotations == 1 ? "" : "s", translations, translations == 1 ? "" : "s"));
}

// The freedom of the k-th degree of a joint, along its own z-aligned frame F: rotations 0 to 2, translations 3 to 5.
int own_freedom(JointType type, int k) {
  switch (type) {
    case JointType::kRevolute:
    case JointType::kScrew:
      return 2;
    case JointType::kPrismatic:
      return 5;
    case JointType::kCylindrical:
      return k == 0 ? 2 : 5;
    case JointType::kUniversal:
    case JointType::kBall:
      return k;
    case JointType::kPlanar:
      return k == 2 ? 2 : 3 + k;
    case JointType::kFree:
      return k < 3 ? 3 + k : k - 3;
    case JointType::kFixed:
      break;
  }
  return -1;
}

// What the joint does at its coordinates, in its z-aligned frame.
Isometry motion_at(JointType type, const double* q, const Isometry& full) {
  using Axis = Eigen::AngleAxisd;
  Isometry J = Isometry::Identity();
  switch (type) {
    case JointType::kCylindrical:
      J.translation().z() = q[1];
      [[fallthrough]];
    case JointType::kRevolute:
      J.linear() = Axis(q[0], Eigen::Vector3d::UnitZ()).toRotationMatrix();
      break;
    case JointType::kPrismatic:
      J.translation().z() = q[0];
      break;
    case JointType::kUniversal:
      J.linear() = (Axis(q[0], Eigen::Vector3d::UnitX()) * Axis(q[1], Eigen::Vector3d::UnitY())).toRotationMatrix();
      break;
    case JointType::kPlanar:
      J.translation() = Eigen::Vector3d(q[0], q[1], 0);
      J.linear() = Axis(q[2], Eigen::Vector3d::UnitZ()).toRotationMatrix();
      break;
    case JointType::kBall:
      J.linear() = full.linear();
      break;
    case JointType::kFree:
      return full;
    case JointType::kScrew:
    case JointType::kFixed:
      break;
  }
  return J;
}

// Coordinates as a JointSpec has them.
std::vector<double> coordinates_at(JointType type, const double* q, const Isometry& J) {
  if (type != JointType::kBall && type != JointType::kFree) return {q, q + q_count(type)};
  const Eigen::Vector3d& p = J.translation();
  const Eigen::Quaterniond r(J.linear());
  if (type == JointType::kBall) return {r.w(), r.x(), r.y(), r.z()};
  return {p.x(), p.y(), p.z(), r.w(), r.x(), r.y(), r.z()};
}

// Values given per degree of freedom, for those of the new joint.
std::vector<double> carried(const std::vector<double>& values, const JointSpec& before, const JointSpec& after,
                            const JointHome& home, double otherwise) {
  if (values.empty()) return {};
  const int count = u_count(after.type);
  std::vector<double> result(count, otherwise);
  bool any = false;
  for (int k = 0; k < count; ++k)
    for (int old = 0; old < u_count(before.type); ++old)
      if (freedom_of_dof(before, home, old) == freedom_of_dof(after, home, k)) {
        result[k] = values.size() == 1 ? values[0] : values[old];
        any = true;
      }
  return any ? result : std::vector<double>();
}

bool near(const Pose& a, const Pose& b) {
  constexpr double kSamePlace = 1e-9;  // far below what can be seen, above the rounding of long chains [m], [rad]
  return (a.position - b.position).norm() < kSamePlace && a.orientation.angularDistance(b.orientation) < kSamePlace;
}

}  // namespace

JointHome home_of(const JointSpec& joint) {
  const Isometry axes = isometry(axes_of(joint));
  return {pose_of(isometry(joint.frame_in_parent) * axes), pose_of(isometry(joint.frame_in_child) * axes)};
}

int freedom_of_dof(const JointSpec& joint, const JointHome& home, int k) {
  const int own = own_freedom(joint.type, k);
  if (own < 0) return -1;
  const Eigen::Matrix3d F = (isometry(joint.frame_in_parent) * isometry(axes_of(joint))).linear();
  const Eigen::Vector3d direction = isometry(home.frame_in_parent).linear().transpose() * F.col(own % 3);
  Eigen::Index axis = 0;
  direction.cwiseAbs().maxCoeff(&axis);
  return static_cast<int>(axis) + (own < 3 ? 0 : 3);
}

Freedoms freedoms_of(const JointSpec& joint, const JointHome& home) {
  Freedoms freedoms{};
  for (int k = 0; k < u_count(joint.type); ++k) freedoms[freedom_of_dof(joint, home, k)] = true;
  if (joint.type == JointType::kScrew) freedoms[5] = true;
  return freedoms;
}

JointSpec with_freedoms(const JointSpec& joint, const JointHome& home, const Freedoms& freedoms, const Pose& X_WP,
                        const Pose& X_WC) {
  const Placement placement = placement_of(freedoms);
  JointSpec result = joint;
  result.type = placement.type;
  result.axis = placement.axis;
  result.pitch = 0;
  Isometry turn = Isometry::Identity();
  turn.linear() = placement.axes;
  const Isometry X_PF = isometry(home.frame_in_parent) * turn, home_child = isometry(home.frame_in_child) * turn;
  result.frame_in_parent = pose_of(X_PF);

  const Isometry z = isometry(axes_of(result));
  const Isometry X_WF = isometry(X_WP) * X_PF * z, X_WM = isometry(X_WC) * home_child * z;
  ClosureData closure;
  closure.type = result.type;
  double q[6] = {0, 0, 0, 0, 0, 0};
  if (result.type != JointType::kFixed)
    closure_coordinates(closure, {from_eigen(pose_of(X_WF)), from_eigen(pose_of(X_WM))}, q);
  const Isometry J = motion_at(result.type, q, X_WF.inverse() * X_WM);
  const Pose child = pose_of(isometry(X_WC).inverse() * X_WF * J * z.inverse());
  result.frame_in_child = near(child, pose_of(home_child)) ? pose_of(home_child) : child;

  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (result.type != JointType::kBall) result.max_angle = kNone;
  if (result.type == JointType::kBall || result.type == JointType::kFree) {
    result.lower.clear(), result.upper.clear(), result.stiffness.clear(), result.rest.clear();
  }
  result.lower = carried(result.lower, joint, result, home, -kNone);
  result.upper = carried(result.upper, joint, result, home, kNone);
  result.stiffness = carried(result.stiffness, joint, result, home, 0);
  result.rest = carried(result.rest, joint, result, home, 0);
  result.damping = carried(joint.damping, joint, result, home, 0);
  result.friction = carried(joint.friction, joint, result, home, 0);
  result.armature = carried(joint.armature, joint, result, home, 0);
  result.u.clear();
  result.q.clear();
  if (!result.closes_loop) result.q = coordinates_at(result.type, q, J);
  return result;
}

}  // namespace lipkin
