// Diagnostics and exceptions. Every error a user can cause carries one clear line per mistake.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace lipkin {

// Where in an input file something stands; line and column count from 1, 0 means unknown.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;

  // "file:line:column", shortened by what is unknown; empty when nothing is known.
  std::string text() const;
};

enum class Severity { kWarning, kError };

struct Diagnostic {
  SourceLocation where;
  std::string message;  // what is wrong and what was expected
  std::string hint;     // a remedy, such as the nearest known name; may be empty
  Severity severity = Severity::kError;

  // One line: "file:line:column: error: message (hint)".
  std::string text() const;
};

// Base of every exception Lipkin throws.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A wrong scene or model: everything that was found, not just the first mistake. what() has one line per diagnostic.
class InputError : public Error {
 public:
  explicit InputError(std::vector<Diagnostic> diagnostics);
  InputError(SourceLocation where, std::string message, std::string hint = {});
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

// Wrong use of the API: names the item, the value and the range.
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

// The simulation cannot go on: names time, item and quantity.
class SimulationError : public Error {
 public:
  using Error::Error;
};

// A bug of ours.
class InternalError : public Error {
 public:
  using Error::Error;
};

}  // namespace lipkin
