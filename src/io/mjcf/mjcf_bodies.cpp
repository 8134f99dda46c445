#include "io/mjcf/mjcf_bodies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace lipkin {
namespace {

// Corners of a polyhedron in place of an ellipsoid: of the unit sphere, on rings between the poles.
ShapeHull ellipsoid_hull(const Eigen::Vector3d& radii) {
  constexpr int kRings = 7, kCorners = 16;
  constexpr double kPi = 3.14159265358979323846;
  ShapeHull hull;
  hull.points = {{0, 0, radii.z()}, {0, 0, -radii.z()}};
  for (int i = 1; i <= kRings; ++i) {
    const double polar = kPi * i / (kRings + 1);
    for (int k = 0; k < kCorners; ++k) {
      const double turn = 2 * kPi * k / kCorners;
      hull.points.emplace_back(radii.x() * std::sin(polar) * std::cos(turn),
                               radii.y() * std::sin(polar) * std::sin(turn), radii.z() * std::cos(polar));
    }
  }
  return hull;
}

class BodyAdder {
 public:
  BodyAdder(const MjcfModel& model, MjcfAssets& assets, const MjcfContacts& contacts, ModelImport& import)
      : model_(model), assets_(assets), contacts_(contacts), import_(import) {
    for (const auto& [name, unused] : model.body_index) taken_.insert(name);
    for (const MjcfBody& body : model.bodies) taken_.insert(body.name);
    for (const auto& [name, unused] : model.joint_index) taken_joints_.insert(name);
  }

  void add_all() {
    for (ShapeSpec& shape : shapes_of(model_.bodies[0])) import_.builder.add_world_shape(std::move(shape));
    for (std::size_t i = 1; i < model_.bodies.size(); ++i) add(model_.bodies[i]);
  }

  const std::set<std::string>& groups() const { return groups_; }

 private:
  void add(const MjcfBody& body) {
    std::string parent = at(model_.bodies, body.parent).name;
    Pose pose = body.pose;
    for (std::size_t k = 0; k + 1 < body.joints.size(); ++k) {
      const MjcfJoint& joint = at(model_.joints, body.joints[k]);
      BodySpec link;
      link.name = free_name(body.name + "." + joint.name, taken_);
      link.mass_properties = MassProperties{};
      link.where = joint.where;
      add_joint(joint, parent, link.name, pose);
      parent = link.name;
      pose = {};
      import_.builder.add(std::move(link));
    }
    if (body.joints.empty()) {
      add_fixed(body, parent);
    } else {
      add_joint(at(model_.joints, body.joints.back()), parent, body.name, pose);
    }
    BodySpec spec;
    spec.name = body.name;
    spec.mass_properties = body.mass;
    spec.shapes = shapes_of(body);
    spec.where = body.where;
    import_.builder.add(std::move(spec));
    if (body.gravity_compensation != 0) add_gravity_compensation(body);
  }

  static std::string free_name(std::string name, std::set<std::string>& taken) {
    while (!taken.insert(name).second) name += '_';
    return name;
  }

  void add_fixed(const MjcfBody& body, const std::string& parent) {
    JointSpec spec;
    spec.name = free_name(body.name, taken_joints_);
    spec.type = JointType::kFixed;
    spec.parent = parent;
    spec.child = body.name;
    spec.frame_in_parent = body.pose;
    spec.where = body.where;
    import_.builder.add(std::move(spec));
  }

  // At q = reference the child stands at `pose` in the parent.
  void add_joint(const MjcfJoint& joint, const std::string& parent, const std::string& child, const Pose& pose) {
    JointSpec spec;
    spec.name = joint.name;
    spec.type = joint.type;
    spec.parent = parent;
    spec.child = child;
    spec.where = joint.where;
    spec.q = joint.q;
    spec.u = joint.u;
    if (joint.type != JointType::kFree) {
      spec.axis = joint.axis;
      spec.frame_in_child.position = joint.position;
      spec.frame_in_parent = pose * spec.frame_in_child * moved_back(joint);
    }
    add_settings(joint, spec);
    import_.builder.add(std::move(spec));
  }

  static Pose moved_back(const MjcfJoint& joint) {
    if (joint.type == JointType::kPrismatic) return {-joint.reference * joint.axis, Eigen::Quaterniond::Identity()};
    if (joint.type == JointType::kRevolute)
      return {Eigen::Vector3d::Zero(), Eigen::Quaterniond(Eigen::AngleAxisd(-joint.reference, joint.axis))};
    return {};
  }

