// What the coordinates and bodies of the tree must obey: loops, limits, joint friction, motors, gears and distances.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/nearest_name.hpp"
#include "model/bilateral_laws.hpp"
#include "model/eigen_convert.hpp"
#include "model/frames.hpp"
#include "model/model_compiler.hpp"
#include "model/rated_channels.hpp"

namespace lipkin {

namespace {

// What tells one coordinate of the model from another.
std::tuple<int, int, int, int> key_of(const DofRef& dof) { return {dof.u_index, dof.closure, dof.k, dof.tendon}; }

}  // namespace

void ModelCompiler::build_closures() {
  ModelData& m = *data_;
  const auto link_frame = [&](int body) { return body < 0 ? Transform<double>::identity() : m.bodies[body].X_LB; };
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    const JointSpec& spec = parts_.joints[j];
    if (!spec.closes_loop) continue;
    const auto parent = body_index_.find(spec.parent);
    JointData& joint = m.joints[j];
    joint.name = spec.name;
    joint.type = spec.type;
    joint.parent = parent == body_index_.end() ? -1 : parent->second;
    joint.child = body_index_.at(spec.child);
    joint.closure = static_cast<int>(m.closures.size());

    ClosureData c{spec.name,
                  spec.type,
                  joint.parent < 0 ? 0 : m.bodies[joint.parent].link,
                  m.bodies[joint.child].link,
                  {},
                  {},
                  spec.pitch,
                  m.closure_coordinate_count};
    if (c.link_a == c.link_b)
      error(spec.where,
            fmt::format("joint '{}' closes a loop between '{}' and '{}', which cannot move against each other",
                        spec.name, spec.parent, spec.child));
    const Transform<double> to_axis = axes_of(spec);
    c.X_AF = link_frame(joint.parent) * from_eigen(spec.frame_in_parent) * to_axis;
    c.X_BM = link_frame(joint.child) * from_eigen(spec.frame_in_child) * to_axis;
    c.X_AF.R = orthonormal(c.X_AF.R);
    c.X_BM.R = orthonormal(c.X_BM.R);
    m.closure_coordinate_count += u_count(spec.type);
    m.closures.push_back(c);
  }
}

DofRef ModelCompiler::dof_of(int joint, int k) const {
  const JointData& data = data_->joints[joint];
  if (data.closure >= 0) return {-1, -1, data.closure, k};
  return {data.u_index + k, has_position(data.type, k) ? data.q_index + k : -1, -1, k};
}

bool ModelCompiler::find_dof(const std::string& name, int k, const std::string& owner, const SourceLocation& where,
                             DofRef& dof) {
  const auto found = joint_index_.find(name);
  if (found == joint_index_.end()) {
    error(where, fmt::format("{}: there is no joint '{}'", owner, name), hint_for_joint(name));
    return false;
  }
  const JointType type = parts_.joints[found->second].type;
  if (k < 0 || k >= u_count(type)) {
    error(where,
          fmt::format("{}: dof {} of the {} joint '{}'; it has {}", owner, k, name_of(type), name, u_count(type)),
          u_count(type) > 0 ? fmt::format("they count from 0: 0 to {}", u_count(type) - 1) : "");
    return false;
  }
  dof = dof_of(found->second, k);
  return true;
}

// A ball joint's own limit of its rotation.
void ModelCompiler::add_ball_limit(int j) {
  const JointSpec& spec = parts_.joints[j];
  if (!(spec.max_angle < kInfinity) || failed()) return;
  const JointData& joint = data_->joints[j];
  const auto link_of = [&](int body) { return body < 0 ? 0 : data_->bodies[body].link; };
  const auto frame_of = [&](int body) { return body < 0 ? Transform<double>::identity() : data_->bodies[body].X_LB; };
  const BallLimitData limit{j,
                            link_of(joint.parent),
                            link_of(joint.child),
                            frame_of(joint.parent) * from_eigen(spec.frame_in_parent),
                            frame_of(joint.child) * from_eigen(spec.frame_in_child),
                            spec.max_angle,
                            spec.limit_restitution};
  data_->ball_limits.push_back(limit);
}

