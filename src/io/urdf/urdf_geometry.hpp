// The <visual> and <collision> elements of a URDF link.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "io/import/asset_folders.hpp"
#include "io/import/mesh_library.hpp"
#include "io/urdf/urdf_robot.hpp"
#include "lipkin/import.hpp"

namespace lipkin {

class UrdfGeometryReader {
 public:
  UrdfGeometryReader(const std::filesystem::path& model_file, const ImportOptions& options);

  // The colours of the robot's own <material>s, which links refer to by name.
  void read_materials(const ElementReader& robot);

  // Shapes in the link's frame. Those of <collision> touch with the material `contact`; meshes among them become
  // convex hulls unless the options say otherwise. Where a mesh cannot be had, a warning says why and the shape is left
  // out.
  std::vector<ShapeSpec> read_shapes(const ElementReader& link, const std::string& contact, const std::string& group);

 private:
  using Color = std::array<double, 4>;

  using Geometries = std::vector<ShapeGeometry>;  // several: the hulls of one mesh

  std::vector<ShapeSpec> read_shape(const ElementReader& element, bool touches);
  Geometries read_geometry(const ElementReader& geometry, bool touches);
  Geometries read_mesh(const ElementReader& mesh, bool touches);
  Geometries load_mesh(const ElementReader& mesh, const std::string& name, const std::filesystem::path& path,
                       bool touches);
  Geometries touching(const ElementReader& mesh, const std::filesystem::path& path, const Eigen::Vector3d& scale);
  void leave_out(const ElementReader& mesh, const std::string& name, const std::string& problem);
  std::optional<Color> read_color(const ElementReader& material);

  AssetFolders folders_;
  ImportOptions options_;
  MeshLibrary meshes_;
  std::map<std::string, Color> colors_;
  std::set<std::string> left_out_;  // meshes that were complained about
};

}  // namespace lipkin
