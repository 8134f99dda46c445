// What went wrong, told on stderr and, where a program listens, as one JSON object on stdout.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lipkin/error.hpp"

namespace lipkin::cli {

using Json = nlohmann::ordered_json;

// Wrong words on the command line.
class UsageError : public Error {
 public:
  using Error::Error;
};

Json to_json(const std::vector<Diagnostic>& diagnostics);

// {"message": ..., "diagnostics": [...]} of any exception.
Json error_json(const std::exception& error);

// Prints `json` on stdout, one object and a line break. NaN becomes null.
void print_json(const Json& json, int indent = 2);

// One line each, on stderr.
void print_diagnostics(const std::vector<Diagnostic>& diagnostics);

// "lipkin: error: ...", or one line per diagnostic, on stderr.
void print_error(const std::exception& error);

// The exit code of `command`, or of what it threw, which is reported.
int guarded(bool json, const std::function<int()>& command);

}  // namespace lipkin::cli