bool ModelCompiler::find_coordinate(const std::string& joint, int k, const std::string& tendon,
                                    const std::string& owner, const SourceLocation& where, DofRef& dof) {
  if (tendon.empty() && joint.empty()) {
    error(where, fmt::format("{}: neither a joint nor a tendon is given; expected one of them", owner));
    return false;
  }
  if (tendon.empty()) return find_dof(joint, k, owner, where, dof);
  const auto found = tendon_index_.find(tendon);
  if (found == tendon_index_.end()) {
    error(where, fmt::format("{}: there is no tendon '{}'", owner, tendon),
          did_you_mean(tendon, names_of(tendon_index_)));
    return false;
  }
  require(joint.empty(), where, fmt::format("{}: a tendon and a joint are given; expected one of them", owner));
  require(k == 0, where, fmt::format("{}: dof {} of tendon '{}'; it has one", owner, k, tendon));
  dof = DofRef{-1, -1, -1, 0, found->second};
  return true;
}

void ModelCompiler::build_joint_rows() {
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    add_joint_rows(static_cast<int>(j));
    add_ball_limit(static_cast<int>(j));
  }
}

// Friction that is given as zero has a row too, so that it can be changed while the model runs.
void ModelCompiler::add_joint_rows(int j) {
  ModelData& m = *data_;
  const JointSpec& spec = parts_.joints[j];
  for (int k = 0; k < u_count(spec.type); ++k) {
    const DofRef dof = dof_of(j, k);
    const LimitData limit{j, dof, joint_value(spec.lower, k, -kInfinity), joint_value(spec.upper, k, kInfinity),
                          spec.limit_restitution};
    if (limit.lower > -kInfinity || limit.upper < kInfinity) {
      m.limits.push_back(limit);
      const double q = dof.q_index >= 0 ? m.initial_q[dof.q_index] : limit.lower;
      if (dof.q_index >= 0 && (q < limit.lower || q > limit.upper))
        warn(spec.where, fmt::format("joint '{}' starts at {:g}, outside its limits {:g} to {:g}", spec.name, q,
                                     limit.lower, limit.upper));
    }
    if (!spec.friction.empty()) m.joint_frictions.push_back({j, dof, joint_value(spec.friction, k)});
    const bool sprung = !spec.stiffness.empty() || !spec.damping.empty();
    if (dof.closure >= 0 && sprung)
      m.row_springs.push_back(
          {dof, joint_value(spec.stiffness, k), joint_value(spec.rest, k), joint_value(spec.damping, k)});
  }
}

void ModelCompiler::check_motor(const MotorSpec& spec, const std::string& owner, const DofRef& dof) {
  if (dof.tendon >= 0) return;
  const JointType type = parts_.joints[joint_index_.at(spec.joint)].type;
  if (spec.kind == MotorKind::kPosition && !has_position(type, dof.k))
    error(spec.where, fmt::format("{}: the rotations of a {} joint have no position to drive to", owner, name_of(type)),
          "use a velocity motor");
}

// A prescribed position needs its rate: without it the body would be put from place to place with no velocity.
void ModelCompiler::refuse_unknown_rates(const MotorData& motor, const std::string& owner,
                                         const SourceLocation& where) {
  const auto* e = std::get_if<ChannelExpression>(&motor.target);
  if (!e || motor.kind != MotorKind::kPosition || !is_prescribed(motor) ||
      motor.activation.kind != ActivationKind::kNone)
    return;
  for (std::size_t k = 0; k < e->channels.size(); ++k) {
    if (has_rate(e->channels[k].kind)) continue;
    error(where,
          fmt::format("{}: a prescribed position cannot follow '{}', since its rate is not known; expected an "
                      "expression of time, positions, lengths and inputs",
                      owner, e->expression.variables()[k]),
          "give the motor a stiffness or a max_force, with which it follows anything, or prescribe its velocity");
    return;
  }
}

