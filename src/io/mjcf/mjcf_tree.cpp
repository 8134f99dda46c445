#include "io/mjcf/mjcf_tree.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <set>

#include "base/nearest_name.hpp"
#include "io/mjcf/mjcf_geom.hpp"
#include "io/mjcf/mjcf_joint.hpp"
#include "io/mjcf/mjcf_mass.hpp"

namespace lipkin {
namespace {

// Names that may be left out; a name that is given twice is a mistake.
void add_name(const ElementReader& element, const std::string& name, int index, std::map<std::string, int>& all) {
  if (!name.empty() && !all.emplace(name, index).second)
    element.error(fmt::format("there are two {}s of the name '{}' (line {})", element.tag(), shortened(name),
                              element.element().line));
}

// What an element in a body, or in a <frame> within it, needs to know.
struct Place {
  int body = 0;
  std::string child_class;
  Pose frame;  // of the nearest <frame>, in the body
};

constexpr double kUsualSiteSize = 0.005;  // MuJoCo's [m]

class TreeReader {
 public:
  TreeReader(MjcfModel& model, MjcfAssets& assets, std::set<std::string> felt_sites)
      : model_(model), assets_(assets), felt_sites_(std::move(felt_sites)) {
    MjcfBody world;
    world.name = kWorldName;
    model_.bodies.push_back(std::move(world));
    model_.body_index[kWorldName] = 0;
  }

  void read_world(const ElementReader& world) {
    Place place;
    place.child_class = child_class(world, "");
    read_children(world, place);
  }

 private:
  std::string child_class(const ElementReader& element, const std::string& outer) const {
    const std::optional<std::string> own = element.text("childclass");
    return own && model_.defaults.require(element, "childclass", *own) ? *own : outer;
  }

  void read_children(const ElementReader& parent, const Place& place) {
    for (const XmlElement* child : parent.all_children()) {
      const std::string& tag = child->tag;
      const ElementReader reader(*child, parent.log());
      if (tag == "body") {
        read_body(reader, place);
      } else if (tag == "frame") {
        read_frame(reader, place);
      } else if (tag == "joint" || tag == "freejoint") {
        read_joint(reader, place);
      } else if (tag == "geom") {
        read_geom(reader, place);
      } else if (tag == "site") {
        read_site(reader, place);
      } else if (tag == "camera") {
        read_camera(reader, place);
      } else if (tag == "inertial") {
        read_inertial(reader, place);
      } else {
        note_ignored(reader, at(model_.bodies, place.body));
      }
    }
  }

  static void note_ignored(const ElementReader& element, MjcfBody& body) {
    const std::string& tag = element.tag();
    if (tag == "light") return element.note(Treatment::kIgnored, "for drawing only");
    if (tag == "plugin") return element.note_loss(Treatment::kIgnored, "plugins are not supported");
    element.warning(
        fmt::format("<{}> in line {} is not supported; what it makes is left out", tag, element.element().line));
    element.note(Treatment::kIgnored, "not supported: what it makes is missing from the model");
    body.unsupported = tag;
  }

  void read_body(const ElementReader& reader, const Place& outer) {
    const auto index = static_cast<int>(model_.bodies.size());
    const MjcfElement element(reader);
    MjcfBody body;
    body.name = element.name();
    body.parent = outer.body;
    body.where = reader.where();
    body.file = reader.element().file;
    body.is_mocap = element.flag("mocap", false);
    body.gravity_compensation = element.number("gravcomp", 0);
    if (body.is_mocap) reader.note("mocap", Treatment::kApproximated, "the body stays where it is");
    if (body.name == kWorldName) reader.error("a body cannot be named 'world'");
    add_name(reader, body.name, index, model_.body_index);
    if (body.name.empty()) body.name = unnamed_body(index);
    const Pose& parent = at(model_.bodies, outer.body).world_pose;
    Pose written = model_.compiler_of(element).pose(element);
    body.follows_inertia = model_.compiler.is_global && !reader.has("pos");
    if (body.follows_inertia) written = {};
    body.written_pose = written;
    body.pose = model_.compiler.is_global ? inverse(parent) * written : outer.frame * written;
    body.world_pose = parent * body.pose;
    model_.bodies.push_back(std::move(body));
    read_children(reader, {index, child_class(reader, outer.child_class), Pose{}});
  }

