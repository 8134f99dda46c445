#include "model/channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/expression_mistakes.hpp"
#include "base/nearest_name.hpp"
#include "model/model_data.hpp"

namespace lipkin {

namespace {

struct Quantity {
  const char* name;
  ChannelKind kind;
  int component;
};

// The scalar quantities of each family; joints are treated apart for their components.
constexpr Quantity kPointQuantities[] = {{"x", ChannelKind::kPointPosition, 0},
                                         {"y", ChannelKind::kPointPosition, 1},
                                         {"z", ChannelKind::kPointPosition, 2},
                                         {"vx", ChannelKind::kPointVelocity, 0},
                                         {"vy", ChannelKind::kPointVelocity, 1},
                                         {"vz", ChannelKind::kPointVelocity, 2},
                                         {"ax", ChannelKind::kPointAcceleration, 0},
                                         {"ay", ChannelKind::kPointAcceleration, 1},
                                         {"az", ChannelKind::kPointAcceleration, 2},
                                         {"qw", ChannelKind::kPointQuaternion, 0},
                                         {"qx", ChannelKind::kPointQuaternion, 1},
                                         {"qy", ChannelKind::kPointQuaternion, 2},
                                         {"qz", ChannelKind::kPointQuaternion, 3},
                                         {"xaxis_x", ChannelKind::kPointAxis, 0},
                                         {"xaxis_y", ChannelKind::kPointAxis, 1},
                                         {"xaxis_z", ChannelKind::kPointAxis, 2},
                                         {"yaxis_x", ChannelKind::kPointAxis, 3},
                                         {"yaxis_y", ChannelKind::kPointAxis, 4},
                                         {"yaxis_z", ChannelKind::kPointAxis, 5},
                                         {"zaxis_x", ChannelKind::kPointAxis, 6},
                                         {"zaxis_y", ChannelKind::kPointAxis, 7},
                                         {"zaxis_z", ChannelKind::kPointAxis, 8},
                                         {"wx", ChannelKind::kPointAngularVelocity, 0},
                                         {"wy", ChannelKind::kPointAngularVelocity, 1},
                                         {"wz", ChannelKind::kPointAngularVelocity, 2},
                                         {"alphax", ChannelKind::kPointAngularAcceleration, 0},
                                         {"alphay", ChannelKind::kPointAngularAcceleration, 1},
                                         {"alphaz", ChannelKind::kPointAngularAcceleration, 2},
                                         {"vbx", ChannelKind::kPointVelocityLocal, 0},
                                         {"vby", ChannelKind::kPointVelocityLocal, 1},
                                         {"vbz", ChannelKind::kPointVelocityLocal, 2},
                                         {"abx", ChannelKind::kPointAccelerationLocal, 0},
                                         {"aby", ChannelKind::kPointAccelerationLocal, 1},
                                         {"abz", ChannelKind::kPointAccelerationLocal, 2},
                                         {"wbx", ChannelKind::kPointAngularVelocityLocal, 0},
                                         {"wby", ChannelKind::kPointAngularVelocityLocal, 1},
                                         {"wbz", ChannelKind::kPointAngularVelocityLocal, 2},
                                         {"alphabx", ChannelKind::kPointAngularAccelerationLocal, 0},
                                         {"alphaby", ChannelKind::kPointAngularAccelerationLocal, 1},
                                         {"alphabz", ChannelKind::kPointAngularAccelerationLocal, 2},
                                         {"imu_ax", ChannelKind::kPointSpecificForce, 0},
                                         {"imu_ay", ChannelKind::kPointSpecificForce, 1},
                                         {"imu_az", ChannelKind::kPointSpecificForce, 2},
                                         {"load_fx", ChannelKind::kPointLoad, 0},
                                         {"load_fy", ChannelKind::kPointLoad, 1},
                                         {"load_fz", ChannelKind::kPointLoad, 2},
                                         {"load_nx", ChannelKind::kPointLoad, 3},
                                         {"load_ny", ChannelKind::kPointLoad, 4},
                                         {"load_nz", ChannelKind::kPointLoad, 5}};
constexpr Quantity kNamedPointQuantities[] = {{"touch", ChannelKind::kPointTouch, 0},
                                              {"range", ChannelKind::kPointRange, 0}};
constexpr Quantity kBodyQuantities[] = {{"fx", ChannelKind::kBodyLoad, 0}, {"fy", ChannelKind::kBodyLoad, 1},
                                        {"fz", ChannelKind::kBodyLoad, 2}, {"nx", ChannelKind::kBodyLoad, 3},
                                        {"ny", ChannelKind::kBodyLoad, 4}, {"nz", ChannelKind::kBodyLoad, 5}};
constexpr Quantity kRelativeQuantities[] = {
    {"x", ChannelKind::kRelativePosition, 0},         {"y", ChannelKind::kRelativePosition, 1},
    {"z", ChannelKind::kRelativePosition, 2},         {"vx", ChannelKind::kRelativeVelocity, 0},
    {"vy", ChannelKind::kRelativeVelocity, 1},        {"vz", ChannelKind::kRelativeVelocity, 2},
    {"qw", ChannelKind::kRelativeQuaternion, 0},      {"qx", ChannelKind::kRelativeQuaternion, 1},
    {"qy", ChannelKind::kRelativeQuaternion, 2},      {"qz", ChannelKind::kRelativeQuaternion, 3},
    {"xaxis_x", ChannelKind::kRelativeAxis, 0},       {"xaxis_y", ChannelKind::kRelativeAxis, 1},
    {"xaxis_z", ChannelKind::kRelativeAxis, 2},       {"yaxis_x", ChannelKind::kRelativeAxis, 3},
    {"yaxis_y", ChannelKind::kRelativeAxis, 4},       {"yaxis_z", ChannelKind::kRelativeAxis, 5},
    {"zaxis_x", ChannelKind::kRelativeAxis, 6},       {"zaxis_y", ChannelKind::kRelativeAxis, 7},
    {"zaxis_z", ChannelKind::kRelativeAxis, 8},       {"wx", ChannelKind::kRelativeAngularVelocity, 0},
    {"wy", ChannelKind::kRelativeAngularVelocity, 1}, {"wz", ChannelKind::kRelativeAngularVelocity, 2}};
constexpr Quantity kSubtreeQuantities[] = {
    {"mass", ChannelKind::kSubtreeMass, 0},          {"x", ChannelKind::kSubtreeCenter, 0},
    {"y", ChannelKind::kSubtreeCenter, 1},           {"z", ChannelKind::kSubtreeCenter, 2},
    {"vx", ChannelKind::kSubtreeVelocity, 0},        {"vy", ChannelKind::kSubtreeVelocity, 1},
    {"vz", ChannelKind::kSubtreeVelocity, 2},        {"lx", ChannelKind::kSubtreeAngularMomentum, 0},
    {"ly", ChannelKind::kSubtreeAngularMomentum, 1}, {"lz", ChannelKind::kSubtreeAngularMomentum, 2}};
constexpr Quantity kGravityQuantities[] = {
    {"x", ChannelKind::kGravity, 0}, {"y", ChannelKind::kGravity, 1}, {"z", ChannelKind::kGravity, 2}};
constexpr Quantity kComQuantities[] = {
    {"x", ChannelKind::kCenterOfMass, 0},          {"y", ChannelKind::kCenterOfMass, 1},
    {"z", ChannelKind::kCenterOfMass, 2},          {"vx", ChannelKind::kCenterOfMassVelocity, 0},
    {"vy", ChannelKind::kCenterOfMassVelocity, 1}, {"vz", ChannelKind::kCenterOfMassVelocity, 2}};
constexpr Quantity kEnergyQuantities[] = {{"kinetic", ChannelKind::kKineticEnergy, 0},
                                          {"gravitational", ChannelKind::kGravitationalEnergy, 0},
                                          {"elastic", ChannelKind::kElasticEnergy, 0},
                                          {"total", ChannelKind::kTotalEnergy, 0},
                                          {"dampers", ChannelKind::kEnergyBalance, kDampersTerm},
                                          {"joint_friction", ChannelKind::kEnergyBalance, kJointFrictionTerm},
                                          {"contact_friction", ChannelKind::kEnergyBalance, kContactFrictionTerm},
                                          {"impacts", ChannelKind::kEnergyBalance, kImpactsTerm},
                                          {"dissipated", ChannelKind::kEnergyBalance, kDissipatedTerm},
                                          {"motors", ChannelKind::kEnergyBalance, kMotorsTerm},
                                          {"applied", ChannelKind::kEnergyBalance, kAppliedTerm},
                                          {"commands", ChannelKind::kEnergyBalance, kCommandsTerm},
                                          {"stabilization", ChannelKind::kEnergyBalance, kStabilizationTerm},
                                          {"residual", ChannelKind::kEnergyBalance, kEnergyResidualTerm}};
constexpr Quantity kMomentumQuantities[] = {
    {"px", ChannelKind::kLinearMomentum, 0},  {"py", ChannelKind::kLinearMomentum, 1},
    {"pz", ChannelKind::kLinearMomentum, 2},  {"lx", ChannelKind::kAngularMomentum, 0},
    {"ly", ChannelKind::kAngularMomentum, 1}, {"lz", ChannelKind::kAngularMomentum, 2}};
constexpr const char* kMomentumTerms[] = {"gravity", "applied", "ground", "residual"};
constexpr const char* kMomentumComponents[] = {"px", "py", "pz", "lx", "ly", "lz"};
constexpr Quantity kSpringQuantities[] = {{"length", ChannelKind::kSpringLength, 0},
                                          {"rate", ChannelKind::kSpringRate, 0},
                                          {"force", ChannelKind::kSpringForce, 0}};
constexpr Quantity kDistanceQuantities[] = {{"length", ChannelKind::kDistanceLength, 0},
                                            {"rate", ChannelKind::kDistanceRate, 0}};
constexpr Quantity kTendonQuantities[] = {{"length", ChannelKind::kClosurePosition, 0},
                                          {"rate", ChannelKind::kTendonRate, 0},
                                          {"tension", ChannelKind::kTendonTension, 0}};
constexpr Quantity kContactQuantities[] = {{"contact_fx", ChannelKind::kContactForce, 0},
                                           {"contact_fy", ChannelKind::kContactForce, 1},
                                           {"contact_fz", ChannelKind::kContactForce, 2}};
constexpr Quantity kPairQuantities[] = {{"fx", ChannelKind::kContactForce, 0},
                                        {"fy", ChannelKind::kContactForce, 1},
                                        {"fz", ChannelKind::kContactForce, 2}};
constexpr Quantity kReactionQuantities[] = {
    {"fx", ChannelKind::kJointReaction, 0}, {"fy", ChannelKind::kJointReaction, 1},
    {"fz", ChannelKind::kJointReaction, 2}, {"nx", ChannelKind::kJointReaction, 3},
    {"ny", ChannelKind::kJointReaction, 4}, {"nz", ChannelKind::kJointReaction, 5}};
constexpr Quantity kTyreQuantities[] = {{"load", ChannelKind::kTyre, kTyreLoad},
                                        {"slip", ChannelKind::kTyre, kTyreSlip},
                                        {"slip_angle", ChannelKind::kTyre, kTyreSlipAngle},
                                        {"fx", ChannelKind::kTyre, kTyreForward},
                                        {"fy", ChannelKind::kTyre, kTyreLateral},
                                        {"deflection", ChannelKind::kTyre, kTyreDeflection}};
constexpr Quantity kControllerQuantities[] = {{"output", ChannelKind::kController, kControllerOutput},
                                              {"error", ChannelKind::kController, kControllerError}};
constexpr Quantity kMotorQuantities[] = {{"force", ChannelKind::kMotorForce, 0}};
constexpr Quantity kActuatorQuantities[] = {{"control", ChannelKind::kActuatorControl, 0},
                                            {"force", ChannelKind::kActuatorForce, 0}};

[[noreturn]] void unknown(std::string_view full, const std::string& what, std::string_view wanted,
                          const std::vector<std::string>& known) {
  const std::string hint = did_you_mean(wanted, known);
  throw InvalidArgument(fmt::format("unknown variable '{}': {}{}", full, what, hint.empty() ? "" : " (" + hint + ")"));
}

// What to write for a name that lacks its family ("arm.q") or is one of another language ("time").
void refuse_without_family(const ModelData& model, std::string_view full, std::string_view first) {
  const auto refuse = [&](const std::string& hint) {
    throw InvalidArgument(fmt::format("unknown variable '{}' ({})", full, hint));
  };
  if (const std::string hint = hint_for_name(full); !hint.empty()) refuse(hint);
  const auto has = [&](const auto& parts) {
    return std::any_of(parts.begin(), parts.end(), [&](const auto& part) { return part.name == first; });
  };
  const std::string_view what = full.substr(std::min(full.size(), first.size() + 1));
  const bool of_joint = what.empty() || what[0] == 'q' || what[0] == 'u' || what[0] == 'a';
  const std::string ending = what.empty() ? ".q" : "";
  if (of_joint && has(model.joints)) refuse(fmt::format("write joint.{}{}", full, ending));
  if (has(model.bodies)) refuse(fmt::format("write body.{}{}", full, what.empty() ? ".x" : ""));
  if (has(model.points)) refuse(fmt::format("write point.{}{}", full, what.empty() ? ".x" : ""));
}

// What others call the quantities of a joint.
std::string_view joint_quantity_called(std::string_view what) {
  constexpr std::pair<std::string_view, std::string_view> kOthers[] = {
      {"angle", "q"}, {"position", "q"}, {"pos", "q"},      {"x", "q"},       {"phi", "q"},          {"theta", "q"},
      {"s", "q"},     {"qpos", "q"},     {"w", "u"},        {"v", "u"},       {"velocity", "u"},     {"speed", "u"},
      {"vel", "u"},   {"omega", "u"},    {"qd", "u"},       {"dq", "u"},      {"qvel", "u"},         {"rate", "u"},
      {"qdd", "a"},   {"acc", "a"},      {"alpha", "a"},    {"ddq", "a"},     {"acceleration", "a"}, {"qacc", "a"},
      {"f", "tau"},   {"t", "tau"},      {"torque", "tau"}, {"force", "tau"}, {"effort", "tau"}};
  for (const auto& [other, ours] : kOthers)
    if (what == other) return ours;
  return "";
}

template <class Range>
int find_named(std::string_view full, std::string_view family, const Range& items, std::string_view name, int count) {
  std::vector<std::string> known;
  for (int i = 0; i < count; ++i) {
    if (items[i].name == name) return i;
    known.push_back(items[i].name);
  }
  unknown(full, fmt::format("there is no {} '{}'", family, name), name, known);
}

// A body, joint or point by the name of one of the others.
void refuse_other_kind(const ModelData& m, std::string_view full, std::string_view family, std::string_view name,
                       std::string_view what) {
  const auto has = [&](const auto& parts) {
    return std::any_of(parts.begin(), parts.end(), [&](const auto& part) { return part.name == name; });
  };
  const auto refuse = [&](std::string_view other, std::string_view of) {
    throw InvalidArgument(fmt::format("unknown variable '{}': there is no {} '{}' (write {}.{}.{})", full, family, name,
                                      other, of, what));
  };
  if ((family == "body" && has(m.bodies)) || (family == "joint" && has(m.joints)) || what.empty()) return;
  if (family == "point" && std::any_of(m.points.begin() + m.bodies.size(), m.points.end(),
                                       [&](const PointData& point) { return point.name == name; }))
    return;
  if (family == "joint") {
    for (const JointData& joint : m.joints)
      if (joint.closure < 0 && joint.child >= 0 && m.bodies[joint.child].name == name) {
        if (const std::string_view ours = joint_quantity_called(what); !ours.empty()) what = ours;
        refuse("joint", joint.name);
      }
    return;
  }
  if (has(m.bodies)) refuse("body", name);
  if (has(m.points)) refuse("point", name);
  for (const JointData& joint : m.joints)
    if (joint.closure < 0 && joint.child >= 0 && joint.name == name) refuse("body", m.bodies[joint.child].name);
}

template <std::size_t N>
std::optional<Channel> find_quantity(const Quantity (&table)[N], std::string_view name, int index) {
  for (const Quantity& q : table)
    if (q.name == name) return Channel{q.kind, index, q.component};
  return std::nullopt;
}

template <std::size_t... N>
Channel quantity(std::string_view full, std::string_view name, int index, const Quantity (&... tables)[N]) {
  std::optional<Channel> found;
  ((found = found ? found : find_quantity(tables, name, index)), ...);
  if (found) return *found;
  std::vector<std::string> known;
  const auto list = [&known](const auto& table) {
    for (const Quantity& q : table) known.emplace_back(q.name);
  };
  (list(tables), ...);
  if (name.empty())
    unknown(full, fmt::format("write {}.WHAT, with WHAT one of {}", full, fmt::join(known, ", ")), name, known);
  unknown(full, fmt::format("there is no '{}' here, expected one of {}", name, fmt::join(known, ", ")), name, known);
}

Channel joint_channel(const ModelData& model, std::string_view full, std::string_view name, std::string_view what) {
  const int index = find_named(full, "joint", model.joints, name, static_cast<int>(model.joints.size()));
  if (const auto reaction = find_quantity(kReactionQuantities, what, index)) return *reaction;
  const JointData& joint = model.joints[index];
  int component = -1;  // not given
  std::string_view base = what;
  bool good_index = true;
  if (const auto bracket = what.find('['); bracket != what.npos) {
    base = what.substr(0, bracket);
    const char* end = what.data() + what.size() - 1;
    const auto read = std::from_chars(what.data() + bracket + 1, end, component);
    good_index = what.back() == ']' && read.ec == std::errc() && read.ptr == end && component >= 0;
  }
  ChannelKind kind = ChannelKind::kJointPosition;
  if (base == "u")
    kind = ChannelKind::kJointVelocity;
  else if (base == "a")
    kind = ChannelKind::kJointAcceleration;
  else if (base == "tau")
    kind = ChannelKind::kJointForce;
  else if (base == "limit")
    kind = ChannelKind::kLimitForce;
  else if (base != "q") {
    const std::string_view meant = joint_quantity_called(base);
    unknown(full,
            fmt::format("there is no '{}' here, expected one of q, u, a, tau, limit, fx, fy, fz, nx, ny, nz{}", what,
                        meant.empty() ? "" : fmt::format(" (write joint.{}.{})", name, meant)),
            base, {});
  }
  const bool position = kind == ChannelKind::kJointPosition;
  const bool closes_loop = joint.closure >= 0;
  const bool quaternion = position && closes_loop && joint.type == JointType::kBall;
  const int count = position && (!closes_loop || quaternion) ? q_count(joint.type) : u_count(joint.type);
  if (component < 0 && count == 1) component = 0;
  if (!good_index || component < 0 || component >= count)
    unknown(full,
            count == 0 ? "a fixed joint has no coordinates"
                       : fmt::format("the {} joint '{}' has {}[0] to {}[{}]", name_of(joint.type), name, base, base,
                                     count - 1),
            what, {});
  if (kind == ChannelKind::kLimitForce) return {kind, index, component};
  if (closes_loop && kind == ChannelKind::kJointForce) return {ChannelKind::kClosureForce, index, component};
  if (closes_loop && kind == ChannelKind::kJointAcceleration)
    return {ChannelKind::kClosureAcceleration, joint.closure, component};
  if (closes_loop && !position) return {ChannelKind::kClosureVelocity, joint.closure, component};
  if (quaternion) return {ChannelKind::kClosureQuaternion, joint.closure, component};
  if (closes_loop)
    return {ChannelKind::kClosurePosition, model.closures[joint.closure].coordinate_index + component, 0};
  return {kind, (position ? joint.q_index : joint.u_index) + component, 0};
}

}  // namespace

namespace {

// "A.B.fx": the force on body A where B touches it. Names may have dots themselves.
Channel contact_channel(const ModelData& m, std::string_view full, std::string_view names, std::string_view what) {
  const auto body_of = [&](std::string_view name) {
    if (name == kWorldName) return Channel::kWorld;
    for (std::size_t i = 0; i < m.bodies.size(); ++i)
      if (m.bodies[i].name == name) return static_cast<int>(i);
    return Channel::kAnyBody;
  };
  for (auto dot = names.find('.'); dot != names.npos; dot = names.find('.', dot + 1)) {
    const int a = body_of(names.substr(0, dot)), b = body_of(names.substr(dot + 1));
    if (a < 0 || b == Channel::kAnyBody) continue;
    Channel channel = quantity(full, what, a, kPairQuantities);
    channel.other = b;
    return channel;
  }
  unknown(full, "expected contact.BODY.OTHER.fx with the names of two bodies, or of a body and 'world'", names, {});
}

// A point by name, or the frame of a body by the body's; kWorld: the world. kAnyBody where there is none.
int find_frame(const ModelData& m, std::string_view name) {
  if (name == kWorldName) return Channel::kWorld;
  for (std::size_t i = m.points.size(); i-- > 0;)
    if (m.points[i].name == name) return static_cast<int>(i);
  return Channel::kAnyBody;
}

// "A.B.x": where A is as seen from B. Names may have dots themselves.
Channel relative_channel(const ModelData& m, std::string_view full, std::string_view names, std::string_view what) {
  for (auto dot = names.find('.'); dot != names.npos; dot = names.find('.', dot + 1)) {
    const int a = find_frame(m, names.substr(0, dot)), b = find_frame(m, names.substr(dot + 1));
    if (a == Channel::kAnyBody || b == Channel::kAnyBody) continue;
    Channel channel = quantity(full, what, a, kRelativeQuantities);
    channel.other = b;
    return channel;
  }
  unknown(full, "expected relative.A.B.x with the names of two points or bodies, or 'world'", names, {});
}

Channel subtree_channel(const ModelData& m, std::string_view full, std::string_view name, std::string_view what) {
  if (name == kWorldName) return quantity(full, what, Channel::kWorld, kSubtreeQuantities);
  const int body = find_named(full, "body", m.bodies, name, static_cast<int>(m.bodies.size()));
  return quantity(full, what, body, kSubtreeQuantities);
}

Channel point_channel(const ModelData& m, std::string_view full, std::string_view name, std::string_view what) {
  const int bodies = static_cast<int>(m.bodies.size()), count = static_cast<int>(m.points.size()) - bodies;
  const int index = bodies + find_named(full, "point", m.points.data() + bodies, name, count);
  const Channel channel = quantity(full, what, index, kPointQuantities, kNamedPointQuantities);
  if (channel.kind == ChannelKind::kPointTouch && m.points[index].zone < 0)
    unknown(full, fmt::format("point '{}' has no zone to feel contacts in", name), what, {});
  return channel;
}

// "px", ..., or "ground.px", ...: the momentum, or an impulse of its balance.
Channel momentum_channel(std::string_view full, std::string_view rest) {
  const auto dot = rest.find('.');
  if (dot == rest.npos) return quantity(full, rest, 0, kMomentumQuantities);
  const std::string_view term = rest.substr(0, dot), component = rest.substr(dot + 1);
  for (int i = 0; i < kMomentumTermCount; ++i)
    for (int k = 0; k < 6; ++k)
      if (term == kMomentumTerms[i] && component == kMomentumComponents[k])
        return {ChannelKind::kMomentumBalance, i, k};
  unknown(full,
          fmt::format("expected momentum.TERM.COMPONENT with one of {}, and one of {}", fmt::join(kMomentumTerms, ", "),
                      fmt::join(kMomentumComponents, ", ")),
          term, {std::begin(kMomentumTerms), std::end(kMomentumTerms)});
}

}  // namespace

namespace {

Channel controller_channel(const ModelData& m, std::string_view full, std::string_view name, std::string_view what) {
  const int index = find_named(full, "controller", m.controllers, name, static_cast<int>(m.controllers.size()));
  const Channel channel = quantity(full, what, index, kControllerQuantities);
  if (channel.component == kControllerError && !m.controllers[index].is_pid)
    unknown(full, fmt::format("controller '{}' has a law of its own and output only", name), what, {});
  return {ChannelKind::kController, m.controllers[index].memory + channel.component, 0};
}

}  // namespace

Channel find_channel(const ModelData& m, std::string_view full) {
  if (full == "t") return {ChannelKind::kTime, 0, 0};
  const auto first = full.find('.');
  const std::string_view family = full.substr(0, first);
  const std::string_view rest = first == full.npos ? std::string_view() : full.substr(first + 1);
  if (family == "com") return quantity(full, rest, 0, kComQuantities);
  if (family == "energy") return quantity(full, rest, 0, kEnergyQuantities);
  if (family == "momentum") return momentum_channel(full, rest);
  if (family == "gravity") return quantity(full, rest, 0, kGravityQuantities);
  const auto second = rest.rfind('.');
  const std::string_view name = rest.substr(0, second);
  const std::string_view what = second == rest.npos ? std::string_view() : rest.substr(second + 1);
  const int bodies = static_cast<int>(m.bodies.size());
  if (family == "joint" || family == "body" || family == "point") refuse_other_kind(m, full, family, name, what);
  if (family == "joint") return joint_channel(m, full, name, what);
  if (family == "body")
    return quantity(full, what, find_named(full, "body", m.bodies, name, bodies), kPointQuantities, kBodyQuantities,
                    kContactQuantities);
  if (family == "point") return point_channel(m, full, name, what);
  if (family == "relative") return relative_channel(m, full, name, what);
  if (family == "subtree") return subtree_channel(m, full, name, what);
  if (family == "spring")
    return quantity(full, what, find_named(full, "spring", m.springs, name, static_cast<int>(m.springs.size())),
                    kSpringQuantities);
  if (family == "distance")
    return quantity(full, what, find_named(full, "distance", m.distances, name, static_cast<int>(m.distances.size())),
                    kDistanceQuantities);
  if (family == "tendon") {
    const int index = find_named(full, "tendon", m.tendons, name, static_cast<int>(m.tendons.size()));
    Channel channel = quantity(full, what, index, kTendonQuantities);
    if (channel.kind == ChannelKind::kClosurePosition) channel.index = m.tendons[index].coordinate_index;
    return channel;
  }
  if (family == "contact") return contact_channel(m, full, name, what);
  if (family == "input")
    return {ChannelKind::kInput, find_named(full, "input", m.inputs, rest, static_cast<int>(m.inputs.size())), 0};
  if (family == "controller") return controller_channel(m, full, name, what);
  if (family == "tyre")
    return quantity(full, what, find_named(full, "tyre", m.tyres, name, static_cast<int>(m.tyres.size())),
                    kTyreQuantities);
  if (family == "motor")
    return quantity(full, what, find_named(full, "motor", m.motors, name, static_cast<int>(m.motors.size())),
                    kMotorQuantities);
  if (family == "actuator")
    return quantity(full, what, find_named(full, "actuator", m.actuators, name, static_cast<int>(m.actuators.size())),
                    kActuatorQuantities);
  std::vector<std::string> known = {"t",       "joint",  "body",     "point",      "relative", "subtree",  "com",
                                    "gravity", "energy", "momentum", "spring",     "distance", "actuator", "motor",
                                    "contact", "tyre",   "input",    "controller", "tendon"};
  for (const ParameterSpec& p : m.parameters) known.push_back(p.name);
  refuse_without_family(m, full, family);
  std::string own;
  constexpr std::size_t kMost = 8;
  if (!m.parameters.empty() && m.parameters.size() <= kMost)
    own = fmt::format("{} {}", m.parameters.size() == 1 ? "the parameter" : "one of the parameters",
                      fmt::join(known.end() - m.parameters.size(), known.end(), ", "));
  unknown(full,
          "expected " + (own.empty() ? "a parameter" : own) +
              ", t, or a name that begins with joint, body, point, relative, subtree, com, gravity, "
              "energy, momentum, spring, distance, tendon, actuator, motor, contact, tyre, input or controller",
          family, known);
}

ChannelNeed need_of(const Channel& channel) {
  switch (channel.kind) {
    case ChannelKind::kTime:
    case ChannelKind::kJointPosition:
    case ChannelKind::kJointVelocity:
    case ChannelKind::kClosurePosition:
    case ChannelKind::kInput:
    case ChannelKind::kController:
    case ChannelKind::kGravity:
      return ChannelNeed::kState;
    case ChannelKind::kJointAcceleration:
    case ChannelKind::kJointForce:
    case ChannelKind::kPointAcceleration:
    case ChannelKind::kPointAngularAcceleration:
    case ChannelKind::kPointAccelerationLocal:
    case ChannelKind::kPointAngularAccelerationLocal:
    case ChannelKind::kPointSpecificForce:
    case ChannelKind::kBodyLoad:
    case ChannelKind::kActuatorControl:
    case ChannelKind::kActuatorForce:
      return ChannelNeed::kDynamics;
    case ChannelKind::kMotorForce:
    case ChannelKind::kTendonTension:
    case ChannelKind::kLimitForce:
    case ChannelKind::kJointReaction:
    case ChannelKind::kClosureAcceleration:
    case ChannelKind::kClosureForce:
    case ChannelKind::kContactForce:
    case ChannelKind::kPointLoad:
    case ChannelKind::kPointTouch:
    case ChannelKind::kEnergyBalance:
    case ChannelKind::kMomentumBalance:
      return ChannelNeed::kReactions;
    default:
      return ChannelNeed::kKinematics;
  }
}

ChannelNeed ChannelExpression::need() const {
  ChannelNeed need = ChannelNeed::kState;
  for (const Channel& c : channels) need = std::max(need, need_of(c));
  return need;
}

bool ChannelExpression::needs_balance() const {
  return std::any_of(channels.begin(), channels.end(), [](const Channel& c) {
    return c.kind == ChannelKind::kEnergyBalance || c.kind == ChannelKind::kMomentumBalance;
  });
}

}  // namespace lipkin
