#include "session/model_picture.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/expression.hpp"
#include "model/convex_hull.hpp"
#include "model/parameters.hpp"
#include "session/instances.hpp"
#include "session/shape_json.hpp"

namespace lipkin {

namespace {

Json attachment_json(const Model& model, const ModelParts& parts, const Attachment& at) {
  std::string body = at.body;
  Eigen::Vector3d p = at.position;
  for (const PointSpec& point : parts.points)
    if (!at.point.empty() && point.name == at.point) body = point.body, p = point.position;
  return {{"body", body == kWorldName ? -1 : model.body(body)}, {"p", vector_json(p)}};
}

Json wrap_json(const Model& model, const ModelParts& parts, const TendonWrap& wrap) {
  return {{"around", wrap.shape == TendonWrap::Shape::kSphere ? "sphere" : "cylinder"},
          {"body", wrap.body == kWorldName ? -1 : model.body(wrap.body)},
          {"frame", pose_json(wrap.frame)},
          {"radius", wrap.radius},
          {"side", wrap.side ? attachment_json(model, parts, *wrap.side) : Json(nullptr)}};
}

// What is to be drawn: strings; a tendon over joints alone has none.
Json tendon_json(const Model& model, const ModelParts& parts, const TendonSpec& tendon) {
  Json branches = Json::array();
  bool begins = true;
  for (const auto& part : tendon.path) {
    if (std::holds_alternative<TendonPulley>(part)) {
      begins = true;
      continue;
    }
    if (begins) branches.push_back(Json::array());
    begins = false;
    const auto* wrap = std::get_if<TendonWrap>(&part);
    branches.back().push_back(wrap ? wrap_json(model, parts, *wrap)
                                   : attachment_json(model, parts, std::get<Attachment>(part)));
  }
  return {{"name", tendon.name}, {"branches", std::move(branches)}};
}

Json shapes_json(const std::vector<ShapeSpec>& shapes, int body, SharedGeometries& geometries) {
  Json list = Json::array();
  for (const ShapeSpec& shape : shapes)
    list.push_back(geometries.shared(shape_json(shape), body, static_cast<int>(list.size())));
  return list;
}

Json bodies_json(const Model& model, SharedGeometries& geometries) {
  Json list = Json::array();
  Instances alike;
  for (int b = 0; b < model.body_count(); ++b) {
    const Eigen::Matrix3d I = model.body_inertia(b);
    Json body = {{"mass", model.body_mass(b)},
                 {"com", vector_json(model.body_com(b))},
                 {"inertia", {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)}},
                 {"shapes", shapes_json(model.data().bodies[b].shapes, b, geometries)}};
    const std::string like = body.dump();
    list.push_back(
        alike.instance({{"name", model.body_name(b)}, {"parent", model.joint_parent(model.data().bodies[b].joint)}},
                       std::move(body), like));
  }
  return list;
}

Json dof_json(const JointSpec& joint, int k, const std::string& name) {
  const bool linear = joint.type == JointType::kPrismatic || (joint.type == JointType::kCylindrical && k == 1) ||
                      (joint.type == JointType::kPlanar && k < 2) || (joint.type == JointType::kFree && k < 3);
  const std::string index = u_count(joint.type) == 1 ? "" : "[" + std::to_string(k) + "]";
  return {{"unit", linear ? "m" : "rad"},
          {"lower", number_json(joint_value(joint.lower, k, -kInfinity))},
          {"upper", number_json(joint_value(joint.upper, k, kInfinity))},
          {"friction", joint_value(joint.friction, k)},
          {"damping", joint_value(joint.damping, k)},
          {"stiffness", joint_value(joint.stiffness, k)},
          {"rest", joint_value(joint.rest, k)},
          {"q", has_position(joint.type, k) ? Json(variable_text("joint." + name + ".q" + index)) : Json(nullptr)},
          {"u", variable_text("joint." + name + ".u" + index)}};
}

// Of a table: nothing that could be typed.
Json target_json(const Signal& signal) {
  if (const auto* number = std::get_if<double>(&signal.source)) return *number;
  const auto* expression = std::get_if<ExpressionText>(&signal.source);
  return expression ? Json(expression->text) : Json(nullptr);
}

Json drives_json(const Model& model, const ModelParts& parts, const ModelPicture& picture, Json json) {
  json["motors"] = Json::array(), json["actuators"] = Json::array();
  for (const MotorSpec& m : parts.motors)
    json["motors"].push_back({{"name", m.name},
                              {"joint", m.tendon.empty() ? model.joint(m.joint) : -1},
                              {"tendon", m.tendon},
                              {"dof", m.dof},
                              {"kind", m.kind == MotorKind::kVelocity ? "velocity" : "position"},
                              {"target", target_json(m.target)},
                              {"max_force", number_json(m.max_force)},
                              {"stiffness", m.stiffness ? Json(*m.stiffness) : Json(nullptr)},
                              {"damping", m.damping}});
  for (std::size_t i = 0; i < parts.actuators.size(); ++i) {
    const ActuatorSpec& a = parts.actuators[i];
    json["actuators"].push_back(
        {{"name", a.name},
         {"joint", a.joint.empty() ? -1 : model.joint(a.joint)},
         {"body", a.body.empty() || a.body == kWorldName ? -1 : model.body(a.body)},
         {"tendon", a.tendon},
         {"dof", a.dof},
         {"min", number_json(a.min)},
         {"max", number_json(a.max)},
         {"control", number_json(picture.control[model.control_of_actuator(static_cast<int>(i))])}});
  }
  json["inputs"] = Json::array(), json["tyres"] = Json::array(), json["controllers"] = Json::array();
  for (std::size_t i = 0; i < parts.inputs.size(); ++i)
    json["inputs"].push_back({{"name", parts.inputs[i].name},
                              {"value", picture.inputs[i]},
                              {"min", number_json(parts.inputs[i].min)},
                              {"max", number_json(parts.inputs[i].max)},
                              {"unit", parts.inputs[i].unit},
                              {"description", parts.inputs[i].description}});
  for (const TyreSpec& tyre : parts.tyres)
    json["tyres"].push_back({{"name", tyre.name},
                             {"body", model.body(tyre.body)},
                             {"p", vector_json(tyre.center)},
                             {"axis", vector_json(tyre.axis)},
                             {"radius", tyre.radius},
                             {"crown", tyre.crown}});
  for (const ControllerSpec& c : parts.controllers) {
    const auto replaced = picture.design->replaced_laws.find(c.name);
    const bool is_pid = picture.design->is_pid(c);
    const Signal* law = c.law ? &*c.law : replaced != picture.design->replaced_laws.end() ? &replaced->second : nullptr;
    json["controllers"].push_back({{"name", c.name},
                                   {"kind", is_pid ? "pid" : "law"},
                                   {"waits", is_pid && c.law},
                                   {"law", law ? target_json(*law) : Json(nullptr)},
                                   {"measured", c.measured},
                                   {"target", target_json(c.target)},
                                   {"filter", c.filter},
                                   {"min", number_json(c.min)},
                                   {"max", number_json(c.max)}});
  }
  return json;
}

// The size of what is seen [m]: of the places of bodies and their shapes.
double extent_of(const Model& model, const std::vector<BodyMotion>& motions) {
  Eigen::AlignedBox3d box;
  for (int b = 0; b < model.body_count(); ++b) {
    const Pose& pose = motions[b].pose;
    box.extend(pose.position);
    for (const ShapeSpec& shape : model.data().bodies[b].shapes) {
      const Eigen::Vector3d p = pose.position + pose.orientation * shape.pose.position;
      const double r = shape_radius(shape.geometry);
      box.extend(p + Eigen::Vector3d::Constant(r)), box.extend(p - Eigen::Vector3d::Constant(r));
    }
  }
  const double size = box.isEmpty() ? 0 : box.diagonal().norm();
  return size > 0 ? size : 1;
}

}  // namespace