  std::string unnamed_body(int index) {
    std::string name = fmt::format("body_{}", index);
    while (model_.body_index.count(name)) name += '_';
    return name;
  }

  void read_frame(const ElementReader& reader, const Place& outer) {
    const MjcfElement element(reader);
    reader.text("name");
    read_children(reader, {outer.body, child_class(reader, outer.child_class),
                           outer.frame * model_.compiler_of(element).pose(element)});
  }

  // A pose as the file has it, in the body.
  Pose in_body(const Place& place, const Pose& written) const {
    return model_.compiler.is_global ? inverse(at(model_.bodies, place.body).world_pose) * written
                                     : place.frame * written;
  }

  void read_joint(const ElementReader& reader, const Place& place) {
    if (place.body == 0)
      return reader.error(
          fmt::format("a <{}> cannot be a child of <worldbody> (line {})", reader.tag(), reader.element().line));
    MjcfBody& body = at(model_.bodies, place.body);
    const MjcfElement element =
        reader.tag() == "freejoint" ? MjcfElement(reader) : model_.defaults.with_defaults(reader, place.child_class);
    std::optional<MjcfJoint> joint = read_mjcf_joint(element, model_.compiler_of(element));
    if (!joint) return;
    if (joint->type == JointType::kFree) {
      if (body.parent != 0)
        return reader.error(
            fmt::format("body '{}': a free joint is allowed only on a child of the world", shortened(body.name)));
      if (!body.joints.empty())
        return reader.error(fmt::format("body '{}': a free joint is allowed only alone", shortened(body.name)));
    } else if (!body.joints.empty() && at(model_.joints, body.joints[0]).type == JointType::kFree) {
      return reader.error(fmt::format("body '{}': no joint may be added to a free joint", shortened(body.name)));
    }
    const Pose pose = in_body(place, Pose{joint->position, Eigen::Quaterniond::Identity()});
    joint->position = pose.position;
    joint->axis = pose.orientation * joint->axis;
    joint->body = place.body;
    add_joint(reader, *std::move(joint), body);
  }

  void add_joint(const ElementReader& reader, MjcfJoint joint, MjcfBody& body) {
    const auto index = static_cast<int>(model_.joints.size());
    add_name(reader, joint.name, index, model_.joint_index);
    body.joints.push_back(index);
    model_.joints.push_back(std::move(joint));
  }

  void read_geom(const ElementReader& reader, const Place& place) {
    const MjcfElement element = model_.defaults.with_defaults(reader, place.child_class);
    const auto index = static_cast<int>(model_.geoms.size());
    std::optional<MjcfGeom> geom = read_mjcf_geom(element, model_, assets_);
    if (!geom) {
      add_name(reader, element.name(), -1, model_.geom_index);
      return;
    }
    add_name(reader, geom->name, index, model_.geom_index);
    geom->pose = in_body(place, geom->pose);
    geom->body = place.body;
    if (geom->type == MjcfGeomType::kPlane && model_.moving_body(place.body) > 0)
      reader.error("a plane is allowed only on what does not move");
    at(model_.bodies, place.body).geoms.push_back(index);
    model_.geoms.push_back(*std::move(geom));
  }

