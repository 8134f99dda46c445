// A scene file from the parts a model was compiled from: one line per body, joint, spring.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/expression.hpp"
#include "io/export/scene_names.hpp"
#include "lipkin/export.hpp"
#include "model/model_compiler.hpp"
#include "model/model_data.hpp"

namespace lipkin {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kControl = "control.";  // a path of its own: names of controls may have dots

// YAML in its flow style; texts in quotes, numbers with as many digits as they need.
std::string flow(const Json& value) {
  std::string text;
  if (value.is_object()) {
    for (const auto& [key, item] : value.items()) text += (text.empty() ? "" : ", ") + key + ": " + flow(item);
    return "{" + text + "}";
  }
  if (value.is_array()) {
    for (const Json& item : value) text += (text.empty() ? "" : ", ") + flow(item);
    return "[" + text + "]";
  }
  return value.is_number_float() ? fmt::format("{}", value.get<double>()) : value.dump();
}

Json json_of(const Eigen::Vector3d& v) { return Json::array({v.x(), v.y(), v.z()}); }
Json json_of(const Eigen::Quaterniond& q) { return Json::array({q.w(), q.x(), q.y(), q.z()}); }

void put_if(Json& item, const char* key, double value, double otherwise) {
  if (value != otherwise) item[key] = value;
}
void put_if(Json& item, const char* key, const std::vector<double>& values) {
  if (!values.empty()) item[key] = values;
}
void put_if(Json& item, const char* key, const std::optional<double>& value) {
  if (value) item[key] = *value;
}
void put_pose(Json& item, const char* at, const char* orientation, const Pose& pose) {
  if (pose.position != Eigen::Vector3d::Zero()) item[at] = json_of(pose.position);
  if (pose.orientation.coeffs() != Eigen::Quaterniond::Identity().coeffs())
    item[orientation] = json_of(pose.orientation);
}

Json points_json(const std::vector<Eigen::Vector3d>& points) {
  Json list = Json::array();
  for (const Eigen::Vector3d& p : points) list.push_back(json_of(p));
  return list;
}

// The form of a shape under its own key.
struct PutGeometry {
  Json& item;

  void operator()(const ShapeSphere& s) const { item["sphere"] = {{"radius", s.radius}}; }
  void operator()(const ShapeBox& s) const { item["box"] = {{"size", json_of(s.size)}}; }
  void operator()(const ShapeCylinder& s) const { item["cylinder"] = {{"radius", s.radius}, {"length", s.length}}; }
  void operator()(const ShapeCapsule& s) const { item["capsule"] = {{"radius", s.radius}, {"length", s.length}}; }
  void operator()(const ShapeFrustum& s) const { item["frustum"] = cone(s); }
  void operator()(const ShapePlane&) const { item["plane"] = Json::object(); }
  void operator()(const ShapeCup& s) const { item["cup"] = cone(s); }
  void operator()(const ShapeHull& s) const { item["hull"] = {{"points", points_json(s.points)}}; }
  void operator()(const ShapeMesh& s) const {
    item["mesh"] = {{"vertices", points_json(s.vertices)}, {"triangles", s.triangles}};
  }
  void operator()(const ShapeHeightField& s) const {
    Json rows = Json::array();
    const auto columns = static_cast<std::ptrdiff_t>(s.columns);
    for (auto row = s.heights.begin(); row != s.heights.end(); row += columns)
      rows.push_back(std::vector<double>(row, row + columns));
    item["height_field"] = {{"size", {s.size_x, s.size_y}}, {"heights", rows}};
  }
  template <typename Cone>
  static Json cone(const Cone& s) {
    return {{"bottom_radius", s.bottom_radius}, {"top_radius", s.top_radius}, {"height", s.height}};
  }
};

class SceneWriter {
 public:
  explicit SceneWriter(const Scene& scene) : scene_(scene), parts_(*scene.model.data().parts) {
    add_names(bodies_, parts_.bodies);
    add_names(joints_, parts_.joints);
    add_names(points_, parts_.points);
    add_names(materials_, parts_.materials);
    add_names(actuators_, parts_.actuators);
    add_names(motors_, parts_.motors);
    add_names(controls_, parts_.controls);
    add_names(gears_, parts_.gears);
    add_names(tendons_, parts_.tendons);
    add_names(elements_, parts_.springs, parts_.bushings, parts_.forces, parts_.distances);
  }