const ModelParts& ModelPicture::parts() const { return *model.data().parts; }

Json ModelPicture::json() const {
  const ModelParts& p = parts();
  const Eigen::Vector3d g = p.gravity;
  const Eigen::Vector3d up = g.norm() > 0 ? Eigen::Vector3d(-g.normalized()) : Eigen::Vector3d::UnitZ();
  Json json = {{"version", version},        {"name", model.name()},       {"description", description},
               {"gravity", vector_json(g)}, {"up", vector_json(up)},      {"extent", extent_of(model, motions)},
               {"bodies", Json::array()},   {"world", Json::object()},    {"joints", Json::array()},
               {"springs", Json::array()},  {"distances", Json::array()}, {"tendons", Json::array()}};
  SharedGeometries geometries;
  json["bodies"] = bodies_json(model, geometries);
  json["world"]["shapes"] = shapes_json(p.world_shapes, -1, geometries);
  json["joints"] = joints_json();
  for (std::size_t i = 0; i < p.springs.size(); ++i)
    json["springs"].push_back({{"name", p.springs[i].name},
                               {"a", attachment_json(model, p, p.springs[i].a)},
                               {"b", attachment_json(model, p, p.springs[i].b)},
                               {"stiffness", p.springs[i].stiffness},
                               {"damping", p.springs[i].damping},
                               {"rest_length", number_json(p.springs[i].rest_length.value_or(NAN))}});
  for (const DistanceSpec& d : p.distances)
    json["distances"].push_back({{"name", d.name},
                                 {"a", attachment_json(model, p, d.a)},
                                 {"b", attachment_json(model, p, d.b)},
                                 {"lower", number_json(d.lower)},
                                 {"upper", number_json(d.upper)}});
  for (const TendonSpec& tendon : p.tendons) json["tendons"].push_back(tendon_json(model, p, tendon));
  json = drives_json(model, p, *this, std::move(json));
  json["materials"] = Json::array(), json["points"] = Json::array(), json["outputs"] = Json::array();
  for (const MaterialSpec& m : p.materials)
    json["materials"].push_back({{"name", m.name}, {"friction", m.friction}, {"restitution", m.restitution}});
  for (const PointSpec& point : p.points)
    json["points"].push_back({{"name", point.name},
                              {"body", point.body == kWorldName ? -1 : model.body(point.body)},
                              {"p", vector_json(point.position)},
                              {"has_zone", point.zone.has_value()}});
  for (const WatchedChannel& output : outputs)
    json["outputs"].push_back({{"name", output.name}, {"expr", output.expression}, {"unit", output.unit}});
  json["sensors"] = Json::array();
  for (const OutputSpec& output : p.outputs)
    if (output.on_request)
      json["sensors"].push_back({{"name", output.name}, {"expr", output.expression}, {"unit", output.unit}});
  json["parameters"] = parameters_json();
  json["dof"] = model.u_count();
  json["q_count"] = model.q_count(), json["u_count"] = model.u_count();
  return json;
}

