#include "io/diagnostic_list.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace lipkin {
namespace {

bool same(const Diagnostic& a, const Diagnostic& b) {
  return a.where.line == b.where.line && a.where.column == b.where.column && a.message == b.message &&
         a.where.file == b.where.file;
}

std::vector<Diagnostic> by_position(std::vector<Diagnostic> list) {
  std::unordered_map<std::string, std::size_t> file_order;
  for (const Diagnostic& d : list) file_order.emplace(d.where.file, file_order.size());
  const auto key = [&](const Diagnostic& d) {
    return std::tuple(file_order.at(d.where.file), d.where.line, d.where.column);
  };
  std::stable_sort(list.begin(), list.end(), [&](const Diagnostic& a, const Diagnostic& b) { return key(a) < key(b); });
  return list;
}

}  // namespace

void DiagnosticList::error(SourceLocation where, std::string message, std::string hint) {
  ++error_count_;
  keep(errors_, {std::move(where), std::move(message), std::move(hint), Severity::kError});
}

void DiagnosticList::warning(SourceLocation where, std::string message, std::string hint) {
  keep(warnings_, {std::move(where), std::move(message), std::move(hint), Severity::kWarning});
}

void DiagnosticList::add(const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& d : diagnostics) {
    if (d.severity == Severity::kError) {
      error(d.where, d.message, d.hint);
    } else {
      warning(d.where, d.message, d.hint);
    }
  }
}

void DiagnosticList::merge(const DiagnosticList& other) {
  const int total = error_count_ + other.error_count_;
  add(other.errors_);
  add(other.warnings_);
  error_count_ = total;
}

void DiagnosticList::keep(std::vector<Diagnostic>& list, Diagnostic diagnostic) {
  if (list.size() >= kMaxKept) return;
  const bool known = std::any_of(list.begin(), list.end(), [&](const Diagnostic& d) { return same(d, diagnostic); });
  if (!known) list.push_back(std::move(diagnostic));
}

std::vector<Diagnostic> DiagnosticList::errors() const {
  std::vector<Diagnostic> sorted = by_position(errors_);
  if (errors_.size() >= kMaxKept)
    sorted.push_back({{}, "more mistakes follow; these are the first " + std::to_string(kMaxKept), {}});
  return sorted;
}

std::vector<Diagnostic> DiagnosticList::warnings() const { return by_position(warnings_); }

}  // namespace lipkin