  ExportedModel write() {
    text_ = "lipkin: 1\n";
    line("name", scene_.name);
    if (!scene_.description.empty()) line("description", scene_.description);
    line("gravity", json_of(parts_.gravity));
    warn_of_parameters();
    warn_of_solver_options();
    write_materials();
    write_bodies();
    write_world();
    section("loops", parts_.joints, [this](const JointSpec& s) { return s.closes_loop ? loop(s) : Json(); });
    section("points", parts_.points, [this](const PointSpec& s) { return point(s); });
    section("springs", parts_.springs, [this](const SpringDamperSpec& s) { return spring(s); });
    section("bushings", parts_.bushings, [this](const BushingSpec& s) { return bushing(s); });
    section("forces", parts_.forces, [this](const ForceSpec& s) { return force(s); });
    section("actuators", parts_.actuators, [this](const ActuatorSpec& s) { return actuator(s); });
    section("motors", parts_.motors, [this](const MotorSpec& s) { return motor(s); });
    section("controls", parts_.controls, [this](const ControlSpec& s) { return control(s); });
    section("tyres", parts_.tyres, [this](const TyreSpec& s) { return tyre(s); });
    section("inputs", parts_.inputs, [](const InputSpec& s) { return input(s); });
    section("controllers", parts_.controllers, [this](const ControllerSpec& s) { return controller(s); });
    section("tendons", parts_.tendons, [this](const TendonSpec& s) { return tendon(s); });
    section("gears", parts_.gears, [this](const GearSpec& s) { return gear(s); });
    section("distances", parts_.distances, [this](const DistanceSpec& s) { return distance(s); });
    section("material_pairs", parts_.material_pairs, [this](const MaterialPairSpec& s) { return pair(s); });
    section("contact_filters", parts_.contact_filters, [this](const ContactFilterSpec& s) { return filter(s); });
    write_outputs();
    line("experiment", experiment());
    for (const auto* table :
         {&bodies_, &joints_, &points_, &materials_, &actuators_, &motors_, &controls_, &gears_, &tendons_, &elements_})
      table->report(warnings_);
    return {std::move(text_), std::move(warnings_)};
  }

 private:
  template <typename... Parts>
  static void add_names(SceneNameTable& table, const Parts&... parts) {
    (std::for_each(parts.begin(), parts.end(), [&](const auto& part) { table.add(part.name); }), ...);
  }

  void line(const std::string& key, const Json& value) { text_ += key + ": " + flow(value) + "\n"; }

  // Items that come out as null are left out.
  template <typename Parts, typename Write>
  void section(const char* key, const Parts& parts, const Write& write) {
    std::string items;
    for (const auto& part : parts) {
      const Json item = write(part);
      if (!item.is_null()) items += "  - " + flow(item) + "\n";
    }
    if (!items.empty()) text_ += std::string(key) + ":\n" + items;
  }

  // Everything that follows from a parameter is a number by now: one that stayed would change nothing.
  void warn_of_parameters() {
    if (parts_.parameters.empty()) return;
    warnings_.push_back(
        {{},
         fmt::format("{} parameters are written as the numbers that they are", parts_.parameters.size()),
         {},
         Severity::kWarning});
  }