Json ModelPicture::joint_json(const JointSpec& joint, const std::string& name) const {
  const JointHome at = design->home(joint);
  Json dofs = Json::array();
  for (int k = 0; k < u_count(joint.type); ++k) dofs.push_back(dof_json(joint, k, name));
  const auto limit = design->breaks.find(joint.name);
  const auto value = [&](std::optional<double> BreakLimit::*member) {
    return limit == design->breaks.end() || !(limit->second.*member) ? Json(nullptr) : Json(*(limit->second.*member));
  };
  return {{"type", name_of(joint.type)},
          {"closes_loop", joint.closes_loop},
          {"frame", pose_json(at.frame_in_parent)},
          {"frame_in_child", pose_json(home_of(joint).frame_in_child)},
          {"freedoms", freedoms_of(joint, at)},
          {"dofs", std::move(dofs)},
          {"break_force", value(&BreakLimit::force)},
          {"break_torque", value(&BreakLimit::torque)}};
}

// Joints are alike but for the names of their channels; one whose name needs quotes there is described by itself.
Json ModelPicture::joints_json() const {
  Json list = Json::array();
  Instances alike;
  for (std::size_t j = 0; j < parts().joints.size(); ++j) {
    const JointSpec& joint = parts().joints[j];
    const std::string channel = "joint." + joint.name + ".u";
    const bool is_plain = variable_text(channel) == channel;
    list.push_back(alike.instance({{"name", joint.name},
                                   {"parent", model.joint_parent(static_cast<int>(j))},
                                   {"child", model.joint_child(static_cast<int>(j))}},
                                  joint_json(joint, joint.name),
                                  is_plain ? joint_json(joint, "_").dump() : "joint " + joint.name));
  }
  return list;
}

Json ModelPicture::parameters_json() const {
  std::unordered_map<std::string, double> initial;
  for (Parameter& parameter : list_parameters(design->base()))
    initial.emplace(std::move(parameter.path), parameter.value);
  ParameterGroups groups;
  for (Parameter& parameter : list_parameters(parts())) {
    const auto was = initial.find(parameter.path);
    const auto is = design->values.find(parameter.path);
    const double value = is == design->values.end() ? parameter.value : is->second;
    const double given = was == initial.end() ? parameter.value : was->second;
    groups.add(std::move(parameter), value, given);
  }
  for (std::size_t i = 0; i < parts().actuators.size(); ++i) {
    const ActuatorSpec& a = parts().actuators[i];
    const double now = control[model.control_of_actuator(static_cast<int>(i))];
    groups.add({"actuator." + a.name + ".control", "", "actuator " + a.name, now, a.min, a.max, {}}, now, now);
  }
  for (const ControlSpec& c : parts().controls) {
    if (c.motor.empty()) continue;
    const double now = control[model.control(c.name)];
    groups.add({"motor." + c.motor + ".control", "", "motor " + c.motor, now, c.min, c.max, {}}, now, now);
  }
  for (std::size_t i = 0; i < parts().inputs.size(); ++i) {
    const InputSpec& input = parts().inputs[i];
    groups.add({"input." + input.name, input.unit, "inputs", inputs[i], input.min, input.max, {}}, inputs[i],
               input.value);
  }
  if (!can_be_read_again) return groups.json();
  for (const ParameterSpec& p : design->base().parameters) {
    const Parameter parameter{"parameter." + p.name, p.unit, "scene", p.value, -kInfinity, kInfinity, {},
                              p.derived_from};
    const auto given = scene_parameters.find(parameter.path);
    groups.add(parameter, p.value, given == scene_parameters.end() ? p.value : given->second);
  }
  return groups.json();
}

}  // namespace lipkin