void ModelCompiler::build_motors() {
  for (std::size_t i = 0; i < parts_.motors.size(); ++i) {
    const MotorSpec& spec = parts_.motors[i];
    const std::string owner = fmt::format("motor '{}'", spec.name);
    MotorData& motor = data_->motors[i];
    motor.kind = spec.kind;
    motor.max_force = spec.max_force;
    motor.min_force = spec.min_force.value_or(motor.min_force);
    motor.activation = compile_activation(spec.activation, owner, spec.where);
    motor.servo = spec.stiffness.has_value() || (spec.kind == MotorKind::kVelocity && spec.damping > 0);
    motor.stiffness = spec.stiffness.value_or(0);
    motor.damping = spec.damping;
    motor.target = compile_signal(spec.target, owner, spec.where);
    refuse_unknown_rates(motor, owner, spec.where);
    motor.effort = compile_signal(spec.effort, owner, spec.where);
    const double* always = std::get_if<double>(&motor.effort);
    require((always && *always == 1) || std::isfinite(spec.max_force), spec.where,
            owner + ": effort is a part of max_force, which is not given");
    require(spec.max_force > 0 || (spec.min_force && spec.max_force == 0), spec.where,
            fmt::format("{}: max_force is {}; expected a number > 0", owner, spec.max_force));
    require(!spec.min_force || (std::isfinite(*spec.min_force) && *spec.min_force <= 0), spec.where,
            fmt::format("{}: min_force is {}; expected a number <= 0", owner, motor.min_force));
    require(!spec.min_force || std::isfinite(spec.max_force), spec.where, owner + ": min_force goes with a max_force");
    require(!spec.min_force || *spec.min_force < spec.max_force, spec.where,
            owner + ": min_force and max_force are both 0; expected a range");
    require(!spec.stiffness || spec.kind == MotorKind::kPosition, spec.where,
            owner + ": stiffness is for position motors");
    require(!spec.stiffness || (std::isfinite(*spec.stiffness) && *spec.stiffness > 0), spec.where,
            fmt::format("{}: stiffness is {}; expected a number > 0", owner, motor.stiffness));
    require(std::isfinite(spec.damping) && spec.damping >= 0, spec.where,
            fmt::format("{}: damping is {}; expected a number >= 0", owner, spec.damping));
    if (!spec.stiffness && spec.kind == MotorKind::kPosition && spec.damping != 0)
      error(spec.where, owner + ": damping of a position motor goes with a stiffness",
            "write stiffness: 100 beside it, which gives way under a load, or leave damping out: the position is then "
            "held whatever it takes");
    if (find_coordinate(spec.joint, spec.dof, spec.tendon, owner, spec.where, motor.dof))
      check_motor(spec, owner, motor.dof);
  }
  if (!failed()) check_prescribed_motors();
}

// Two motors without a force limit cannot both have their way.
void ModelCompiler::check_prescribed_motors() {
  std::map<std::tuple<int, int, int, int>, std::string> prescribed;
  for (std::size_t i = 0; i < parts_.motors.size(); ++i) {
    const MotorData& motor = data_->motors[i];
    if (!is_prescribed(motor)) continue;
    const auto [other, first] = prescribed.emplace(key_of(motor.dof), motor.name);
    if (!first)
      error(parts_.motors[i].where,
            fmt::format("motors '{}' and '{}' both prescribe the same coordinate of {} '{}'", other->second, motor.name,
                        motor.dof.tendon >= 0 ? "tendon" : "joint", parts_.motors[i].joint + parts_.motors[i].tendon),
            "give one of them a max_force");
  }
}