  // Of `prox`, for those who measure solvers; a scene has no key for them.
  void warn_of_solver_options() {
    const SolverOptions& options = scene_.experiment.solver_options;
    if (options.relaxation == SolverOptions().relaxation && options.jacobi == SolverOptions().jacobi) return;
    warnings_.push_back(
        {{}, "the solver's options 'relaxation' and 'jacobi' are not part of a scene", {}, Severity::kWarning});
  }

  void write_materials() {
    if (parts_.materials.empty()) return;
    text_ += "materials:\n";
    for (const MaterialSpec& m : parts_.materials) {
      Json item = Json::object();
      put_if(item, "friction", m.friction, 0);
      put_if(item, "static_friction", m.static_friction, 0);
      put_if(item, "rolling_friction", m.rolling_friction, 0);
      put_if(item, "spinning_friction", m.spinning_friction, 0);
      put_if(item, "restitution", m.restitution, 0);
      put_if(item, "stiffness", m.stiffness, 0);
      put_if(item, "exponent", m.exponent, 1);
      put_if(item, "damping", m.damping, 0);
      put_if(item, "linear_damping", m.linear_damping, 0);
      text_ += "  " + materials_(m.name) + ": " + flow(item) + "\n";
    }
  }

  // Bodies in the order of the model, each with the joint that carries it.
  void write_bodies() {
    const ModelData& data = scene_.model.data();
    std::string items;
    for (std::size_t b = 0; b < parts_.bodies.size(); ++b) {
      const JointSpec& joint = parts_.joints[static_cast<std::size_t>(data.bodies[b].joint)];
      items += "  - " + flow(body(parts_.bodies[b], joint)) + "\n";
    }
    if (!items.empty()) text_ += "bodies:\n" + items;
  }

  Json body(const BodySpec& body, const JointSpec& joint) {
    Json item = {{"name", bodies_(body.name)}};
    if (joint.parent != kWorldName) item["parent"] = bodies_(joint.parent);
    item["joint"] = tree_joint(joint);
    if (body.mass_properties) {
      const MassProperties& m = *body.mass_properties;
      item["mass"] = m.mass;
      if (m.com != Eigen::Vector3d::Zero()) item["com"] = json_of(m.com);
      const Eigen::Matrix3d& I = m.inertia;
      item["inertia"] = {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};
    }
    if (body.added_inertia) {
      Json rows = Json::array();
      for (int row = 0; row < 6; ++row) {
        Json numbers = Json::array();
        for (int column = 0; column < 6; ++column) numbers.push_back((*body.added_inertia)(row, column));
        rows.push_back(std::move(numbers));
      }
      item["added_inertia"] = std::move(rows);
    }
    if (!body.shapes.empty()) item["shapes"] = shapes(body.shapes);
    return item;
  }

  Json tree_joint(const JointSpec& joint) {
    Json item = joint_settings(joint);
    if (joint.name != joint.child || joints_(joint.name) != bodies_(joint.child)) item["name"] = joints_(joint.name);
    put_pose(item, "at", "orientation", joint.frame_in_parent);
    put_pose(item, "child_at", "child_orientation", joint.frame_in_child);
    put_if(item, "q", joint.q);
    put_if(item, "u", joint.u);
    put_if(item, "armature", joint.armature);
    return item;
  }

  static Json joint_settings(const JointSpec& joint) {
    Json item = {{"type", name_of(joint.type)}};
    const bool has_axis = joint.type == JointType::kRevolute || joint.type == JointType::kPrismatic ||
                          joint.type == JointType::kScrew || joint.type == JointType::kCylindrical;
    if (has_axis) item["axis"] = json_of(joint.axis);
    put_if(item, "pitch", joint.pitch, 0);
    put_if(item, "stiffness", joint.stiffness);
    if (!joint.stiffness.empty()) put_if(item, "rest", joint.rest);
    put_if(item, "damping", joint.damping);
    put_if(item, "friction", joint.friction);
    Json limits = limits_of(joint);
    if (!limits.empty()) {
      item["limits"] = std::move(limits);
    }
    put_if(item, "max_angle", joint.max_angle, kInfinity);
    if (item.contains("limits") || item.contains("max_angle"))
      put_if(item, "limit_restitution", joint.limit_restitution, 0);
    return item;
  }

