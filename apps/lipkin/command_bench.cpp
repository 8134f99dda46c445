#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "commands.hpp"
#include "failure.hpp"

namespace lipkin::cli {
namespace {

constexpr const char* kBenchProgram = "lipkin-bench";

// Beside this program where it is installed, in the folder of the benchmarks where it was built.
std::filesystem::path find_bench_program() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const std::filesystem::path folder = self.parent_path();
  for (const auto& candidate : {folder / kBenchProgram, folder / "../../bench" / kBenchProgram}) {
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

}  // namespace

int forward_to_bench(std::vector<std::string> arguments, bool json) {
  return guarded(json, [&]() -> int {
    const std::filesystem::path program = find_bench_program();
    if (program.empty()) {
      throw UsageError("the benchmarks were not built; configure with -DLIPKIN_BUILD_BENCH=ON and build again");
    }
    const bool names_one = !arguments.empty() && arguments.front() != "--json";
    if (!names_one) arguments.insert(arguments.begin(), "--list");
    std::vector<char*> words = {const_cast<char*>(kBenchProgram)};
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    ::execv(program.c_str(), words.data());
    throw Error(fmt::format("{} cannot be started: {}", program.string(), std::strerror(errno)));
  });
}

}  // namespace lipkin::cli
