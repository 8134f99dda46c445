// STL: binary, or the text that begins with "solid".
#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "io/import/mesh_builder.hpp"
#include "io/import/mesh_file.hpp"
#include "io/xml/number_text.hpp"

namespace lipkin {
namespace {

constexpr std::size_t kHeaderBytes = 84;    // 80 of text, then the number of triangles
constexpr std::size_t kTriangleBytes = 50;  // a normal and three corners in single precision, two bytes of attributes

std::uint32_t claimed_triangles(std::string_view bytes) {
  std::uint32_t count = 0;
  for (std::size_t k = 0; k < 4; ++k)
    count |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[80 + k])) << (8 * k);
  return count;
}

double float_at(std::string_view bytes, std::size_t offset) {
  float value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);  // STL is little-endian, as what we run on
  return value;
}

ShapeMesh parse_binary(std::string_view bytes, const std::string& shown_name) {
  if (bytes.size() < kHeaderBytes) throw InputError({shown_name}, "the file is too short for an STL mesh");
  const std::size_t claimed = claimed_triangles(bytes), held = (bytes.size() - kHeaderBytes) / kTriangleBytes;
  if (claimed > held)
    throw InputError({shown_name}, fmt::format("the mesh claims {} triangles but holds {}", claimed, held));
  MeshBuilder mesh(shown_name);
  for (std::size_t i = 0; i < claimed; ++i) {
    std::array<Eigen::Vector3d, 3> corners;
    for (std::size_t k = 0; k < 9; ++k)
      corners[k / 3][static_cast<Eigen::Index>(k % 3)] =
          float_at(bytes, kHeaderBytes + i * kTriangleBytes + 12 + 4 * k);
    mesh.add_triangle(corners);
  }
  return mesh.take();
}

// The lines "vertex x y z"; what lies between them says nothing new.
ShapeMesh parse_text(std::string_view text, const std::string& shown_name) {
  MeshBuilder mesh(shown_name);
  std::array<Eigen::Vector3d, 3> corners;
  std::size_t corner = 0;
  int line_number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::vector<std::string_view> words = words_of(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    if (words.empty() || words[0] != "vertex") continue;
    const SourceLocation where{shown_name, line_number, 0};
    if (words.size() != 4) throw InputError(where, "a vertex needs 3 numbers");
    for (std::size_t k = 0; k < 3; ++k)
      if (const std::string mistake = read_number(words[k + 1], corners[corner][static_cast<Eigen::Index>(k)]);
          !mistake.empty())
        throw InputError(where, mistake);
    if (++corner < 3) continue;
    mesh.add_triangle(corners);
    corner = 0;
  }
  return mesh.take();
}

// Some programs begin binary files with "solid" too; then the size tells.
bool is_text(std::string_view bytes) {
  if (!bytes.starts_with("solid")) return false;
  if (bytes.size() < kHeaderBytes) return true;
  return bytes.size() != kHeaderBytes + std::size_t{claimed_triangles(bytes)} * kTriangleBytes &&
         bytes.find("facet") != std::string_view::npos;
}

}  // namespace

ShapeMesh parse_stl(std::string_view bytes, const std::string& shown_name) {
  return is_text(bytes) ? parse_text(bytes, shown_name) : parse_binary(bytes, shown_name);
}

}  // namespace lipkin
