#include <utility>

#include "lipkin/error.hpp"

namespace lipkin {

namespace {

std::string joined(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics) {
    if (!text.empty()) text += '\n';
    text += d.text();
  }
  return text;
}

}  // namespace

std::string SourceLocation::text() const {
  if (file.empty()) return {};
  std::string r = file;
  if (line > 0) r += ':' + std::to_string(line);
  if (line > 0 && column > 0) r += ':' + std::to_string(column);
  return r;
}

std::string Diagnostic::text() const {
  const std::string place = where.text();
  std::string r = place.empty() ? "" : place + ": ";
  r += severity == Severity::kError ? "error: " : "warning: ";
  r += message;
  if (!hint.empty()) r += " (" + hint + ")";
  return r;
}

InputError::InputError(std::vector<Diagnostic> diagnostics)
    : Error(joined(diagnostics)), diagnostics_(std::move(diagnostics)) {}

InputError::InputError(SourceLocation where, std::string message, std::string hint)
    : InputError({Diagnostic{std::move(where), std::move(message), std::move(hint)}}) {}

}  // namespace lipkin