  // Left out where no coordinate has one; `inf` for those that have none beside others that have.
  static Json limits_of(const JointSpec& joint) {
    Json limits = Json::object();
    const auto put = [&](const char* key, const std::vector<double>& values, double none) {
      Json list = Json::array();
      bool is_limited = false;
      for (const double x : values) {
        is_limited = is_limited || x != none;
        list.push_back(std::isinf(x) ? Json(x > 0 ? "inf" : "-inf") : Json(x));
      }
      if (is_limited) limits[key] = list.size() == 1 ? list[0] : list;
    };
    put("lower", joint.lower, -kInfinity);
    put("upper", joint.upper, kInfinity);
    return limits;
  }

  Json loop(const JointSpec& joint) {
    Json item = {{"name", joints_(joint.name)}};
    item.update(joint_settings(joint));
    item["from"] = frame(joint.parent, joint.frame_in_parent);
    item["to"] = frame(joint.child, joint.frame_in_child);
    return item;
  }

  Json frame(const std::string& body, const Pose& pose) const {
    Json item = {{"body", bodies_(body)}};
    put_pose(item, "at", "orientation", pose);
    return item;
  }

  Json shapes(const std::vector<ShapeSpec>& shapes) const {
    static const ShapeSpec kUsual;
    Json list = Json::array();
    for (const ShapeSpec& shape : shapes) {
      Json item = Json::object();
      std::visit(PutGeometry{item}, shape.geometry);
      put_pose(item, "at", "orientation", shape.pose);
      put_if(item, "density", shape.density);
      put_if(item, "mass", shape.mass);
      if (!shape.contact.empty()) item["contact"] = materials_(shape.contact);
      if (!shape.group.empty()) item["group"] = shape.group;
      if (shape.color != kUsual.color) item["color"] = shape.color;
      list.push_back(std::move(item));
    }
    return list;
  }

  void write_world() {
    if (!parts_.world_shapes.empty()) line("world", Json{{"shapes", shapes(parts_.world_shapes)}});
  }

  Json attachment(const Attachment& at) const {
    if (!at.point.empty()) return points_(at.point);
    return {{"body", bodies_(at.body)}, {"at", json_of(at.position)}};
  }

  Json spring(const SpringDamperSpec& s) const {
    Json item = {{"name", elements_(s.name)}, {"from", attachment(s.a)}, {"to", attachment(s.b)}};
    put_if(item, "stiffness", s.stiffness, 0);
    put_if(item, "damping", s.damping, 0);
    put_if(item, "rest_length", s.rest_length);
    return item;
  }

  Json bushing(const BushingSpec& s) const {
    Json item = {
        {"name", elements_(s.name)}, {"from", frame(s.body_a, s.frame_in_a)}, {"to", frame(s.body_b, s.frame_in_b)}};
    item["stiffness"] = json_of(s.stiffness);
    item["damping"] = json_of(s.damping);
    item["angular_stiffness"] = json_of(s.angular_stiffness);
    item["angular_damping"] = json_of(s.angular_damping);
    return item;
  }

  Json signal(const Signal& signal) const {
    if (const auto* number = std::get_if<double>(&signal.source)) return *number;
    if (const auto* expression = std::get_if<ExpressionText>(&signal.source)) return renamed(expression->text);
    const Table& table = std::get<Table>(signal.source);
    Json rows = Json::array();
    for (std::size_t i = 0; i < table.times.size(); ++i) rows.push_back({table.times[i], table.values[i]});
    return {{"table", rows}};
  }

