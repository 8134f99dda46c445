#include "lipkin/export.hpp"
#include "record/atomic_file.hpp"

namespace lipkin {

void write_text(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace lipkin
