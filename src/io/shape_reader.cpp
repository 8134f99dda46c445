// Shapes: what they are, where, what they weigh, and how they touch.
#include <fmt/format.h>

#include "io/hulls/contact_hulls.hpp"
#include "io/part_reader.hpp"
#include "io/repetition.hpp"

namespace lipkin {
namespace {

ShapeMesh read_mesh(const MappingReader& mesh) {
  ShapeMesh result;
  result.vertices = mesh.vectors("vertices");
  const std::vector<double> corners = mesh.flat_numbers(mesh.at("triangles"), "triangles");
  for (std::size_t i = 0; i + 2 < corners.size(); i += 3)
    result.triangles.push_back(
        {static_cast<int>(corners[i]), static_cast<int>(corners[i + 1]), static_cast<int>(corners[i + 2])});
  return result;
}

ShapeHeightField read_height_field(const MappingReader& field) {
  ShapeHeightField result;
  const std::vector<double> size = field.flat_numbers(field.at("size"), "size");
  result.size_x = size.at(0);
  result.size_y = size.at(1);
  const Node& rows = field.at("heights");
  result.rows = static_cast<int>(rows.items.size());
  result.columns = static_cast<int>(rows.items.at(0).items.size());
  result.heights = field.flat_numbers(rows, "heights");
  for (const Node& row : rows.items)
    if (row.items.size() != rows.items[0].items.size())
      field.values().diagnostics().error(
          row.where(), fmt::format("a row of 'heights' has {} values and the first has {}; expected as many",
                                   row.items.size(), rows.items[0].items.size()));
  return result;
}

ShapeGeometry read_geometry(const MappingReader& shape) {
  if (shape.has("box")) return ShapeBox{shape.below("box").vector("size")};
  if (shape.has("sphere")) return ShapeSphere{shape.below("sphere").number("radius")};
  if (shape.has("plane")) return ShapePlane{};
  if (shape.has("hull")) return ShapeHull{shape.below("hull").vectors("points")};
  if (shape.has("mesh")) return read_mesh(shape.below("mesh"));
  if (shape.has("height_field")) return read_height_field(shape.below("height_field"));
  if (shape.has("cylinder")) {
    const MappingReader cylinder = shape.below("cylinder");
    return ShapeCylinder{cylinder.number("radius"), cylinder.number("length")};
  }
  if (shape.has("capsule")) {
    const MappingReader capsule = shape.below("capsule");
    return ShapeCapsule{capsule.number("radius"), capsule.number("length")};
  }
  const bool inside = shape.has("cup");
  const MappingReader cone = shape.below(inside ? "cup" : "frustum");
  const double bottom = cone.number("bottom_radius"), top = cone.number("top_radius"), height = cone.number("height");
  if (inside) return ShapeCup{bottom, top, height};
  return ShapeFrustum{bottom, top, height};
}

ShapeSpec read_shape(const MappingReader& shape) {
  ShapeSpec spec;
  spec.where = shape.where();
  spec.geometry = read_geometry(shape);
  spec.pose = shape.pose("at", "orientation");
  spec.density = shape.optional_number("density");
  spec.mass = shape.optional_number("mass");
  if (shape.has("contact")) spec.contact = shape.scope().global_name(shape.name("contact"));
  if (shape.has("group")) spec.group = shape.scope().global_name(shape.name("group"));
  const std::vector<double> color = shape.numbers("color");
  for (std::size_t i = 0; i < color.size(); ++i) spec.color[i] = color[i];
  return spec;
}

// A mesh that touches as hulls: itself, which is seen and weighs, and the hulls, which touch and are not seen.
void add_hulls(const MappingReader& shape, ShapeSpec& spec, std::vector<ShapeSpec>& shapes) {
  if (!shape.has("mesh") || spec.contact.empty()) return;
  const MappingReader mesh = shape.below("mesh");
  const MeshContact how = mesh_contact_named(mesh.text("contact_as"));
  const auto* surface = std::get_if<ShapeMesh>(&spec.geometry);
  if (how == MeshContact::kMesh || !surface || !is_sound(*surface)) return;
  const DecompositionOptions options{mesh.number("tolerance"), mesh.integer("max_hulls")};
  try {
    const ContactHulls& hulls = shape.values().hull_library().hulls(*surface, how, options, shape.where().file);
    shape.values().notes().add("mesh", Treatment::kApproximated, hulls.note, mesh.where());
    for (const std::vector<Eigen::Vector3d>& points : hulls.hulls) {
      ShapeSpec hull = spec;
      hull.geometry = ShapeHull{points};
      hull.density = hull.mass = std::nullopt;
      hull.color[3] = 0;
      shapes.push_back(std::move(hull));
    }
    spec.contact.clear();
    spec.group.clear();
  } catch (const InputError& error) {
    shape.values().diagnostics().error(mesh.where(), error.diagnostics()[0].message);
  }
}

}  // namespace

std::vector<ShapeSpec> read_shapes(const MappingReader& owner) {
  std::vector<ShapeSpec> shapes;
  if (!owner.has("shapes")) return shapes;
  for (const Node& item : owner.at("shapes").items)
    for_each_copy(item, owner.scope(), owner.values(), [&](const Scope& scope) {
      const MappingReader reader(item, "shape", scope, owner.values());
      ShapeSpec shape = read_shape(reader);
      add_hulls(reader, shape, shapes);
      shapes.push_back(std::move(shape));
    });
  return shapes;
}

}  // namespace lipkin