  Json force(const ForceSpec& s) const {
    Json item = {{"name", elements_(s.name)}};
    if (s.at.point.empty()) {
      item["body"] = bodies_(s.at.body);
      item["at"] = json_of(s.at.position);
    } else {
      item["point"] = points_(s.at.point);
    }
    item["force"] = {signal(s.force[0]), signal(s.force[1]), signal(s.force[2])};
    item["torque"] = {signal(s.torque[0]), signal(s.torque[1]), signal(s.torque[2])};
    if (s.frame == ForceFrame::kBody) item["frame"] = "body";
    return item;
  }

  void put_driven(const std::string& joint, const std::string& tendon, const char* joint_key, const char* tendon_key,
                  Json& item) const {
    if (tendon.empty())
      item[joint_key] = joints_(joint);
    else
      item[tendon_key] = tendons_(tendon);
  }

  Json tendon_part(const Attachment& at) const {
    if (!at.point.empty()) return {{"point", points_(at.point)}};
    return {{"body", bodies_(at.body)}, {"at", json_of(at.position)}};
  }
  Json tendon_part(const TendonWrap& wrap) const {
    Json item = {{"around", wrap.shape == TendonWrap::Shape::kSphere ? "sphere" : "cylinder"},
                 {"body", bodies_(wrap.body)},
                 {"at", json_of(wrap.frame.position)},
                 {"orientation", json_of(wrap.frame.orientation)},
                 {"radius", wrap.radius}};
    if (wrap.side) item["side"] = attachment(*wrap.side);
    return item;
  }
  static Json tendon_part(const TendonPulley& pulley) { return {{"pulley", pulley.divisor}}; }

  Json tendon(const TendonSpec& s) const {
    Json item = {{"name", tendons_(s.name)}};
    for (const TendonSpec::Term& term : s.joints) {
      Json joint = {{"joint", joints_(term.joint)}, {"coefficient", term.coefficient}};
      if (term.dof != 0) joint["dof"] = term.dof;
      item["joints"].push_back(std::move(joint));
    }
    for (const auto& part : s.path)
      item["path"].push_back(std::visit([this](const auto& p) { return this->tendon_part(p); }, part));
    put_if(item, "lower", s.lower, -kInfinity);
    put_if(item, "upper", s.upper, kInfinity);
    put_if(item, "restitution", s.restitution, 0);
    put_if(item, "stiffness", s.stiffness, 0);
    put_if(item, "damping", s.damping, 0);
    put_if(item, "friction", s.friction, 0);
    put_if(item, "armature", s.armature, 0);
    if (s.rest) item["rest"] = {(*s.rest)[0], (*s.rest)[1]};
    return item;
  }

  Json actuator(const ActuatorSpec& s) const {
    Json item = {{"name", actuators_(s.name)}};
    if (s.body.empty()) {
      put_driven(s.joint, s.tendon, "joint", "tendon", item);
    } else {
      put_body_pull(s, item);
    }
    if (s.dof != 0) item["dof"] = s.dof;
    put_if(item, "gear", s.gear, 1);
    if (!s.gears.empty()) item["gear"] = s.gears;
    item["control"] = signal(s.control);
    put_activation(s.activation, item);
    put_if(item, "min", s.min, -kInfinity);
    put_if(item, "max", s.max, kInfinity);
    put_if(item, "max_speed", s.max_speed, kInfinity);
    return item;
  }

  void put_body_pull(const ActuatorSpec& s, Json& item) const {
    item.update(frame(s.body, s.frame));
    item["force"] = json_of(s.force);
    item["torque"] = json_of(s.torque);
    if (s.against.empty()) return;
    const Json against = frame(s.against, {Eigen::Vector3d::Zero(), s.against_axes});
    item["against"] = against.at("body");
    if (against.contains("orientation")) item["against_orientation"] = against.at("orientation");
  }

  static void put_activation(const ActivationSpec& s, Json& item) {
    if (s.kind == ActivationKind::kNone) return;
    Json activation = {{"kind", s.kind == ActivationKind::kFilter ? "filter" : "integrator"}};
    put_if(activation, "time_constant", s.time_constant, 0);
    put_if(activation, "start", s.start, 0);
    put_bounds(s, activation);
    item["activation"] = activation;
  }

