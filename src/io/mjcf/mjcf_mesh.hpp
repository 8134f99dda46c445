// Meshes and height fields of <asset>.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/import/asset_folders.hpp"
#include "io/import/mesh_library.hpp"
#include "io/mjcf/mjcf_model.hpp"

namespace lipkin {

inline constexpr double kMjMinimum = 1e-15;  // mjMINVAL of MuJoCo

// Volume [m^3] (of a shell: area [m^2]), and centre and inertia of a body of that mass.
struct MeshMass {
  double volume = 0;
  MassProperties unit;  // of mass `volume`
};

// How the inertia of a mesh is found.
enum class MeshInertia {
  kLegacy,  // every tetrahedron over a triangle counts as positive
  kExact,   // signed: right for closed surfaces
  kConvex,  // of the convex hull
  kShell    // of the surface
};

// Formulas of MuJoCo's compiler: tetrahedra over the triangles, from the area-weighted centre of the surface for the
// centre of mass, and from that for volume and inertia. Throws InputError where there is no volume.
MeshMass mesh_mass(const ShapeMesh& mesh, MeshInertia how, const std::string& shown_name);

class MjcfAssets {
 public:
  // The folders must live as long.
  MjcfAssets(const AssetFolders& folders, const MjcfModel& model) : folders_(folders), model_(model) {}

  void read(const ElementReader& asset);

  const std::map<std::string, int>& mesh_index() const { return mesh_index_; }
  const std::map<std::string, int>& height_field_index() const { return field_index_; }

  // Null, after a warning, where the mesh cannot be had.
  const ShapeMesh* mesh(int index);
  const MeshMass* mass(int index, bool is_shell);
  // What it touches as.
  const ContactHulls* hulls(int index, MeshContact how, const DecompositionOptions& options);
  const std::string& name(int index) const { return at(meshes_, index).name; }

  const ShapeHeightField& height_field(int index) const { return at(fields_, index); }

 private:
  struct Mesh {
    explicit Mesh(MjcfElement written) : element(std::move(written)) {}

    MjcfElement element;
    std::string name, file;
    Eigen::Vector3d scale{1, 1, 1}, position{0, 0, 0};
    Eigen::Quaterniond orientation = Eigen::Quaterniond::Identity();
    MeshInertia inertia = MeshInertia::kLegacy;
    bool is_read = false;
    std::optional<ShapeMesh> mesh;
    std::optional<MeshMass> mass, shell_mass;
    bool has_no_mass = false;
    std::optional<ContactHulls> hulls;
    bool has_no_hull = false;
  };

  void read_mesh(const ElementReader& element);
  void read_inline(Mesh& mesh);
  void read_height_field(const ElementReader& element);
  std::vector<double> read_elevation(const ElementReader& element, long rows, long columns, double height);
  std::string path_of(const std::string& file, const ElementReader& element) const;
  void load(Mesh& mesh);
  void place(Mesh& mesh) const;

  const AssetFolders& folders_;
  const MjcfModel& model_;
  MeshLibrary library_;
  std::vector<Mesh> meshes_;
  std::vector<ShapeHeightField> fields_;
  std::map<std::string, int> mesh_index_, field_index_;
};

}  // namespace lipkin
