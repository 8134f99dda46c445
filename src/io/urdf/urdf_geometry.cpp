#include "io/urdf/urdf_geometry.hpp"

#include <fmt/format.h>

namespace lipkin {
namespace {

// Sizes of a shape; nothing, with a warning, where one is not positive.
template <typename Shape>
std::vector<ShapeGeometry> if_positive(const ElementReader& element, const Shape& shape,
                                       std::initializer_list<double> sizes) {
  for (const double size : sizes) {
    if (size > 0) continue;
    element.warning(fmt::format("a <{}> of size {} is left out", element.tag(), size));
    element.note(Treatment::kIgnored, "without extent");
    return {};
  }
  return {shape};
}

// Three numbers, or one for all as some files have it.
Eigen::Vector3d read_scale(const ElementReader& mesh) {
  const std::vector<double> scale = mesh.numbers("scale", {1, 3});
  if (scale.size() == 2) mesh.error("mesh scale has 2 numbers, 1 or 3 expected");
  if (scale.size() == 3) return {scale[0], scale[1], scale[2]};
  return Eigen::Vector3d::Constant(scale.empty() ? 1 : scale[0]);
}

}  // namespace

UrdfGeometryReader::UrdfGeometryReader(const std::filesystem::path& model_file, const ImportOptions& options)
    : folders_(model_file, options.package_folders), options_(options) {}

void UrdfGeometryReader::read_materials(const ElementReader& robot) {
  for (const ElementReader& material : robot.children("material")) {
    const std::string name = material.required_text("name");
    if (const std::optional<Color> color = read_color(material)) colors_[name] = *color;
  }
}

std::optional<UrdfGeometryReader::Color> UrdfGeometryReader::read_color(const ElementReader& material) {
  if (const std::optional<ElementReader> texture = material.child("texture"))
    texture->note(Treatment::kIgnored, "textures are not drawn");
  const std::optional<ElementReader> color = material.child("color");
  if (!color) return std::nullopt;
  const std::vector<double> rgba = color->numbers("rgba", {4, 4});
  if (rgba.empty()) return std::nullopt;
  return Color{rgba[0], rgba[1], rgba[2], rgba[3]};
}

std::vector<ShapeSpec> UrdfGeometryReader::read_shapes(const ElementReader& link, const std::string& contact,
                                                       const std::string& group) {
  std::vector<ShapeSpec> shapes;
  for (const ElementReader& collision : link.children("collision")) {
    for (ShapeSpec& shape : read_shape(collision, true)) {
      shape.contact = contact;
      shape.group = group;
      shapes.push_back(std::move(shape));
    }
  }
  for (const ElementReader& visual : link.children("visual"))
    for (ShapeSpec& shape : read_shape(visual, false)) shapes.push_back(std::move(shape));
  return shapes;
}

std::vector<ShapeSpec> UrdfGeometryReader::read_shape(const ElementReader& element, bool touches) {
  element.text("name");
  const Pose pose = read_urdf_origin(element);
  std::optional<Color> color;
  if (const std::optional<ElementReader> material = element.child("material")) {
    const std::string name = material->text("name", "");
    color = read_color(*material);
    if (color) colors_.emplace(name, *color);  // later links may refer to it
    if (const auto known = colors_.find(name); !color && known != colors_.end()) color = known->second;
  }
  const std::optional<ElementReader> geometry = element.child("geometry");
  if (!geometry) {
    element.warning(fmt::format("a <{}> without <geometry> is left out", element.tag()));
    return {};
  }
  std::vector<ShapeSpec> shapes;
  for (ShapeGeometry& shape : read_geometry(*geometry, touches)) {
    ShapeSpec spec;
    spec.geometry = std::move(shape);
    spec.pose = pose;
    if (color) spec.color = *color;
    spec.where = element.where();
    shapes.push_back(std::move(spec));
  }
  return shapes;
}

UrdfGeometryReader::Geometries UrdfGeometryReader::read_geometry(const ElementReader& geometry, bool touches) {
  if (const auto box = geometry.child("box")) {
    const Eigen::Vector3d size = box->vector("size", Eigen::Vector3d::Zero());
    return if_positive(*box, ShapeBox{size}, {size.x(), size.y(), size.z()});
  }
  if (const auto sphere = geometry.child("sphere")) {
    const double radius = sphere->required_number("radius");
    return if_positive(*sphere, ShapeSphere{radius}, {radius});
  }
  if (const auto cylinder = geometry.child("cylinder")) {
    const double radius = cylinder->required_number("radius"), length = cylinder->required_number("length");
    return if_positive(*cylinder, ShapeCylinder{radius, length}, {radius, length});
  }
  if (const auto capsule = geometry.child("capsule")) {
    const double radius = capsule->required_number("radius"), length = capsule->required_number("length");
    return if_positive(*capsule, ShapeCapsule{radius, length}, {radius, length});
  }
  if (const auto mesh = geometry.child("mesh")) return read_mesh(*mesh, touches);
  geometry.warning("a <geometry> that is no box, sphere, cylinder, capsule or mesh is left out");
  return {};
}

void UrdfGeometryReader::leave_out(const ElementReader& mesh, const std::string& name, const std::string& problem) {
  mesh.note(Treatment::kIgnored, "the file cannot be had");
  if (left_out_.insert(name).second)
    mesh.warning(fmt::format("the mesh '{}' is left out: {}", shortened(name), problem));
}

UrdfGeometryReader::Geometries UrdfGeometryReader::read_mesh(const ElementReader& mesh, bool touches) {
  const std::string name = mesh.required_text("filename");
  if (name.empty()) return {};
  const AssetFolders::Found found = folders_.find(name);
  if (found.path.empty()) {
    leave_out(mesh, name, found.problem);
    return {};
  }
  return load_mesh(mesh, name, found.path, touches);
}

UrdfGeometryReader::Geometries UrdfGeometryReader::load_mesh(const ElementReader& mesh, const std::string& name,
                                                             const std::filesystem::path& path, bool touches) {
  const Eigen::Vector3d scale = read_scale(mesh);
  if (!touches && !options_.visual_meshes) {
    mesh.note(Treatment::kIgnored, "looked at by the viewer only");
    return {};
  }
  try {
    if (scale.prod() == 0) throw InputError(mesh.where(), "its scale is zero");
    if (touches && options_.mesh_contact != MeshContact::kMesh) return touching(mesh, path, scale);
    return {scaled(meshes_.mesh(path, path.filename().string()), scale)};
  } catch (const InputError& error) {
    leave_out(mesh, name, error.diagnostics()[0].message);
    return {};
  }
}

UrdfGeometryReader::Geometries UrdfGeometryReader::touching(const ElementReader& mesh,
                                                            const std::filesystem::path& path,
                                                            const Eigen::Vector3d& scale) {
  const ContactHulls& known =
      meshes_.hulls(path, path.filename().string(), scale, options_.mesh_contact, options_.decomposition);
  mesh.note(Treatment::kApproximated, known.note);
  Geometries result;
  for (const std::vector<Eigen::Vector3d>& points : known.hulls) result.push_back(ShapeHull{points});
  return result;
}

}  // namespace lipkin
