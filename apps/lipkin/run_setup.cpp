#include "run_setup.hpp"

#include <fmt/format.h>

#include <fstream>

namespace lipkin::cli {

void submit_commands(const std::string& file, Session& session, const std::function<void(const InputError&)>& refused) {
  std::ifstream in(file);
  if (!in) throw InputError({file}, "there is no such file");
  std::vector<Diagnostic> mistakes;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos || line[begin] == '#') continue;
    const SourceLocation where{file, number, 0};
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