void ModelCompiler::build_gears() {
  for (const GearSpec& spec : parts_.gears) {
    const std::string owner = fmt::format("gear '{}'", spec.name);
    GearData gear{{spec.ratio, spec.offset, {}}, spec.name, {}, {}};
    require(std::isfinite(spec.ratio), spec.where, owner + ": ratio is not finite");
    require(std::isfinite(spec.offset), spec.where, owner + ": offset is not finite");
    require(spec.curve.size() <= gear.curve.size(), spec.where,
            fmt::format("{}: curve has {} numbers; expected at most {}", owner, spec.curve.size(), gear.curve.size()));
    for (std::size_t k = 0; k < std::min(spec.curve.size(), gear.curve.size()); ++k) {
      require(std::isfinite(spec.curve[k]), spec.where, owner + ": curve is not finite");
      gear.curve[k] = spec.curve[k];
    }
    const bool found = find_coordinate(spec.joint, spec.dof, spec.tendon, owner, spec.where, gear.dof);
    if (!find_coordinate(spec.of, spec.of_dof, spec.of_tendon, owner, spec.where, gear.of) || !found) continue;
    if (key_of(gear.dof) == key_of(gear.of))
      error(spec.where, fmt::format("{}: {} '{}' would follow itself", owner, gear.dof.tendon >= 0 ? "tendon" : "joint",
                                    spec.joint + spec.tendon));
    for (const auto& [joint, k] : {std::pair{&spec.joint, spec.dof}, std::pair{&spec.of, spec.of_dof}}) {
      if (joint->empty()) continue;
      const JointType type = parts_.joints[joint_index_.at(*joint)].type;
      require(has_position(type, k), spec.where,
              fmt::format("{}: the rotations of the {} joint '{}' cannot be geared", owner, name_of(type), *joint));
    }
    data_->gears.push_back(gear);
  }
}

// A rod is closed before the first step as loops are; a rope or a strut comes within its bounds while it runs.
void ModelCompiler::warn_of_starts_out_of_bounds() {
  if (failed() || data_->distances.empty()) return;
  constexpr double kRounding = 1e-9;  // of the length
  const std::vector<Transform<double>> poses = link_poses(*data_, data_->initial_q.data());
  for (std::size_t i = 0; i < data_->distances.size(); ++i) {
    const DistanceData& d = data_->distances[i];
    if (d.lower == d.upper) continue;
    const double length = norm(poses[d.a.link] * d.a.p_L - poses[d.b.link] * d.b.p_L);
    if (length < d.lower * (1 - kRounding) || length > d.upper * (1 + kRounding))
      warn(parts_.distances[i].where, fmt::format("distance '{}' starts at {:g} m, outside its bounds {:g} to {:g} m",
                                                  d.name, length, d.lower, d.upper));
  }
}

void ModelCompiler::build_distances() {
  for (const DistanceSpec& spec : parts_.distances) {
    const std::string owner = fmt::format("distance '{}'", spec.name);
    const DistanceData d{spec.name,
                         point_of(spec.a, owner, spec.where),
                         point_of(spec.b, owner, spec.where),
                         spec.lower,
                         spec.upper,
                         spec.restitution};
    require(std::isfinite(d.lower) && d.lower >= 0, spec.where,
            fmt::format("{}: lower is {} m; expected a number >= 0", owner, d.lower));
    require(d.upper > 0, spec.where, fmt::format("{}: upper is {} m; expected a number > 0", owner, d.upper));
    require(!(d.lower > d.upper), spec.where,
            fmt::format("{}: lower {} m is above upper {} m", owner, d.lower, d.upper));
    require(d.restitution >= 0 && d.restitution <= 1, spec.where,
            fmt::format("{}: restitution is {}; expected a number from 0 to 1", owner, d.restitution));
    require(d.lower > 0 || d.upper < kInfinity, spec.where, owner + " holds nothing; expected lower, upper or both");
    if (!failed() && d.a.link == d.b.link)
      error(spec.where, owner + " lies between two points that cannot move against each other");
    data_->distances.push_back(d);
  }
  warn_of_starts_out_of_bounds();
}

}  // namespace lipkin