  Json control(const ControlSpec& s) const {
    Json item = {{"name", controls_(s.name)}};
    if (!s.actuator.empty()) item["actuator"] = actuators_(s.actuator);
    if (!s.motor.empty()) item["motor"] = motors_(s.motor);
    put_if(item, "scale", s.scale, 1);
    put_if(item, "offset", s.offset, 0);
    put_bounds(s, item);
    return item;
  }

  Json motor(const MotorSpec& s) const {
    Json item = {{"name", motors_(s.name)}};
    put_driven(s.joint, s.tendon, "joint", "tendon", item);
    if (s.dof != 0) item["dof"] = s.dof;
    item[s.kind == MotorKind::kVelocity ? "velocity" : "position"] = signal(s.target);
    put_activation(s.activation, item);
    put_if(item, "max_force", s.max_force, kInfinity);
    put_if(item, "min_force", s.min_force);
    if (s.effort.source.index() != 0 || std::get<double>(s.effort.source) != 1) item["effort"] = signal(s.effort);
    put_if(item, "stiffness", s.stiffness);
    put_if(item, "damping", s.damping, 0);
    return item;
  }

  Json tyre(const TyreSpec& s) const {
    Json item = {{"name", s.name}, {"body", bodies_(s.body)}, {"at", json_of(s.center)}, {"axis", json_of(s.axis)}};
    item["radius"] = s.radius, item["crown"] = s.crown;
    item["stiffness"] = s.stiffness, item["damping"] = s.damping;
    item["friction"] = s.friction;
    put_if(item, "lateral_friction", s.lateral_friction);
    item["slip_stiffness"] = s.slip_stiffness, item["cornering_stiffness"] = s.cornering_stiffness;
    item["relaxation_length"] = s.relaxation_length;
    put_if(item, "lateral_relaxation_length", s.lateral_relaxation_length);
    put_if(item, "tread_damping", s.tread_damping, 0);
    put_if(item, "rolling_resistance", s.rolling_resistance, 0);
    return item;
  }

  template <class Spec>
  static void put_bounds(const Spec& s, Json& item) {
    put_if(item, "min", s.min, -kInfinity);
    put_if(item, "max", s.max, kInfinity);
  }

  static Json input(const InputSpec& s) {
    Json item = {{"name", s.name}, {"value", s.value}};
    put_bounds(s, item);
    if (!s.unit.empty()) item["unit"] = s.unit;
    if (!s.description.empty()) item["description"] = s.description;
    return item;
  }

  Json controller(const ControllerSpec& s) const {
    Json item = {{"name", s.name}};
    put_bounds(s, item);
    if (s.law) {
      item["law"] = signal(*s.law);
      return item;
    }
    item["measured"] = renamed(s.measured), item["target"] = signal(s.target);
    item["p"] = s.p, item["i"] = s.i, item["d"] = s.d;
    put_if(item, "filter", s.filter, 0);
    return item;
  }

  Json gear(const GearSpec& s) const {
    Json item = {{"name", gears_(s.name)}};
    put_driven(s.joint, s.tendon, "joint", "tendon", item);
    put_driven(s.of, s.of_tendon, "of", "of_tendon", item);
    if (s.dof != 0) item["dof"] = s.dof;
    if (s.of_dof != 0) item["of_dof"] = s.of_dof;
    put_if(item, "ratio", s.ratio, 1);
    put_if(item, "offset", s.offset, 0);
    if (!s.curve.empty()) item["curve"] = s.curve;
    return item;
  }

  Json distance(const DistanceSpec& s) const {
    Json item = {{"name", elements_(s.name)}, {"from", attachment(s.a)}, {"to", attachment(s.b)}};
    if (s.lower == s.upper) {
      item["length"] = s.upper;
    } else {
      put_if(item, "lower", s.lower, 0);
      put_if(item, "upper", s.upper, kInfinity);
    }
    put_if(item, "restitution", s.restitution, 0);
    return item;
  }