  static void add_settings(const MjcfJoint& joint, JointSpec& spec) {
    if (joint.stiffness > 0 && joint.is_scalar()) {
      spec.stiffness = {joint.stiffness};
      spec.rest = {joint.spring_reference};
    } else if (joint.stiffness > 0) {
      spec.stiffness = {joint.stiffness};
    }
    if (joint.damping > 0) spec.damping = {joint.damping};
    if (joint.armature > 0) spec.armature = {joint.armature};
    if (joint.friction > 0) spec.friction = {joint.friction};
    if (joint.lower > -kMjcfUnlimited) spec.lower = {joint.lower};
    if (joint.upper < kMjcfUnlimited) spec.upper = {joint.upper};
    spec.max_angle = joint.max_angle;
  }

  // Carries a part of the weight, at the centre of mass.
  void add_gravity_compensation(const MjcfBody& body) {
    ForceSpec force;
    force.name = "gravcomp of " + body.name;
    force.at.body = body.name;
    force.at.position = body.mass.com;
    const Eigen::Vector3d lift = -body.gravity_compensation * body.mass.mass * model_.gravity;
    for (std::size_t k = 0; k < 3; ++k) force.force[k].source = lift[static_cast<Eigen::Index>(k)];
    force.where = body.where;
    if (!lift.isZero()) import_.builder.add(std::move(force));
  }

  std::vector<ShapeSpec> shapes_of(const MjcfBody& body) {
    std::vector<ShapeSpec> shapes;
    for (const int g : body.geoms) {
      const MjcfGeom& geom = at(model_.geoms, g);
      ShapeSpec shape;
      shape.contact = contacts_.material_of(g);
      shape.group = contacts_.group_of(g);
      shape.pose = geom.pose;
      shape.color = geom.color;
      shape.where = geom.where;
      for (ShapeGeometry& geometry : geometries_of(geom, !shape.contact.empty())) {
        if (!shape.group.empty()) groups_.insert(shape.group);
        shapes.push_back(shape);
        shapes.back().geometry = std::move(geometry);
      }
    }
    return shapes;
  }

  // Several: the hulls of one mesh.
  std::vector<ShapeGeometry> geometries_of(const MjcfGeom& geom, bool touches) {
    const Eigen::Vector3d& s = geom.size;
    switch (geom.type) {
      case MjcfGeomType::kPlane:
        return touches ? std::vector<ShapeGeometry>{ShapePlane{}} : std::vector<ShapeGeometry>{};
      case MjcfGeomType::kHeightField:
        return {assets_.height_field(geom.height_field)};
      case MjcfGeomType::kSphere:
        return {ShapeSphere{s[0]}};
      case MjcfGeomType::kCapsule:
        if (!(s[1] > 0)) return {ShapeSphere{s[0]}};
        return {ShapeCapsule{s[0], 2 * s[1]}};
      case MjcfGeomType::kCylinder:
        return {ShapeCylinder{s[0], 2 * s[1]}};
      case MjcfGeomType::kBox:
        return {ShapeBox{2 * s}};
      case MjcfGeomType::kEllipsoid:
        import_.report.add("geom@type", Treatment::kApproximated, "an ellipsoid touches as a polyhedron", geom.where);
        return {ellipsoid_hull(s)};
      case MjcfGeomType::kMesh:
        return meshes_of(geom, touches);
    }
    return {};
  }

  std::vector<ShapeGeometry> meshes_of(const MjcfGeom& geom, bool touches) {
    const MeshContact how = import_.options.mesh_contact;
    if (!touches && !import_.options.visual_meshes) return {};
    if (!touches || how == MeshContact::kMesh) {
      const ShapeMesh* mesh = assets_.mesh(geom.mesh);
      return mesh ? std::vector<ShapeGeometry>{*mesh} : std::vector<ShapeGeometry>{};
    }
    std::vector<ShapeGeometry> result;
    if (const ContactHulls* known = assets_.hulls(geom.mesh, how, import_.options.decomposition)) {
      import_.report.add("geom@mesh", Treatment::kApproximated, known->note, geom.where);
      for (const std::vector<Eigen::Vector3d>& points : known->hulls) result.push_back(ShapeHull{points});
    }
    return result;
  }

  const MjcfModel& model_;
  MjcfAssets& assets_;
  const MjcfContacts& contacts_;
  ModelImport& import_;
  std::set<std::string> taken_, taken_joints_;
  std::set<std::string> groups_;  // of contact, that shapes are in
};

}  // namespace

std::set<std::string> add_mjcf_bodies(const MjcfModel& model, MjcfAssets& assets, const MjcfContacts& contacts,
                                      ModelImport& import) {
  BodyAdder adder(model, assets, contacts, import);
  adder.add_all();
  return adder.groups();
}

}  // namespace lipkin
