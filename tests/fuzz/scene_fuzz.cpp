// Any bytes as a scene file: a scene, or an InputError.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "base/temporary_folder.hpp"
#include "lipkin/scene.hpp"

namespace {

// One file, in a folder of its own so that nothing can be included.
const std::filesystem::path& scene_file() {
  static const lipkin::TemporaryFolder folder;
  static const std::filesystem::path file = folder.path() / "s.yaml";
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::ofstream(scene_file(), std::ios::binary) << std::string_view(reinterpret_cast<const char*>(data), size);
  try {
    lipkin::load_scene(scene_file().string());
  } catch (const lipkin::InputError&) {
  }
  return 0;
}