  void read_site(const ElementReader& reader, const Place& place) {
    const MjcfElement element = model_.defaults.with_defaults(reader, place.child_class);
    const auto index = static_cast<int>(model_.sites.size());
    MjcfSite site{element.name(), place.body, model_.compiler_of(element).pose(element), {}};
    std::optional<double> half_length;
    if (const std::vector<double> ends = element.numbers("fromto", {6, 6}); !ends.empty()) {
      const Eigen::Vector3d from(ends[0], ends[1], ends[2]), to(ends[3], ends[4], ends[5]);
      site.pose.position = (from + to) / 2;
      if ((from - to).norm() > 1e-10) site.pose.orientation = z_towards(from - to);
      half_length = (from - to).norm() / 2;
    }
    if (felt_sites_.count(site.name)) site.zone = zone_of(element, half_length);
    for (const char* drawn : {"type", "size", "rgba", "group", "material"})
      if (reader.has(drawn) && !(site.zone && (drawn == std::string_view("type") || drawn == std::string_view("size"))))
        reader.note(drawn, Treatment::kIgnored, "sites are not drawn");
    site.pose = in_body(place, site.pose);
    add_name(reader, site.name, index, model_.site_index);
    model_.sites.push_back(std::move(site));
  }

  static ZoneSpec zone_of(const MjcfElement& element, std::optional<double> half_length) {
    const std::string type = element.text("type", "sphere");
    std::vector<double> size = element.numbers("size", {1, 3});
    size.resize(3, kUsualSiteSize);
    if (type == "capsule" || type == "cylinder")
      return {type == "capsule" ? ZoneKind::kCapsule : ZoneKind::kCylinder,
              {size[0], size[0], half_length.value_or(size[1])}};
    if (type == "sphere") return {ZoneKind::kEllipsoid, Eigen::Vector3d::Constant(size[0])};
    if (type != "box" && type != "ellipsoid")
      element.reader().error_at(
          "type", fmt::format("type is '{}': expected sphere, capsule, ellipsoid, cylinder or box", shortened(type)));
    const ZoneKind kind = type == "box" ? ZoneKind::kBox : ZoneKind::kEllipsoid;
    if (half_length) return {kind, {size[0], size[0], *half_length}};
    return {kind, {size[0], size[1], size[2]}};
  }

  // Of those that stay where they are in their bodies.
  void read_camera(const ElementReader& reader, const Place& place) {
    const MjcfElement element = model_.defaults.with_defaults(reader, place.child_class);
    const std::string mode = element.text("mode", "fixed");
    const auto index = static_cast<int>(model_.cameras.size());
    if (mode == "fixed" && !element.name().empty() && model_.camera_index.emplace(element.name(), index).second)
      model_.cameras.push_back(
          {element.name(), place.body, in_body(place, model_.compiler_of(element).pose(element)), {}});
    reader.note(Treatment::kIgnored, "for drawing only");
  }

  void read_inertial(const ElementReader& reader, const Place& place) {
    if (place.body == 0) return reader.error("the world cannot have an <inertial>");
    MjcfBody& body = at(model_.bodies, place.body);
    if (body.inertial) return reader.error(fmt::format("a second <inertial> in line {}", reader.element().line));
    const MjcfElement element(reader);
    const Pose pose = in_body(place, model_.compiler_of(element).pose(element));
    body.inertial = read_mjcf_inertial(element, pose);
    if (const std::vector<double> d = element.numbers("diaginertia", {3, 3}); !d.empty() && !reader.has("fullinertia"))
      body.moments = {d[0], d[1], d[2]}, body.axes = pose.orientation;
  }

