// Any bytes as STL and as OBJ: a mesh with a hull, or an InputError.
#include <cstddef>
#include <cstdint>

#include "io/hulls/hull_points.hpp"
#include "io/import/mesh_file.hpp"
#include "io/import/mesh_library.hpp"

namespace {

template <typename Parse>
void read(const Parse& parse, std::string_view bytes) {
  try {
    lipkin::hull_of(parse(bytes, "m"), "m");
  } catch (const lipkin::InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read(lipkin::parse_stl, bytes);
  read(lipkin::parse_obj, bytes);
  return 0;
}
