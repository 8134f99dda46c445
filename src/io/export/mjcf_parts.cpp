#include "io/export/mjcf_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "io/export/xml_writing.hpp"

namespace lipkin {
namespace {

std::string quaternion(const Eigen::Quaterniond& q) { return fmt::format("{} {} {} {}", q.w(), q.x(), q.y(), q.z()); }

const PointSpec* point_named(const ModelParts& parts, const std::string& name) {
  const auto found = std::find_if(parts.points.begin(), parts.points.end(),
                                  [&](const PointSpec& point) { return point.name == name; });
  return found == parts.points.end() ? nullptr : &*found;
}

Attachment resolved(const ModelParts& parts, const Attachment& attachment) {
  const PointSpec* point = attachment.point.empty() ? nullptr : point_named(parts, attachment.point);
  return point ? Attachment{"", point->body, point->position} : attachment;
}

}  // namespace

std::string pose_text(const Pose& pose) {
  std::string text;
  if (!pose.position.isZero(0)) text += fmt::format(" pos=\"{}\"", numbers(pose.position));
  if (pose.orientation.coeffs() != Eigen::Quaterniond::Identity().coeffs())
    text += fmt::format(" quat=\"{}\"", quaternion(pose.orientation));
  return text;
}

std::string joint_settings(const JointSpec& joint, int dof) {
  std::string text;
  const auto put = [&](const char* attribute, const std::vector<double>& values) {
    if (const double value = joint_value(values, dof); value != 0) text += fmt::format(" {}=\"{}\"", attribute, value);
  };
  put("stiffness", joint.stiffness);
  if (joint.type != JointType::kBall && joint.type != JointType::kFree) put("springref", joint.rest);
  put("damping", joint.damping);
  put("armature", joint.armature);
  put("frictionloss", joint.friction);
  if (joint.type == JointType::kFree) return text;  // it has no limits there
  const double lower = joint_value(joint.lower, dof, -kInfinity), upper = joint_value(joint.upper, dof, kInfinity);
  if (lower > -kInfinity || upper < kInfinity)  // a range of one value is taken for none
    text += fmt::format("{} range=\"{} {}\"", lower == upper ? " limited=\"true\"" : "", std::max(lower, -kMjcfFar),
                        std::min(upper, kMjcfFar));
  if (joint.max_angle < kInfinity) text += fmt::format(" range=\"0 {}\"", joint.max_angle);
  return text;
}

MjcfGeoms::MjcfGeoms(const ModelParts& parts) : parts_(parts) {
  const auto add = [&](const std::vector<ShapeSpec>& shapes) {
    for (const ShapeSpec& shape : shapes)
      if (!shape.contact.empty()) groups_.emplace(shape.group, groups_.size());
  };
  add(parts.world_shapes);
  for (const BodySpec& body : parts.bodies) add(body.shapes);
  const std::size_t count = std::min(groups_.size(), kMostGroups);
  may_touch_.assign(count, count == 0 ? 0U : ~0U >> (32 - count));
  for (const ContactFilterSpec& filter : parts.contact_filters) {
    const auto a = groups_.find(filter.group_a), b = groups_.find(filter.group_b);
    if (!filter.body_a.empty() || a == groups_.end() || b == groups_.end()) continue;
    if (a->second >= count || b->second >= count) continue;
    may_touch_[a->second] &= ~(1U << b->second);
    may_touch_[b->second] &= ~(1U << a->second);
  }
}

const MaterialSpec* MjcfGeoms::material(const std::string& name) const {
  const auto found = std::find_if(parts_.materials.begin(), parts_.materials.end(),
                                  [&](const MaterialSpec& each) { return each.name == name; });
  return found == parts_.materials.end() ? nullptr : &*found;
}

std::string MjcfGeoms::contact_text(const ShapeSpec& shape) const {
  if (shape.contact.empty()) return " contype=\"0\" conaffinity=\"0\"";
  std::string text;
  const std::size_t group = groups_.at(shape.group);
  if (may_touch_.size() > 1 || (!may_touch_.empty() && may_touch_[0] != 1))
    if (group < may_touch_.size())
      text += fmt::format(" contype=\"{}\" conaffinity=\"{}\"", 1U << group, may_touch_[group]);
  const MaterialSpec* m = material(shape.contact);
  if (!m) return text;
  const int condim = m->rolling_friction > 0 ? 6 : m->spinning_friction > 0 ? 4 : m->friction > 0 ? 3 : 1;
  return text + fmt::format(" condim=\"{}\" friction=\"{} {} {}\"", condim, m->friction, m->spinning_friction,
                            m->rolling_friction);
}

std::string MjcfGeoms::mesh(const std::vector<Eigen::Vector3d>& vertices,
                            const std::vector<std::array<int, 3>>& triangles) {
  std::vector<double> v;
  std::vector<int> f;
  for (const Eigen::Vector3d& p : vertices) v.insert(v.end(), {p.x(), p.y(), p.z()});
  for (const std::array<int, 3>& t : triangles) f.insert(f.end(), t.begin(), t.end());
  std::string definition = fmt::format("vertex=\"{}\"", fmt::join(v, " "));
  if (!f.empty()) definition += fmt::format(" face=\"{}\"", fmt::join(f, " "));
  const auto [known, is_new] = meshes_.emplace(definition, fmt::format("mesh_{}", meshes_.size()));
  if (is_new) definitions_.push_back(fmt::format("    <mesh name=\"{}\" {}/>\n", known->second, definition));
  return fmt::format("type=\"mesh\" mesh=\"{}\"", known->second);
}

std::string MjcfGeoms::form(const ShapeGeometry& geometry) {
  if (const auto* s = std::get_if<ShapeSphere>(&geometry)) return fmt::format("type=\"sphere\" size=\"{}\"", s->radius);
  if (const auto* s = std::get_if<ShapeBox>(&geometry))
    return fmt::format("type=\"box\" size=\"{}\"", numbers(s->size / 2));
  if (const auto* s = std::get_if<ShapeCylinder>(&geometry))
    return fmt::format("type=\"cylinder\" size=\"{} {}\"", s->radius, s->length / 2);
  if (const auto* s = std::get_if<ShapeCapsule>(&geometry))
    return fmt::format("type=\"capsule\" size=\"{} {}\"", s->radius, s->length / 2);
  if (std::holds_alternative<ShapePlane>(geometry)) return "type=\"plane\" size=\"0 0 1\"";
  if (const auto* s = std::get_if<ShapeHull>(&geometry)) return mesh(s->points, {});
  if (const auto* s = std::get_if<ShapeMesh>(&geometry)) return mesh(s->vertices, s->triangles);
  return {};
}

std::string MjcfGeoms::text(const ShapeSpec& shape, const std::string& indent) {
  const std::string form_text = form(shape.geometry);
  if (form_text.empty()) {
    ++lost_shapes_;
    return {};
  }
  if (!shape.contact.empty() && std::holds_alternative<ShapeMesh>(shape.geometry)) ++convex_meshes_;
  const auto& c = shape.color;
  return fmt::format("{}<geom {}{}{} rgba=\"{} {} {} {}\"/>\n", indent, form_text, pose_text(shape.pose),
                     contact_text(shape), c[0], c[1], c[2], c[3]);
}

std::string MjcfGeoms::assets() const {
  return definitions_.empty() ? "" : fmt::format("  <asset>\n{}  </asset>\n", fmt::join(definitions_, ""));
}

std::string MjcfGeoms::contacts() const {
  std::string text;
  for (const ContactFilterSpec& filter : parts_.contact_filters)
    if (!filter.body_a.empty())
      text += fmt::format("    <exclude body1=\"{}\" body2=\"{}\"/>\n", xml_escaped(filter.body_a),
                          xml_escaped(filter.body_b));
  return text.empty() ? "" : "  <contact>\n" + text + "  </contact>\n";
}

// MJCF takes the larger of the two frictions, we the root of their product where no pair says otherwise.
std::size_t MjcfGeoms::lost_pairs() const {
  std::size_t count = 0;
  const auto says = [&](const MaterialSpec& a, const MaterialSpec& b) {
    return std::any_of(parts_.material_pairs.begin(), parts_.material_pairs.end(), [&](const MaterialPairSpec& pair) {
      return pair.friction && std::minmax(pair.a, pair.b) == std::minmax(a.name, b.name);
    });
  };
  for (std::size_t i = 0; i < parts_.materials.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const MaterialSpec &a = parts_.materials[i], &b = parts_.materials[k];
      count += a.friction != b.friction && !says(a, b) ? 1 : 0;
    }
  for (const MaterialPairSpec& pair : parts_.material_pairs) {
    const MaterialSpec *a = material(pair.a), *b = material(pair.b);
    const auto is_lost = [&](const std::optional<double>& value, double MaterialSpec::*of) {
      return value && a && b && *value != std::max(a->*of, b->*of);
    };
    count += is_lost(pair.friction, &MaterialSpec::friction) ? 1 : 0;
    count += is_lost(pair.rolling_friction, &MaterialSpec::rolling_friction) ? 1 : 0;
    count += is_lost(pair.spinning_friction, &MaterialSpec::spinning_friction) ? 1 : 0;
    for (const auto& value :
         {pair.static_friction, pair.restitution, pair.stiffness, pair.exponent, pair.damping, pair.linear_damping})
      count += value ? 1 : 0;
  }
  return count;
}

// Each loop, spring and distance has two sites, "NAME.a" and "NAME.b"; a tendon "tendon.NAME.0" and so on for the parts
// of its path, with "...side" for the sides of what it wraps around.
std::vector<MjcfSites::Site> MjcfSites::all(const ModelParts& parts) {
  std::vector<Site> sites;
  for (const JointSpec& joint : parts.joints) {
    if (!joint.closes_loop) continue;
    sites.push_back({joint.name + ".a", joint.parent, joint.frame_in_parent});
    sites.push_back({joint.name + ".b", joint.child, joint.frame_in_child});
  }
  const auto add = [&](const std::string& name, const Attachment& a, const Attachment& b) {
    for (const auto& [end, attachment] : {std::pair(".a", resolved(parts, a)), std::pair(".b", resolved(parts, b))})
      sites.push_back({name + end, attachment.body, {attachment.position, Eigen::Quaterniond::Identity()}});
  };
  for (const ActuatorSpec& actuator : parts.actuators) {
    if (actuator.body.empty()) continue;
    sites.push_back({"actuator." + actuator.name, actuator.body, actuator.frame});
    if (!actuator.against.empty())
      sites.push_back({"against." + actuator.name, actuator.against, {Eigen::Vector3d::Zero(), actuator.against_axes}});
  }
  for (const SpringDamperSpec& spring : parts.springs) add("spring." + spring.name, spring.a, spring.b);
  for (const DistanceSpec& distance : parts.distances) add("distance." + distance.name, distance.a, distance.b);
  const auto add_point = [&](const std::string& name, const Attachment& at) {
    const Attachment place = resolved(parts, at);
    sites.push_back({name, place.body, {place.position, Eigen::Quaterniond::Identity()}});
  };
  for (const TendonSpec& tendon : parts.tendons)
    for (std::size_t i = 0; i < tendon.path.size(); ++i) {
      const std::string name = tendon_part(tendon, i);
      if (const auto* point = std::get_if<Attachment>(&tendon.path[i])) add_point(name, *point);
      const auto* wrap = std::get_if<TendonWrap>(&tendon.path[i]);
      if (wrap && wrap->side) add_point(name + ".side", *wrap->side);
    }
  return sites;
}

static std::string zone_text(const PointSpec& point) {
  if (!point.zone) return {};
  const ZoneKind kind = point.zone->kind;
  const Eigen::Vector3d& half = point.zone->half;
  if (kind == ZoneKind::kBox || kind == ZoneKind::kEllipsoid)
    return fmt::format(" type=\"{}\" size=\"{}\"", kind == ZoneKind::kBox ? "box" : "ellipsoid", numbers(half));
  return fmt::format(" type=\"{}\" size=\"{} {}\"", kind == ZoneKind::kCylinder ? "cylinder" : "capsule", half[0],
                     half[2]);
}

std::vector<std::string> MjcfSites::bodies(const ModelParts& parts) const {
  std::vector<std::string> result;
  for (const Site& site : all(parts)) result.push_back(site.body);
  for (const TendonSpec& tendon : parts.tendons)
    for (const auto& part : tendon.path)
      if (const auto* wrap = std::get_if<TendonWrap>(&part)) result.push_back(wrap->body);
  return result;
}

std::string MjcfSites::text(const ModelParts& parts, const std::string& body, const std::string& indent) const {
  std::string result;
  for (const PointSpec& point : parts.points)
    if (point.body == body)
      result += fmt::format("{}<site name=\"{}\"{}{}/>\n", indent, xml_escaped(point.name),
                            pose_text({point.position, point.orientation}), zone_text(point));
  for (const Site& site : all(parts))
    if (site.body == body)
      result += fmt::format("{}<site name=\"{}\"{}/>\n", indent, xml_escaped(site.name), pose_text(site.pose));
  return result;
}

// A geom without mass that touches nothing.
std::string MjcfSites::wraps(const ModelParts& parts, const std::string& body, const std::string& indent) const {
  std::string text;
  for (const TendonSpec& tendon : parts.tendons)
    for (std::size_t i = 0; i < tendon.path.size(); ++i) {
      const auto* wrap = std::get_if<TendonWrap>(&tendon.path[i]);
      if (!wrap || wrap->body != body) continue;
      const bool is_sphere = wrap->shape == TendonWrap::Shape::kSphere;
      text +=
          fmt::format("{}<geom name=\"{}\" type=\"{}\" size=\"{}{}\"{} mass=\"0\" contype=\"0\" conaffinity=\"0\"/>\n",
                      indent, xml_escaped(tendon_part(tendon, i)), is_sphere ? "sphere" : "cylinder", wrap->radius,
                      is_sphere ? std::string() : fmt::format(" {}", wrap->radius), pose_text(wrap->frame));
    }
  return text;
}

std::string MjcfSites::tendon_part(const TendonSpec& tendon, std::size_t part) {
  return fmt::format("tendon.{}.{}", tendon.name, part);
}

std::string MjcfSites::path(const TendonSpec& tendon) {
  std::string text;
  for (std::size_t i = 0; i < tendon.path.size(); ++i) {
    const std::string name = xml_escaped(tendon_part(tendon, i));
    if (const auto* pulley = std::get_if<TendonPulley>(&tendon.path[i])) {
      text += fmt::format("      <pulley divisor=\"{}\"/>\n", pulley->divisor);
    } else if (const auto* wrap = std::get_if<TendonWrap>(&tendon.path[i])) {
      text += fmt::format("      <geom geom=\"{}\"{}/>\n", name,
                          wrap->side ? fmt::format(" sidesite=\"{}.side\"", name) : std::string());
    } else {
      text += fmt::format("      <site site=\"{}\"/>\n", name);
    }
  }
  return text;
}

std::string MjcfSites::loops(const ModelParts& parts) const {
  std::string text;
  for (const JointSpec& joint : parts.joints) {
    if (!joint.closes_loop) continue;
    const std::string name = xml_escaped(joint.name);
    text += fmt::format("    <{0} name=\"{1}\" site1=\"{1}.a\" site2=\"{1}.b\"/>\n",
                        joint.type == JointType::kBall ? "connect" : "weld", name);
  }
  return text;
}

std::string MjcfSites::tendons(const ModelParts& parts, const ModelData& data) const {
  std::string text;
  const auto add = [&](const std::string& name, const std::string& settings) {
    text += fmt::format(
        "    <spatial name=\"{0}\"{1}>\n      <site site=\"{0}.a\"/>\n      <site site=\"{0}.b\"/>\n    </spatial>\n",
        xml_escaped(name), settings);
  };
  for (std::size_t i = 0; i < parts.springs.size(); ++i) {
    const SpringDamperSpec& spring = parts.springs[i];
    add("spring." + spring.name,  // the length left out would be that at zero coordinates, not that of the start
        fmt::format(" stiffness=\"{}\" damping=\"{}\" springlength=\"{}\"", spring.stiffness, spring.damping,
                    data.springs[i].rest_length));
  }
  for (const DistanceSpec& distance : parts.distances)
    add("distance." + distance.name,
        fmt::format(" limited=\"true\" range=\"{} {}\"", distance.lower, std::min(distance.upper, kMjcfFar)));
  return text;
}

}  // namespace lipkin