  Json pair(const MaterialPairSpec& s) const {
    Json item = {{"between", {materials_(s.a), materials_(s.b)}}};
    put_if(item, "friction", s.friction);
    put_if(item, "static_friction", s.static_friction);
    put_if(item, "rolling_friction", s.rolling_friction);
    put_if(item, "spinning_friction", s.spinning_friction);
    put_if(item, "restitution", s.restitution);
    put_if(item, "stiffness", s.stiffness);
    put_if(item, "exponent", s.exponent);
    put_if(item, "damping", s.damping);
    put_if(item, "linear_damping", s.linear_damping);
    return item;
  }

  Json filter(const ContactFilterSpec& s) const {
    if (!s.body_a.empty()) return {{"bodies", {bodies_(s.body_a), bodies_(s.body_b)}}};
    if (s.group_a == s.group_b) return {{"groups", Json::array({s.group_a})}};
    return {{"groups", {s.group_a, s.group_b}}};
  }

  Json point(const PointSpec& s) const {
    Json item = {{"name", points_(s.name)}, {"body", bodies_(s.body)}};
    put_pose(item, "at", "orientation", {s.position, s.orientation});
    if (s.zone) item["zone"] = zone(*s.zone);
    return item;
  }

  static Json zone(const ZoneSpec& zone) {
    switch (zone.kind) {
      case ZoneKind::kBox:
        return {{"box", {{"size", json_of(2 * zone.half)}}}};
      case ZoneKind::kEllipsoid:
        return {{"ellipsoid", {{"radii", json_of(zone.half)}}}};
      case ZoneKind::kCylinder:
        return {{"cylinder", {{"radius", zone.half[0]}, {"length", 2 * zone.half[2]}}}};
      case ZoneKind::kCapsule:
        return {{"capsule", {{"radius", zone.half[0]}, {"length", 2 * zone.half[2]}}}};
    }
    return {};
  }

  // An expression with the names that the parts have in the scene, and numbers in place of parameters.
  std::string renamed(const std::string& expression) const {
    return replace_variables(expression, [this](std::string_view variable) { return renamed_variable(variable); });
  }

  std::string renamed_variable(std::string_view variable) const {
    for (const ParameterSpec& p : parts_.parameters)
      if (p.name == variable) return p.value < 0 ? fmt::format("({})", p.value) : fmt::format("{}", p.value);
    const std::size_t first = variable.find('.'), last = variable.rfind('.');
    if (variable.starts_with(kControl))
      return std::string(kControl) + controls_(std::string(variable.substr(kControl.size())));
    if (first == last) return std::string(variable);
    const std::string family(variable.substr(0, first)), name(variable.substr(first + 1, last - first - 1));
    const std::string_view what = variable.substr(last);
    const auto part = [&](const SceneNameTable& table) { return family + "." + table(name) + std::string(what); };
    if (family == "body" || family == "subtree") return part(bodies_);
    if (family == "joint") return part(joints_);
    if (family == "point") return part(points_);
    if (family == "actuator") return part(actuators_);
    if (family == "motor") return part(motors_);
    if (family == "gear") return part(gears_);
    if (family == "tendon") return part(tendons_);
    if (family == "material") return part(materials_);
    if (family == "spring" || family == "distance") return part(elements_);
    if (family == "contact" || family == "relative") return family + "." + two_names(family, name) + std::string(what);
    return std::string(variable);
  }

