#include "run_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace lipkin::cli {
namespace {

// Whether a list or an object begins in this line that ends in another: each of its lines would be a mistake again.
bool goes_on(const std::string& line) {
  const auto opens = [](char c) { return c == '{' || c == '['; };
  const auto closes = [](char c) { return c == '}' || c == ']'; };
  return std::count_if(line.begin(), line.end(), opens) > std::count_if(line.begin(), line.end(), closes);
}

}  // namespace

void submit_commands(const std::string& file, Session& session, const std::function<void(const InputError&)>& refused) {
  std::ifstream in(file);
  if (!in) throw InputError({file}, "there is no such file");
  std::vector<Diagnostic> mistakes;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos || line[begin] == '#') continue;
    const SourceLocation where{file, number, 0};
    if (goes_on(line)) line += '\n' + std::string(std::istreambuf_iterator<char>(in), {});
    const std::string mistake = command_mistake(line);
    if (!mistake.empty()) {
      mistakes.push_back({where, mistake, {}, Severity::kError});
      continue;
    }
    session.submit(line, [where, refused](const CommandAnswer& answer) {
      if (!answer.ok) refused(InputError(where, answer.error));
    });
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
}

}  // namespace lipkin::cli
