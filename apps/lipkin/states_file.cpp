#include "states_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "lipkin/error.hpp"

namespace lipkin::cli {
namespace {

using nlohmann::json;

std::string read_text(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw InputError({path}, "is a folder, expected a JSON file");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw InputError({path}, fmt::format("cannot be read: {}", std::strerror(errno)));
  return {std::istreambuf_iterator<char>(stream), {}};
}

SourceLocation location_of(const std::string& path, const std::string& text, std::size_t byte) {
  const std::size_t end = std::min(byte == 0 ? 0 : byte - 1, text.size());
  const auto line_start = text.rfind('\n', end == 0 ? 0 : end - 1);
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
  const std::size_t column = line_start == std::string::npos || line_start >= end ? end + 1 : end - line_start;
  return {path, static_cast<int>(line), static_cast<int>(column)};
}

json parse(const std::string& path, const std::string& text) {
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    throw InputError(location_of(path, text, error.byte), "this is not JSON, expected {\"cases\": [...]}");
  } catch (const json::exception& error) {
    throw InputError({path}, fmt::format("this JSON cannot be used: {}", error.what()));
  }
}

class CaseReader {
 public:
  CaseReader(const std::string& path, std::size_t q_count, std::size_t u_count)
      : path_(path), q_count_(q_count), u_count_(u_count) {}

  std::vector<StateCase> read(const json& document) {
    if (!document.is_object() || !document.contains("cases") || !document["cases"].is_array()) {
      throw InputError({path_}, "has no list 'cases', expected {\"cases\": [{\"qpos\": [...], \"qvel\": [...]}]}");
    }
    std::vector<StateCase> cases;
    for (const json& entry : document["cases"]) cases.push_back(read_case(entry, cases.size() + 1));
    if (!diagnostics_.empty()) throw InputError(std::move(diagnostics_));
    return cases;
  }

 private:
  StateCase read_case(const json& entry, std::size_t number) {
    StateCase state;
    if (!entry.is_object()) {
      report(number, "is not an object with 'qpos' and 'qvel'");
      return state;
    }
    state.qpos = read_list(entry, "qpos", q_count_, number);
    state.qvel = read_list(entry, "qvel", u_count_, number);
    if (entry.contains("tau")) state.tau = read_list(entry, "tau", u_count_, number);
    return state;
  }

  std::vector<double> read_list(const json& entry, const char* key, std::size_t length, std::size_t number) {
    if (!entry.contains(key) || !entry[key].is_array()) {
      report(number, fmt::format("has no list '{}', expected {} numbers", key, length));
      return {};
    }
    const json& list = entry[key];
    if (list.size() != length) {
      report(number, fmt::format("'{}' has {} numbers, expected {}", key, list.size(), length));
      return {};
    }
    std::vector<double> values;
    for (const json& value : list) {
      if (value.is_number()) {
        values.push_back(value.get<double>());
      } else {
        report(number,
               fmt::format("'{}' has {} at place {}, expected a finite number", key, value.dump(), values.size() + 1));
        return {};
      }
    }
    return values;
  }

  void report(std::size_t number, const std::string& what) {
    diagnostics_.push_back({{path_, 0, 0}, fmt::format("case {}: {}", number, what), {}});
  }

  std::string path_;
  std::size_t q_count_, u_count_;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace

StatesFile::StatesFile(const std::string& path) : path_(path), document_(parse(path, read_text(path))) {}

std::optional<std::string> StatesFile::base() const {
  const bool is_given = document_.is_object() && document_.contains("base") && document_["base"].is_string();
  return is_given ? std::optional(document_["base"].get<std::string>()) : std::nullopt;
}

std::vector<StateCase> StatesFile::cases(int q_count, int u_count) const {
  return CaseReader(path_, static_cast<std::size_t>(q_count), static_cast<std::size_t>(u_count)).read(document_);
}

}  // namespace lipkin::cli
