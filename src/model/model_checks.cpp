// Each part of a model checked on its own: names, numbers, ranges, and who refers to whom.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>
#include <set>

#include "base/expression.hpp"
#include "base/nearest_name.hpp"
#include "model/model_compiler.hpp"

namespace lipkin {

namespace {

bool finite(const Eigen::Ref<const Eigen::MatrixXd>& m) { return m.allFinite(); }

bool finite(const std::vector<double>& values) {
  for (double x : values)
    if (!std::isfinite(x)) return false;
  return true;
}

constexpr std::size_t kMaxNameLength = 1000;

// Copies of a repeated item stand at one place.
bool is_copy(const SourceLocation& a, const SourceLocation& b) {
  return a.line > 0 && a.line == b.line && a.column == b.column && a.file == b.file;
}

// What the values of a joint's q or u are, where they are not as many as it has.
std::string coordinates_hint(JointType type, std::string_view what, const std::vector<double>& values) {
  if (u_count(type) == 0) return fmt::format("leave {} out", what);
  if (what == "q" && type == JointType::kBall) return "a quaternion w, x, y, z: q: [1, 0, 0, 0]";
  if (what == "q" && type == JointType::kFree) {
    const auto at = [&](std::size_t k) { return k < values.size() ? values[k] : 0; };
    Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();
    if (values.size() == 6)  // as roll, pitch and yaw
      turn = Eigen::AngleAxisd(at(5), Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(at(4), Eigen::Vector3d::UnitY()) *
             Eigen::AngleAxisd(at(3), Eigen::Vector3d::UnitX());
    return fmt::format("x, y, z, then a quaternion w, x, y, z: q: [{:g}, {:g}, {:g}, {:.6g}, {:.6g}, {:.6g}, {:.6g}]",
                       at(0), at(1), at(2), turn.w(), turn.x(), turn.y(), turn.z());
  }
  if (what == "u" && type == JointType::kFree) return "vx, vy, vz, then the angular velocity wx, wy, wz";
  return {};
}

}  // namespace

void ModelCompiler::check_names() {
  std::set<std::string> shared;  // by several bodies: their joints have that name too and are not told again
  const auto check = [&](const auto& parts, const char* what, NameIndex* index) {
    NameIndex local;
    NameIndex& names = index ? *index : local;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto& part = parts[i];
      require(!part.name.empty(), part.where, fmt::format("a {} without a name; expected a name", what));
      require(part.name.size() <= kMaxNameLength, part.where,
              fmt::format("{} name of {} characters; expected at most {}", what, part.name.size(), kMaxNameLength));
      if (!names.emplace(part.name, static_cast<int>(i)).second && !shared.contains(part.name))
        error(part.where, fmt::format("the {} '{}' is defined twice", what, part.name),
              is_copy(parts[static_cast<std::size_t>(names.find(part.name)->second)].where, part.where)
                  ? fmt::format("what is repeated needs its index in its name: {}{{i}}", part.name)
                  : fmt::format("give each {} a name of its own", what));
    }
  };
  check(parts_.bodies, "body", &body_index_);
  std::set<std::string> seen;
  for (const BodySpec& body : parts_.bodies)
    if (!seen.insert(body.name).second) shared.insert(body.name);
  check(parts_.joints, "joint", &joint_index_);
  check(parts_.points, "point", &point_index_);
  check(parts_.tendons, "tendon", &tendon_index_);
  check(parts_.springs, "spring", nullptr);
  check(parts_.bushings, "bushing", nullptr);
  check(parts_.forces, "force", nullptr);
  check(parts_.actuators, "actuator", nullptr);
  check(parts_.motors, "motor", nullptr);
  check(parts_.controls, "control", nullptr);
  check(parts_.tyres, "tyre", nullptr);
  check(parts_.inputs, "input", nullptr);
  check(parts_.controllers, "controller", nullptr);
  check(parts_.gears, "gear", nullptr);
  check(parts_.distances, "distance", nullptr);
  check(parts_.materials, "material", &material_index_);
  check(parts_.outputs, "output", nullptr);
  check(parts_.parameters, "parameter", nullptr);
  for (const BodySpec& body : parts_.bodies)
    if (body.name == kWorldName) error(body.where, "a body cannot be named 'world'; that is the immovable ground");
}

void ModelCompiler::check_parameters() {
  require(finite(parts_.gravity), parts_.gravity_where, "gravity is not a finite vector [m/s^2]");
  for (const ParameterSpec& p : parts_.parameters) {
    require(std::isfinite(p.value), p.where, fmt::format("parameter '{}' is not a finite number", p.name));
    if (!is_identifier(p.name) || is_reserved_in_expressions(p.name) || p.name == "t")
      error(p.where, fmt::format("parameter name '{}' cannot be used in expressions", p.name),
            "expected letters, digits and underscores, and no function or constant");
  }
  data_->parameters = parts_.parameters;
  data_->name = parts_.name;
  data_->gravity = {{parts_.gravity.x(), parts_.gravity.y(), parts_.gravity.z()}};
}

void ModelCompiler::check_mass(const BodySpec& body, const MassProperties& mass) {
  if (!std::isfinite(mass.mass) || mass.mass < 0)
    return error(body.where, fmt::format("body '{}': mass is {} kg; expected a number >= 0", body.name, mass.mass));
  if (!finite(mass.com)) return error(body.where, fmt::format("body '{}': com is not finite", body.name));
  if (!finite(mass.inertia)) return error(body.where, fmt::format("body '{}': inertia is not finite", body.name));
  const double scale = mass.inertia.cwiseAbs().maxCoeff();
  if ((mass.inertia - mass.inertia.transpose()).cwiseAbs().maxCoeff() > 1e-12 * scale)
    return error(body.where, fmt::format("body '{}': inertia is not symmetric", body.name));
  const Eigen::Vector3d principal = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(mass.inertia).eigenvalues();
  // Files have few digits: less than a millimetre of radius of gyration, and little beside the other moments.
  const double rounding = std::max(1e-12 * scale, std::min(1e-3 * scale, 1e-6 * mass.mass)) + 1e-30;
  if (principal[0] < -rounding)
    return error(body.where,
                 fmt::format("body '{}': inertia has the negative principal moment {:g} kg m^2; expected all >= 0",
                             body.name, principal[0]));
  if (principal[0] + principal[1] < principal[2] * (1 - 1e-9))
    warn(body.where,
         fmt::format("body '{}': principal moments {:g}, {:g}, {:g} kg m^2 belong to no real body (two of them "
                     "must sum to at least the third)",
                     body.name, principal[0], principal[1], principal[2]));
}

void ModelCompiler::check_frame(const std::string& owner, const Pose& frame, const SourceLocation& where) {
  if (!finite(frame.position) || !frame.orientation.coeffs().allFinite())
    error(where, owner + ": a frame is not finite");
  else if (!(frame.orientation.norm() > 1e-12))
    error(where, owner + ": an orientation is a zero quaternion; expected a unit quaternion");
}

void ModelCompiler::check_bodies() {
  if (parts_.bodies.empty()) warn({parts_.gravity_where.file}, "the model has no bodies");
  for (const BodySpec& body : parts_.bodies) {
    bool weighed = false;
    for (const ShapeSpec& shape : body.shapes) {
      check_shape(fmt::format("body '{}'", body.name), shape);
      weighed = weighed || shape.density || shape.mass;
    }
    if (body.mass_properties && weighed)
      error(body.where, fmt::format("body '{}' has a mass of its own and shapes with mass or density", body.name),
            "give one of the two");
    if (body.mass_properties) check_mass(body, *body.mass_properties);
    if (body.added_inertia) {
      const auto& A = *body.added_inertia;
      require(A.allFinite(), body.where, fmt::format("body '{}': added inertia is not finite", body.name));
      require(!A.allFinite() || (A - A.transpose()).cwiseAbs().maxCoeff() <= 1e-12 * A.cwiseAbs().maxCoeff(),
              body.where, fmt::format("body '{}': added inertia is not symmetric", body.name));
    }
  }
}

void ModelCompiler::check_joint(const JointSpec& joint) {
  const auto name = fmt::format("joint '{}'", joint.name);
  check_frame(name, joint.frame_in_parent, joint.where);
  check_frame(name, joint.frame_in_child, joint.where);
  require(finite(joint.axis) && joint.axis.norm() > 1e-12, joint.where, name + ": axis is zero or not finite");
  require(std::isfinite(joint.pitch), joint.where, name + ": pitch is not finite");
  const std::size_t nq = static_cast<std::size_t>(q_count(joint.type)),
                    nu = static_cast<std::size_t>(u_count(joint.type));
  const auto sized = [&](const std::vector<double>& v, std::size_t n, const char* what, bool one_for_all) {
    const bool fits = v.empty() || v.size() == n || (one_for_all && v.size() == 1 && n > 0);
    if (!fits)
      error(joint.where,
            fmt::format("{}: {} has {} value{}; a {} joint takes {}", name, what, v.size(), v.size() == 1 ? "" : "s",
                        name_of(joint.type), n),
            coordinates_hint(joint.type, what, v));
    require(finite(v), joint.where, fmt::format("{}: {} is not finite", name, what));
  };
  sized(joint.q, nq, "q", false);
  sized(joint.u, nu, "u", false);
  sized(joint.stiffness, nu, "stiffness", true);
  sized(joint.rest, nu, "rest", true);
  sized(joint.damping, nu, "damping", true);
  sized(joint.armature, nu, "armature", true);
  sized(joint.friction, nu, "friction", true);
  for (const auto& [values, what] : {std::pair{&joint.stiffness, "stiffness"}, std::pair{&joint.damping, "damping"},
                                     std::pair{&joint.armature, "armature"}, std::pair{&joint.friction, "friction"}})
    for (double x : *values)
      require(!(x < 0), joint.where, fmt::format("{}: {} is {}; expected a number >= 0", name, what, x));
  const bool quaternion = joint.type == JointType::kBall || joint.type == JointType::kFree;
  if (quaternion && joint.q.size() == nq) {
    double n2 = 0;
    for (std::size_t k = nq - 4; k < nq; ++k) n2 += joint.q[k] * joint.q[k];
    require(n2 > 1e-24, joint.where, name + ": q holds a zero quaternion; expected a unit quaternion w x y z");
  }
}

// Every coordinate has a lower limit at most as large as the upper one; infinite: none.
void ModelCompiler::check_limits(const JointSpec& joint) {
  const auto name = fmt::format("joint '{}'", joint.name);
  const int nu = u_count(joint.type);
  for (const auto& [values, what] : {std::pair{&joint.lower, "lower"}, std::pair{&joint.upper, "upper"}}) {
    if (values->empty()) continue;
    if (values->size() != 1 && static_cast<int>(values->size()) != nu)
      return error(joint.where, fmt::format("{}: {} has {} values; a {} joint takes {}", name, what, values->size(),
                                            name_of(joint.type), nu));
    for (double x : *values) require(!std::isnan(x), joint.where, fmt::format("{}: {} is not a number", name, what));
  }
  for (int k = 0; k < nu; ++k) {
    const double lower = joint_value(joint.lower, k, -kInfinity), upper = joint_value(joint.upper, k, kInfinity);
    require(!(lower > upper), joint.where,
            fmt::format("{}: the lower limit {:.6g} is above the upper limit {:.6g}", name, lower, upper));
    require(lower < kInfinity && upper > -kInfinity, joint.where,
            fmt::format("{}: limits {} and {} leave no room", name, lower, upper));
    if ((lower > -kInfinity || upper < kInfinity) && !has_position(joint.type, k))
      return error(joint.where,
                   fmt::format("{}: the rotations of a {} joint cannot have limits", name, name_of(joint.type)),
                   joint.type == JointType::kBall ? "use max_angle" : "use a revolute or universal joint");
  }
  if (joint.max_angle < kInfinity || std::isnan(joint.max_angle)) {
    require(joint.type == JointType::kBall, joint.where, name + ": max_angle is for ball joints");
    require(joint.max_angle > 0 && joint.max_angle < std::numbers::pi, joint.where,
            fmt::format("{}: max_angle is {} rad; expected a number above 0 and below pi", name, joint.max_angle));
  }
  require(joint.limit_restitution >= 0 && joint.limit_restitution <= 1, joint.where,
          fmt::format("{}: limit_restitution is {}; expected a number from 0 to 1", name, joint.limit_restitution));
}

// What only a joint of the tree can have, and what no loop can be closed by.
void ModelCompiler::check_loop(const JointSpec& joint) {
  const auto name = fmt::format("joint '{}'", joint.name);
  for (const auto& [values, what] :
       {std::pair{&joint.q, "q"}, std::pair{&joint.u, "u"}, std::pair{&joint.armature, "armature"}})
    if (!values->empty())
      error(joint.where, fmt::format("{} closes a loop and cannot be given {}", name, what),
            "its coordinates follow from the bodies it joins");
  if (joint.type == JointType::kFree)
    error(joint.where, name + " closes a loop as a free joint, which holds nothing",
          "give the type of joint that holds the two bodies together");
}

void ModelCompiler::check_joints() {
  for (const JointSpec& joint : parts_.joints) {
    check_joint(joint);
    check_limits(joint);
    if (joint.closes_loop) check_loop(joint);
  }
}

void ModelCompiler::check_connections() {
  joint_of_body_.assign(parts_.bodies.size(), -1);
  if (body_index_.size() < parts_.bodies.size()) return;  // a name that several share says nothing of who hangs on whom
  const std::vector<std::string> known = names_of(body_index_);
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    const JointSpec& joint = parts_.joints[j];
    for (const auto& [role, name] : {std::pair{"parent", &joint.parent}, std::pair{"child", &joint.child}}) {
      const bool world = *name == kWorldName && role == std::string("parent");
      if (!world && !body_index_.contains(*name))
        error(joint.where, fmt::format("joint '{}': there is no body '{}' to be its {}", joint.name, *name, role),
              *name != kWorldName ? did_you_mean(*name, known)
              : joint.closes_loop ? "the world can only be a parent: exchange 'from' and 'to'"
                                  : "the world can only be a parent");
    }
    const auto child = body_index_.find(joint.child);
    if (child == body_index_.end() || joint.closes_loop) continue;
    int& carrier = joint_of_body_[child->second];
    if (carrier >= 0)
      error(joint.where,
            fmt::format("body '{}' is carried by two joints, '{}' and '{}'; a tree needs one", joint.child,
                        parts_.joints[carrier].name, joint.name),
            "a joint that closes a loop belongs under loops");
    carrier = static_cast<int>(j);
  }
  std::vector<int> visited(parts_.bodies.size(), 0);  // 0 new, otherwise the walk that saw it
  int walk = 0;
  for (std::size_t start = 0; start < parts_.bodies.size(); ++start) {
    if (joint_of_body_[start] < 0) {
      error(parts_.bodies[start].where, fmt::format("body '{}' has no joint", parts_.bodies[start].name),
            "every body needs one; type fixed holds it in place, free leaves it loose");
      continue;
    }
    ++walk;
    int body = static_cast<int>(start);
    while (body >= 0 && visited[body] == 0) {
      visited[body] = walk;
      const int joint = joint_of_body_[body];
      if (joint < 0) break;
      const auto parent = body_index_.find(parts_.joints[joint].parent);
      body = parent == body_index_.end() ? -1 : parent->second;
    }
    if (body >= 0 && visited[body] == walk && joint_of_body_[body] >= 0) {
      std::string ring = parts_.bodies[body].name;
      int next = body;
      do {
        next = body_index_.at(parts_.joints[joint_of_body_[next]].parent);
        ring += " -> " + parts_.bodies[next].name;
      } while (next != body);
      error(parts_.joints[joint_of_body_[body]].where, fmt::format("the bodies form a loop of parents: {}", ring),
            "a tree must lead to the world");
    }
  }
}

}  // namespace lipkin
