// Any bytes as an MJCF model: a scene, or an InputError. The folder its files are looked for in does not exist.
#include <cstddef>
#include <cstdint>

#include "io/import/model_import.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    lipkin::ImportOptions options;
    options.visual_meshes = size % 2 == 1;
    options.ground = size % 3 == 1;
    lipkin::load_model_text(std::string(reinterpret_cast<const char*>(data), size), "/no-such-folder/m.xml", "m.xml",
                            options);
  } catch (const lipkin::InputError&) {
  }
  return 0;
}