  MjcfModel& model_;
  MjcfAssets& assets_;
  std::set<std::string> felt_sites_;
};

// Numbers of the joints in MuJoCo's qpos and qvel, by body, and names for those without one.
void number_joints(MjcfModel& model) {
  for (MjcfBody& body : model.bodies) {
    for (const int j : body.joints) {
      MjcfJoint& joint = at(model.joints, j);
      joint.q_index = model.q_count;
      joint.u_index = model.u_count;
      model.q_count += q_count(joint.type);
      model.u_count += u_count(joint.type);
      if (!joint.name.empty()) continue;
      joint.name = body.name;
      while (model.joint_index.count(joint.name)) joint.name += '_';
      model.joint_index[joint.name] = j;
    }
  }
}

// The axes of the inertia as the file gives them, or its principal axes, the largest moment first as in MuJoCo.
Eigen::Quaterniond inertia_axes(const MjcfModel& model, const MjcfBody& body) {
  if (body.inertial && body.axes) return *body.axes;
  if (!body.inertial && body.geoms.size() == 1) return at(model.geoms, body.geoms[0]).pose.orientation;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(body.mass.inertia);
  Eigen::Matrix3d R = solver.eigenvectors().rowwise().reverse();
  if (R.determinant() < 0) R.col(2) = -R.col(2);
  return Eigen::Quaterniond(R);
}

// Everything in the body, which was read as seen from the world, is seen from `frame` now.
void move_frame(MjcfModel& model, int index, const Pose& frame) {
  MjcfBody& body = at(model.bodies, index);
  const Pose back = inverse(frame);
  const Eigen::Matrix3d R = back.orientation.toRotationMatrix();
  for (const int j : body.joints) {
    MjcfJoint& joint = at(model.joints, j);
    joint.position = (back * Pose{joint.position, Eigen::Quaterniond::Identity()}).position;
    joint.axis = R * joint.axis;
  }
  for (const int g : body.geoms) at(model.geoms, g).pose = back * at(model.geoms, g).pose;
  for (std::vector<MjcfSite>* sites : {&model.sites, &model.cameras})
    for (MjcfSite& site : *sites)
      if (site.body == index) site.pose = back * site.pose;
  body.mass.com = (back * Pose{body.mass.com, Eigen::Quaterniond::Identity()}).position;
  body.mass.inertia = R * body.mass.inertia * R.transpose();
  body.mass.inertia = (0.5 * (body.mass.inertia + body.mass.inertia.transpose())).eval();
  if (body.axes) body.axes = back.orientation * *body.axes;
  body.world_pose = frame;
}

// In global coordinates a body without a place has the frame of its inertia, which is known in the end only.
void place_by_inertia(MjcfModel& model) {
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    MjcfBody& body = model.bodies[i];
    const bool follows = body.follows_inertia && body.mass.mass > 0;
    if (follows) move_frame(model, static_cast<int>(i), {body.mass.com, inertia_axes(model, body)});
    const MjcfBody& parent = at(model.bodies, body.parent);
    if (follows || parent.follows_inertia) body.pose = inverse(parent.world_pose) * body.world_pose;
  }
}

}  // namespace

int find_named(const ElementReader& element, std::string_view attribute, const std::string& name,
               const std::map<std::string, int>& index, const char* what) {
  const auto found = index.find(name);
  if (found != index.end()) return found->second;
  if (name.empty()) {
    element.error(fmt::format("<{}> in line {} names no {}", element.tag(), element.element().line, what));
    return -1;
  }
  constexpr int kMostHints = 10;  // each compares with every name
  std::vector<std::string> known;
  if (element.log().diagnostics.error_count() < kMostHints)
    for (const auto& [each, unused] : index) known.push_back(each);
  element.error_at(attribute,
                   fmt::format("it names the {} '{}', which does not exist (line {})", what, shortened(name),
                               element.element().line),
                   did_you_mean(name, known));
  return -1;
}

// Sites of sensors whose volumes count.
static std::set<std::string> felt_sites(const ElementReader& root) {
  std::set<std::string> names;
  for (const ElementReader& section : root.children("sensor"))
    for (const XmlElement* sensor : section.all_children())
      if (const XmlAttribute* site = sensor->attribute("site");
          site && (sensor->tag == "touch" || sensor->tag == "insidesite"))
        names.insert(site->value);
  return names;
}

void read_mjcf_tree(const ElementReader& root, MjcfModel& model, MjcfAssets& assets) {
  TreeReader reader(model, assets, felt_sites(root));
  for (const ElementReader& world : root.children("worldbody")) reader.read_world(world);
  number_joints(model);
  compute_masses(model, assets, root);
  place_by_inertia(model);
}

}  // namespace lipkin
