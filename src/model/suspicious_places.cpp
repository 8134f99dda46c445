// Joints that were placed in the world: `at` counts from the parent's frame.
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/eigen_convert.hpp"
#include "model/model_compiler.hpp"
#include "model/suspicious_parts.hpp"

namespace lipkin {
namespace {

using Box = Eigen::AlignedBox3d;

// Of the largest edge of the parent: so far outside of it nobody puts a joint without a reason, and as near to it, and
// to its end, as drawings are exact.
constexpr double kFarOutside = 0.25, kNear = 0.05, kApart = 0.1;

// What of a body is known to be there, in its frame: shapes, the joint that carries it, and as much beyond its centre
// of mass as there is before it.
Box reach_of(const BodySpec& body, const Eigen::Vector3d& carrier) {
  Box box(carrier);
  for (const ShapeSpec& shape : body.shapes) {
    const Box own = bounds(shape.geometry);
    for (int k = 0; k < 8 && !own.isEmpty(); ++k)
      box.extend(shape.pose.position +
                 shape.pose.orientation.normalized() * own.corner(static_cast<Box::CornerType>(k)));
  }
  if (body.mass_properties) box.extend(2 * body.mass_properties->com - carrier);
  return box;
}

// Where joints stand with all coordinates of a tree at zero but those of free bodies, as drawings have them. What looks
// as if it was placed in the world stands there, so that what hangs on it can be looked at too.
class Places {
 public:
  Places(const ModelData& model, const WrittenParts& written) : parts_(*model.parts), written_(written) {
    for (const BodySpec& body : parts_.bodies) bodies_.emplace(body.name, &body);
    for (const JointSpec& joint : parts_.joints)
      if (!joint.closes_loop) carriers_.emplace(joint.child, &joint);
  }

  // Where a joint should be in its parent, if its place is one in the world.
  struct Misplaced {
    const JointSpec* joint;
    Eigen::Vector3d meant;  // in the parent [m]
    double beyond = 0;      // [m]
  };

  std::vector<Misplaced> look() {
    for (const BodySpec& body : parts_.bodies) place(body.name);
    return std::move(misplaced_);
  }

 private:
  void place(const std::string& body) {
    std::vector<const JointSpec*> chain;
    for (std::string next = body; next != kWorldName && !poses_.contains(next);) {
      const auto carrier = carriers_.find(next);
      if (carrier == carriers_.end()) return;
      chain.push_back(carrier->second);
      next = carrier->second->parent;
    }
    for (auto joint = chain.rbegin(); joint != chain.rend(); ++joint) place_child(**joint);
  }

  void place_child(const JointSpec& joint) {
    const Transform<double> X_WP = joint.parent == kWorldName ? Transform<double>::identity() : poses_.at(joint.parent);
    Transform<double> X_PF = from_eigen(joint.frame_in_parent), X_FM = Transform<double>::identity();
    if (const auto meant = meant_place(joint, X_WP)) X_PF.p = from_eigen(*meant);
    if (joint.type == JointType::kFree && joint.q.size() == 7) {
      const std::vector<double>& q = joint.q;
      X_FM = from_eigen(Pose{{q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]}});
    }
    poses_.emplace(joint.child, X_WP * X_PF * X_FM * inverse(from_eigen(joint.frame_in_child)));
  }

  std::optional<Eigen::Vector3d> meant_place(const JointSpec& joint, const Transform<double>& X_WP) {
    const auto parent = bodies_.find(joint.parent);
    if (parent == bodies_.end() || !written_.places.contains(joint.name)) return std::nullopt;
    const Eigen::Vector3d carrier = carriers_.at(joint.parent)->frame_in_child.position;
    const Box reach = reach_of(*parent->second, carrier);
    const double size = reach.sizes().maxCoeff();
    if (!(size > 0) || !std::isfinite(size)) return std::nullopt;
    const Eigen::Vector3d& at = joint.frame_in_parent.position;
    const double beyond = reach.exteriorDistance(at);
    if (!(beyond > kFarOutside * size)) return std::nullopt;
    const Eigen::Vector3d meant = to_eigen(inverse(X_WP) * from_eigen(at));
    if (reach.exteriorDistance(meant) > kNear * size || (meant - carrier).norm() < kApart * size) return std::nullopt;
    misplaced_.push_back({&joint, meant, beyond});
    return meant;
  }

  const ModelParts& parts_;
  const WrittenParts& written_;
  std::unordered_map<std::string, const BodySpec*> bodies_;
  std::unordered_map<std::string, const JointSpec*> carriers_;  // by the body
  std::unordered_map<std::string, Transform<double>> poses_;    // of bodies in the world
  std::vector<Misplaced> misplaced_;
};

// Without the digits that rounding leaves of nothing.
std::string list_of(const Eigen::Vector3d& p) {
  const double smallest = 1e-9 * p.cwiseAbs().maxCoeff();
  const auto clean = [&](double x) { return std::abs(x) > smallest ? x : 0.0; };
  return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", clean(p.x()), clean(p.y()), clean(p.z()));
}

}  // namespace

void look_at_places(const ModelData& model, const WrittenParts& written, std::vector<Diagnostic>& found) {
  std::set<std::pair<int, int>> told;  // copies of a body have the same place
  for (const auto& [joint, meant, beyond] : Places(model, written).look()) {
    const SourceLocation& where = written.places.at(joint->name);
    if (!told.emplace(where.line, where.column).second) continue;
    found.push_back(suspicion(
        where, fmt::format("joint '{}' is {:.3g} m beyond its parent '{}'", joint->name, beyond, joint->parent),
        fmt::format("'at' counts from the parent's frame: for {} in the world write at: {}",
                    list_of(joint->frame_in_parent.position), list_of(meant))));
  }
}

}  // namespace lipkin
