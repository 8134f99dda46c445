// The mistakes and warnings found while a scene is read.
#pragma once

#include <string>
#include <vector>

#include "lipkin/error.hpp"

namespace lipkin {

class DiagnosticList {
 public:
  // Mistakes beyond this number are counted, not kept: one wrong line repeated 100,000 times needs no more.
  static constexpr int kMaxKept = 100;

  void error(SourceLocation where, std::string message, std::string hint = {});
  void warning(SourceLocation where, std::string message, std::string hint = {});
  void add(const std::vector<Diagnostic>& diagnostics);

  void merge(const DiagnosticList& other);

  int error_count() const { return error_count_; }

  // Without repetitions; files in the order they first appear, then by line and column.
  std::vector<Diagnostic> errors() const;
  std::vector<Diagnostic> warnings() const;

 private:
  void keep(std::vector<Diagnostic>& list, Diagnostic diagnostic);

  std::vector<Diagnostic> errors_, warnings_;
  int error_count_ = 0;
};

}  // namespace lipkin
