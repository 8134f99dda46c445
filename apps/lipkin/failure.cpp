#include "failure.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "commands.hpp"

namespace lipkin::cli {
namespace {

int exit_code_of(const std::exception& error) {
  const bool refused = dynamic_cast<const InputError*>(&error) != nullptr ||
                       dynamic_cast<const InvalidArgument*>(&error) != nullptr ||
                       dynamic_cast<const UsageError*>(&error) != nullptr;
  return refused ? kRefused : kFailed;
}

std::string message_of(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return "not enough memory";
  const bool ours = dynamic_cast<const Error*>(&error) != nullptr;
  const bool bug = dynamic_cast<const InternalError*>(&error) != nullptr;
  return !ours || bug ? fmt::format("internal error: {}", error.what()) : error.what();
}

// A full disk behind stdout must not look like success.
int flushed(int exit_code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  fmt::print(stderr, "lipkin: error: standard output cannot be written: {}\n", std::strerror(errno));
  return exit_code == kSuccess ? kFailed : exit_code;
}

}  // namespace

Json to_json(const std::vector<Diagnostic>& diagnostics) {
  Json list = Json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    Json entry;
    entry["severity"] = diagnostic.severity == Severity::kError ? "error" : "warning";
    entry["file"] = diagnostic.where.file;
    entry["line"] = diagnostic.where.line;
    entry["column"] = diagnostic.where.column;
    entry["message"] = diagnostic.message;
    entry["hint"] = diagnostic.hint;
    list.push_back(std::move(entry));
  }
  return list;
}

Json error_json(const std::exception& error) {
  Json json;
  json["message"] = message_of(error);
  const auto* input_error = dynamic_cast<const InputError*>(&error);
  json["diagnostics"] = input_error == nullptr ? Json::array() : to_json(input_error->diagnostics());
  return json;
}

void print_json(const Json& json, int indent) {
  fmt::print("{}\n", json.dump(indent, ' ', false, Json::error_handler_t::replace));
}

void print_diagnostics(const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) fmt::print(stderr, "{}\n", diagnostic.text());
}

void print_error(const std::exception& error) {
  if (dynamic_cast<const InputError*>(&error) != nullptr) {
    fmt::print(stderr, "{}\n", error.what());
  } else {
    fmt::print(stderr, "lipkin: error: {}\n", message_of(error));
  }
}

int guarded(bool json, const std::function<int()>& command) {
  try {
    return flushed(command());
  } catch (const std::exception& error) {
    std::fflush(stdout);
    print_error(error);
    if (json) print_json(Json{{"error", error_json(error)}});
    return flushed(exit_code_of(error));
  }
}

}  // namespace lipkin::cli
