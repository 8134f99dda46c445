#include "io/import/mesh_library.hpp"

#include <fmt/format.h>

#include "io/import/mesh_file.hpp"

namespace lipkin {

ShapeMesh scaled(const ShapeMesh& mesh, const Eigen::Vector3d& scale) {
  ShapeMesh result = mesh;
  for (Eigen::Vector3d& v : result.vertices) v = v.cwiseProduct(scale);
  if (scale.prod() < 0)
    for (std::array<int, 3>& t : result.triangles) std::swap(t[1], t[2]);
  return result;
}

void MeshLibrary::read(const std::filesystem::path& path, const std::string& shown_name, Entry& entry) {
  try {
    entry.mesh = read_mesh_file(path, shown_name);
    triangle_count_ += entry.mesh.triangles.size();
    if (triangle_count_ > kMaxTriangles)
      throw InputError({shown_name},
                       fmt::format("the meshes of the model have more than {} triangles together, which is the limit",
                                   kMaxTriangles));
  } catch (const InputError& error) {
    entry.mesh = {};
    entry.mistakes = error.diagnostics();
  }
}

MeshLibrary::Entry& MeshLibrary::entry(const std::filesystem::path& path, const std::string& shown_name) {
  const auto [known, is_new] = entries_.try_emplace(path);
  if (is_new) read(path, shown_name, known->second);
  if (!known->second.mistakes.empty()) throw InputError(known->second.mistakes);
  return known->second;
}

const ShapeMesh& MeshLibrary::mesh(const std::filesystem::path& path, const std::string& shown_name) {
  return entry(path, shown_name).mesh;
}

const ContactHulls& MeshLibrary::hulls(const std::filesystem::path& path, const std::string& shown_name,
                                       const Eigen::Vector3d& scale, MeshContact how,
                                       const DecompositionOptions& options) {
  Entry& found = entry(path, shown_name);
  const std::array<double, 3> key = {scale.x(), scale.y(), scale.z()};
  auto known = found.hulls.find(key);
  if (known == found.hulls.end())
    known = found.hulls.emplace(key, contact_hulls(scaled(found.mesh, scale), how, options, shown_name)).first;
  return known->second;
}

}  // namespace lipkin
