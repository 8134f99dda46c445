// Wavefront OBJ: its vertices and faces. Materials, textures and normals change no shape, and their files stay closed.
#include <fmt/format.h>

#include <charconv>

#include "io/import/mesh_builder.hpp"
#include "io/import/mesh_file.hpp"
#include "io/xml/number_text.hpp"
#include "io/xml/xml_document.hpp"
#include "model/convex_hull.hpp"

namespace lipkin {
namespace {

class ObjParser {
 public:
  explicit ObjParser(const std::string& shown_name) : shown_name_(shown_name), mesh_(shown_name) {}

  ShapeMesh parse(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      read_line(words_of(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (!has_faces_ && vertices_.size() >= 4) add_hull();
    return mesh_.take();
  }

 private:
  // A cloud of points, as programs write convex hulls.
  void add_hull() {
    std::vector<std::array<int, 3>> hull;
    try {
      hull = convex_hull(vertices_);
    } catch (const InternalError&) {
      throw InputError(where(),
                       "no hull can be put around the vertices: some nearly coincide, or are far from the rest");
    }
    for (const std::array<int, 3>& t : hull) {
      const auto corner = [&](int k) { return vertices_[static_cast<std::size_t>(t[static_cast<std::size_t>(k)])]; };
      mesh_.add_triangle({corner(0), corner(1), corner(2)});
    }
  }

  void read_line(const std::vector<std::string_view>& words) {
    if (words.empty()) return;
    if (words[0] == "v") read_vertex(words);
    if (words[0] == "f" || words[0] == "l" || words[0] == "p") has_faces_ = true;  // lines and points draw no hull
    if (words[0] == "f") read_face(words);
  }

  SourceLocation where() const { return {shown_name_, line_, 0}; }

  // Weights and colours may follow the three coordinates.
  void read_vertex(const std::vector<std::string_view>& words) {
    if (words.size() < 4) throw InputError(where(), "a vertex needs 3 numbers");
    Eigen::Vector3d vertex;
    for (std::size_t k = 0; k < 3; ++k)
      if (const std::string mistake = read_number(words[k + 1], vertex[static_cast<Eigen::Index>(k)]); !mistake.empty())
        throw InputError(where(), mistake);
    if (!vertex.allFinite()) throw InputError(where(), "a vertex is not finite");
    if (vertices_.size() >= 3 * kMaxMeshTriangles) throw InputError(where(), "the mesh has too many vertices");
    vertices_.push_back(vertex);
  }

  // "7", "7/1", "7//3" or "7/1/3"; negative: counted back from the last vertex.
  const Eigen::Vector3d& corner(std::string_view word) const {
    long index = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), index);
    const auto count = static_cast<long>(vertices_.size());
    const bool is_number = error == std::errc() && (stop == word.data() + word.size() || *stop == '/');
    if (index < 0) index += count + 1;
    if (!is_number || index < 1 || index > count)
      throw InputError(where(), fmt::format("a face names vertex '{}' of {}", shortened(word), count));
    return vertices_[static_cast<std::size_t>(index - 1)];
  }

  void read_face(const std::vector<std::string_view>& words) {
    if (words.size() < 4) throw InputError(where(), "a face needs at least 3 vertices");
    for (std::size_t i = 3; i < words.size(); ++i)
      mesh_.add_triangle({corner(words[1]), corner(words[i - 1]), corner(words[i])});
  }

  const std::string& shown_name_;
  MeshBuilder mesh_;
  std::vector<Eigen::Vector3d> vertices_;
  int line_ = 0;
  bool has_faces_ = false;
};

}  // namespace

ShapeMesh parse_obj(std::string_view bytes, const std::string& shown_name) {
  return ObjParser(shown_name).parse(bytes);
}

}  // namespace lipkin