  // "A.B" of contact.A.B.fx, where each may have dots of its own.
  std::string two_names(const std::string& family, const std::string& names) const {
    const auto known = [&](const std::string& name) -> std::optional<std::string> {
      if (family == "relative" && points_.has(name)) return points_(name);
      if (name == kWorldName || bodies_.has(name)) return bodies_(name);
      return std::nullopt;
    };
    for (auto dot = names.find('.'); dot != names.npos; dot = names.find('.', dot + 1)) {
      const std::optional<std::string> a = known(names.substr(0, dot)), b = known(names.substr(dot + 1));
      if (a && b) return *a + "." + *b;
    }
    return names;
  }

  void write_outputs() {
    if (parts_.outputs.empty()) return;
    text_ += "outputs:\n";
    for (const OutputSpec& output : parts_.outputs) {
      Json item = {{"expr", renamed(output.expression)}};
      if (!output.unit.empty()) item["unit"] = output.unit;
      if (output.on_request) item["evaluate"] = "on_request";
      text_ += "  " + output.name + ": " + flow(item) + "\n";
    }
  }

  Json experiment() const {
    const Experiment& e = scene_.experiment;
    Json item = {{"stepper", name_of(e.stepper)}, {"coordinates", name_of(e.coordinates)},
                 {"solver", name_of(e.solver)},   {"stabilization", name_of(e.stabilization)},
                 {"duration", e.duration},        {"dt", e.dt},
                 {"step", name_of(e.step)},       {"contact", name_of(e.contact)},
                 {"slip_speed", e.slip_speed}};
    // What the stepper does not look at is a warning where it is written: only where somebody has said it.
    const Experiment usual;
    const bool varies = e.step == StepKind::kVariable;
    if (varies || e.dt_min != usual.dt_min || e.dt_max != usual.dt_max)
      item["dt_min"] = e.dt_min, item["dt_max"] = e.dt_max;
    const bool is_judged = is_adaptive(e.stepper) || (varies && e.stepper == StepperKind::kMoreau);
    if (is_judged || e.relative_tolerance != usual.relative_tolerance ||
        e.absolute_tolerance != usual.absolute_tolerance)
      item["relative_tolerance"] = e.relative_tolerance, item["absolute_tolerance"] = e.absolute_tolerance;
    put_if(item, "every", e.every, 0);
    const Tolerated& t = e.tolerated;
    item["tolerated"] = {
        {"length", t.length}, {"angle", t.angle}, {"rate", t.rate}, {"beyond", t.anything ? "go-on" : "stop"}};
    const SolverOptions& s = e.solver_options;
    item["solver_options"] = {{"iterations", s.max_iterations},
                              {"tolerance", s.tolerance},
                              {"impulse_epsilon", s.impulse_epsilon},
                              {"time_limit", s.time_limit}};
    Json commands = Json::array();
    for (const Command& command : e.commands) commands.push_back(this->command(command));
    if (!commands.empty()) item["commands"] = std::move(commands);
    return item;
  }

  Json command(const Command& command) const {
    if (const auto* set = std::get_if<CommandSet>(&command.action))
      return {{"at", command.at}, {"set", {{renamed_variable(set->path), set->value}}}};
    const CommandPush& push = std::get<CommandPush>(command.action);
    Json item = {{"body", bodies_(push.body)},
                 {"force", json_of(push.force)},
                 {"torque", json_of(push.torque)},
                 {"point", json_of(push.point)},
                 {"duration", push.duration}};
    if (push.frame == ForceFrame::kBody) item["frame"] = "body";
    return {{"at", command.at}, {"push", item}};
  }

  const Scene& scene_;
  const ModelParts& parts_;
  SceneNameTable bodies_{"bodies"}, joints_{"joints"}, points_{"points"}, materials_{"materials"};
  SceneNameTable actuators_{"actuators"}, motors_{"motors"}, controls_{"controls"}, gears_{"gears"},
      tendons_{"tendons"}, elements_{"springs, forces and distances"};
  std::string text_;
  std::vector<Diagnostic> warnings_;
};

}  // namespace

ExportedModel write_scene(const Scene& scene) { return SceneWriter(scene).write(); }

}  // namespace lipkin
