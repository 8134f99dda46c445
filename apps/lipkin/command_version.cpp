#include <fmt/format.h>

#include <build_info.hpp>  // written by CMake
#include "commands.hpp"
#include "failure.hpp"
#include "lipkin/version.hpp"
#include "text.hpp"

namespace lipkin::cli {
namespace {

void print_version_text() {
  std::vector<std::vector<std::string>> rows = {
      {"compiler", kCompiler}, {"build type", kBuildType}, {"instruction set", std::string(instruction_set())}};
  for (const OptionalPart& part : kOptionalParts) {
    rows.push_back({part.name, fmt::format("{} ({})", part.built_in ? "built in" : "not built in", part.purpose)});
  }
  fmt::print("lipkin {}\n{}", version(), table_text(rows, {true, true}));
}

Json version_json() {
  Json parts = Json::object();
  for (const OptionalPart& part : kOptionalParts) parts[part.name] = part.built_in;
  return {{"version", version()},
          {"compiler", kCompiler},
          {"build_type", kBuildType},
          {"instruction_set", instruction_set()},
          {"optional_parts", parts}};
}

}  // namespace

int print_version(bool json) {
  if (json) {
    print_json(version_json());
  } else {
    print_version_text();
  }
  return kSuccess;
}

}  // namespace lipkin::cli
