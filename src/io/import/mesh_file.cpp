#include "io/import/mesh_file.hpp"

#include <fmt/format.h>

#include "io/text_file.hpp"
#include "io/xml/xml_document.hpp"

namespace lipkin {
namespace {

std::string lower_ending(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return ending;
}

}  // namespace

ShapeMesh read_mesh_file(const std::filesystem::path& path, const std::string& shown_name) {
  const std::string ending = lower_ending(path);
  if (ending == ".stl") return parse_stl(read_file_bytes(path, shown_name, kMaxMeshBytes), shown_name);
  if (ending == ".obj") return parse_obj(read_file_bytes(path, shown_name, kMaxMeshBytes), shown_name);
  if (ending == ".dae" || ending == ".gltf" || ending == ".glb") return parse_with_assimp(path, shown_name);
  throw InputError({shown_name}, fmt::format("'{}' is no mesh file: expected .stl, .obj, .dae, .gltf or .glb",
                                             shortened(path.filename().string())));
}

}  // namespace lipkin
