#include <fmt/format.h>

#include "commands.hpp"
#include "lipkin/scene.hpp"

namespace lipkin::cli {

int print_schema() {
  const std::string_view schema = scene_schema();
  fmt::print("{}{}", schema, schema.ends_with('\n') ? "" : "\n");
  return kSuccess;
}

}  // namespace lipkin::cli
