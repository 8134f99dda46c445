// Reads one element of a model file: attributes as numbers and words, children by tag. Whatever is asked for counts as
// read; report_what_was_read() tells the rest.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/diagnostic_list.hpp"
#include "io/xml/xml_document.hpp"
#include "lipkin/import.hpp"

namespace lipkin {

// Where mistakes and the report of an import are collected.
struct ImportLog {
  DiagnosticList& diagnostics;
  ImportReport& report;
};

// Mistakes go to the log, named after the nearest named element around: "joint 'j1': ...". A value with a mistake comes
// out as the one that stands for a missing attribute.
class ElementReader {
 public:
  // How many numbers an attribute may hold.
  struct Count {
    std::size_t least, most;
  };
  static constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);
  enum class Infinite { kRefused, kAllowed };

  ElementReader(const XmlElement& element, ImportLog& log) : element_(&element), log_(&log) { element.is_read = true; }

  const XmlElement& element() const { return *element_; }
  ImportLog& log() const { return *log_; }
  const std::string& tag() const { return element_->tag; }
  SourceLocation where() const { return element_->where(); }
  SourceLocation where(std::string_view attribute) const;

  bool has(std::string_view attribute) const;
  std::optional<std::string> text(std::string_view attribute) const;
  std::string text(std::string_view attribute, const std::string& otherwise) const;
  // Empty, with a mistake, when it is missing or empty.
  std::string required_text(std::string_view attribute) const;

  std::optional<double> optional_number(std::string_view attribute, Infinite infinite = Infinite::kRefused) const;
  double number(std::string_view attribute, double otherwise, Infinite infinite = Infinite::kRefused) const;
  double required_number(std::string_view attribute) const;
  std::optional<long> optional_integer(std::string_view attribute) const;
  // Empty when the attribute is missing or wrong.
  std::vector<double> numbers(std::string_view attribute, Count count, Infinite infinite = Infinite::kRefused) const;
  Eigen::Vector3d vector(std::string_view attribute, const Eigen::Vector3d& otherwise) const;
  // "true", "false", "1" or "0".
  bool flag(std::string_view attribute, bool otherwise) const;

  // The first child with the tag; more than one is a warning.
  std::optional<ElementReader> child(std::string_view tag) const;
  std::vector<ElementReader> children(std::string_view tag) const;
  // All of them; reading one is up to the caller.
  std::vector<const XmlElement*> all_children() const;

  // "joint 'j1'": the nearest element around that has a name, this one included; "<limit>" where there is none.
  std::string owner() const;

  // Mistakes and warnings about the element, or about one of its attributes; "owner: " is put in front.
  void error(const std::string& message, const std::string& hint = {}) const;
  void error_at(std::string_view attribute, const std::string& message, const std::string& hint = {}) const;
  void warning(const std::string& message, const std::string& hint = {}) const;

  // Says in the report what became of the element, or of one of its attributes, when it was not simply honoured.
  void note(Treatment treatment, const std::string& reason) const;
  void note(std::string_view attribute, Treatment treatment, const std::string& reason) const;
  // The same of what makes the model move otherwise than the file says: a warning as well.
  void note_loss(Treatment treatment, const std::string& reason) const;
  void note_loss(std::string_view attribute, Treatment treatment, const std::string& reason) const;

 private:
  const XmlAttribute* find(std::string_view attribute) const;
  const XmlAttribute* read(std::string_view attribute) const;
  void note(Treatment treatment, const std::string& reason, bool changes_motion) const;
  void note(std::string_view attribute, Treatment treatment, const std::string& reason, bool changes_motion) const;
  void miss(std::string_view name) const;

  const XmlElement* element_;
  ImportLog* log_;
};

// "joint/limit": an element and the one around it.
std::string report_tag(const XmlElement& element);

// Adds every element and attribute below `root`, itself included, to the report: read: honoured, unless there is a note
// of it already; unread: ignored, with all that is below it.
void report_what_was_read(const XmlElement& root, ImportReport& report);

// Warns of attributes and elements below `root` that nobody read and whose names are close to something that was asked
// for in the same element and is not there.
void warn_of_misspellings(const XmlElement& root, DiagnosticList& diagnostics);

}  // namespace lipkin
