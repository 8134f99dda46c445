#include "io/xml/element_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest_name.hpp"
#include "io/xml/number_text.hpp"

namespace lipkin {
namespace {

std::string count_text(ElementReader::Count count) {
  if (count.least == count.most) return fmt::format("{} expected", count.least);
  if (count.most == ElementReader::kAnyNumber) return fmt::format("at least {} expected", count.least);
  return fmt::format("{} to {} expected", count.least, count.most);
}

std::string numbers_text(std::size_t count) { return count == 1 ? "1 number" : fmt::format("{} numbers", count); }

}  // namespace

// A colour that is left blank, as some programs write it, is none.
const XmlAttribute* ElementReader::find(std::string_view attribute) const {
  const XmlAttribute* found = element_->attribute(attribute);
  const bool is_blank_color = found && attribute == "rgba" && words_of(found->value).empty();
  if (is_blank_color) found->is_read = true;
  return is_blank_color ? nullptr : found;
}

const XmlAttribute* ElementReader::read(std::string_view attribute) const {
  const XmlAttribute* found = find(attribute);
  if (found) {
    found->is_read = true;
  } else {
    miss(attribute);
  }
  return found;
}

void ElementReader::miss(std::string_view name) const {
  std::vector<std::string>& missed = element_->missed;
  if (std::find(missed.begin(), missed.end(), name) == missed.end()) missed.emplace_back(name);
}

bool ElementReader::has(std::string_view attribute) const {
  const bool is_there = find(attribute) != nullptr;
  if (!is_there) miss(attribute);
  return is_there;
}

SourceLocation ElementReader::where(std::string_view attribute) const {
  const XmlAttribute* found = element_->attribute(attribute);
  return found ? element_->where(*found) : where();
}

std::optional<std::string> ElementReader::text(std::string_view attribute) const {
  const XmlAttribute* found = read(attribute);
  return found ? std::optional(found->value) : std::nullopt;
}

std::string ElementReader::text(std::string_view attribute, const std::string& otherwise) const {
  return text(attribute).value_or(otherwise);
}

std::string ElementReader::required_text(std::string_view attribute) const {
  const std::optional<std::string> found = text(attribute);
  if (found && !found->empty()) return *found;
  error_at(attribute,
           fmt::format("<{}> in line {} has {} '{}'", tag(), element_->line, found ? "an empty" : "no", attribute));
  return {};
}

std::vector<double> ElementReader::numbers(std::string_view attribute, Count count, Infinite infinite) const {
  const XmlAttribute* found = read(attribute);
  if (!found) return {};
  const std::vector<std::string_view> words = words_of(found->value);
  const std::string label = fmt::format("{} {}", tag(), attribute);
  std::vector<double> values;
  for (const std::string_view word : words) {
    double value = 0;
    if (const std::string mistake = read_number(word, value); !mistake.empty()) {
      error_at(attribute, fmt::format("{}: {}", label, mistake));
      return {};
    }
    if (std::isnan(value) || (std::isinf(value) && infinite == Infinite::kRefused)) {
      error_at(attribute, fmt::format("{} is {}: expected a finite number", label, shortened(word)));
      return {};
    }
    values.push_back(value);
  }
  if (values.size() >= count.least && values.size() <= count.most) return values;
  error_at(attribute, fmt::format("{} has {}, {}", label, numbers_text(values.size()), count_text(count)));
  return {};
}

std::optional<double> ElementReader::optional_number(std::string_view attribute, Infinite infinite) const {
  const std::vector<double> values = numbers(attribute, {1, 1}, infinite);
  return values.empty() ? std::nullopt : std::optional(values[0]);
}

double ElementReader::number(std::string_view attribute, double otherwise, Infinite infinite) const {
  return optional_number(attribute, infinite).value_or(otherwise);
}

double ElementReader::required_number(std::string_view attribute) const {
  if (has(attribute)) return number(attribute, 0);
  error(fmt::format("<{}> in line {} has no '{}'", tag(), element_->line, attribute));
  return 0;
}

std::optional<long> ElementReader::optional_integer(std::string_view attribute) const {
  constexpr double kLargest = 1e15;
  const std::optional<double> value = optional_number(attribute);
  if (!value) return std::nullopt;
  if (std::floor(*value) == *value && std::abs(*value) <= kLargest) return static_cast<long>(*value);
  error_at(attribute, fmt::format("{} {} is {}: expected a whole number", tag(), attribute, *value));
  return std::nullopt;
}

Eigen::Vector3d ElementReader::vector(std::string_view attribute, const Eigen::Vector3d& otherwise) const {
  const std::vector<double> values = numbers(attribute, {3, 3});
  return values.empty() ? otherwise : Eigen::Vector3d(values[0], values[1], values[2]);
}

bool ElementReader::flag(std::string_view attribute, bool otherwise) const {
  const std::optional<std::string> written = text(attribute);
  if (!written) return otherwise;
  if (*written == "true" || *written == "1") return true;
  if (*written == "false" || *written == "0") return false;
  error_at(attribute, fmt::format("{} {} is '{}': expected true or false", tag(), attribute, shortened(*written)));
  return otherwise;
}

std::optional<ElementReader> ElementReader::child(std::string_view child_tag) const {
  const std::vector<ElementReader> found = children(child_tag);
  if (found.empty()) return std::nullopt;
  if (found.size() > 1)
    found[1].warning(fmt::format("a second <{}>; the first, in line {}, is used", child_tag, found[0].element_->line));
  return found[0];
}

std::vector<ElementReader> ElementReader::children(std::string_view child_tag) const {
  std::vector<ElementReader> found;
  for (const auto& candidate : element_->children)
    if (candidate->tag == child_tag) found.emplace_back(*candidate, *log_);
  if (found.empty()) miss(child_tag);
  return found;
}

std::vector<const XmlElement*> ElementReader::all_children() const {
  std::vector<const XmlElement*> all;
  for (const auto& each : element_->children) all.push_back(each.get());
  return all;
}

std::string ElementReader::owner() const {
  for (const XmlElement* around = element_; around && around->parent; around = around->parent)
    if (const XmlAttribute* name = around->attribute("name"); name && !name->value.empty())
      return fmt::format("{} '{}'", around->tag, shortened(name->value));
  return fmt::format("<{}>", tag());
}

void ElementReader::error(const std::string& message, const std::string& hint) const {
  log_->diagnostics.error(where(), fmt::format("{}: {}", owner(), message), hint);
}

void ElementReader::error_at(std::string_view attribute, const std::string& message, const std::string& hint) const {
  log_->diagnostics.error(where(attribute), fmt::format("{}: {}", owner(), message), hint);
}

void ElementReader::warning(const std::string& message, const std::string& hint) const {
  log_->diagnostics.warning(where(), fmt::format("{}: {}", owner(), message), hint);
}

void ElementReader::note(Treatment treatment, const std::string& reason) const { note(treatment, reason, false); }
void ElementReader::note_loss(Treatment treatment, const std::string& reason) const { note(treatment, reason, true); }

void ElementReader::note(std::string_view attribute, Treatment treatment, const std::string& reason) const {
  note(attribute, treatment, reason, false);
}

void ElementReader::note_loss(std::string_view attribute, Treatment treatment, const std::string& reason) const {
  note(attribute, treatment, reason, true);
}

void ElementReader::note(Treatment treatment, const std::string& reason, bool changes_motion) const {
  element_->is_noted = true;
  if (treatment == Treatment::kIgnored) element_->is_read = false;  // with all that is in it
  log_->report.add(report_tag(*element_), treatment, reason, where(), changes_motion);
}

void ElementReader::note(std::string_view attribute, Treatment treatment, const std::string& reason,
                         bool changes_motion) const {
  const XmlAttribute* found = read(attribute);
  if (!found) return;
  found->is_noted = true;
  log_->report.add(fmt::format("{}@{}", report_tag(*element_), attribute), treatment, reason, where(attribute),
                   changes_motion);
}

std::string report_tag(const XmlElement& element) {
  const XmlElement* parent = element.parent;
  return parent && parent->parent ? parent->tag + "/" + element.tag : element.tag;
}

void report_what_was_read(const XmlElement& root, ImportReport& report) {
  if (!root.is_noted)
    report.add(report_tag(root), root.is_read ? Treatment::kHonoured : Treatment::kIgnored, "", root.where());
  if (!root.is_read) return;
  for (const XmlAttribute& a : root.attributes)
    if (!a.is_read && !a.is_noted)
      report.add(fmt::format("{}@{}", report_tag(root), a.name), Treatment::kIgnored, "", root.where(a));
  for (const auto& child : root.children) report_what_was_read(*child, report);
}

void warn_of_misspellings(const XmlElement& root, DiagnosticList& diagnostics) {
  if (!root.is_read) return;
  const auto warn = [&](const std::string& name, const char* kind, const SourceLocation& where) {
    const std::string hint = did_you_mean(name, root.missed);
    if (!hint.empty())
      diagnostics.warning(where, fmt::format("unknown {} '{}' of <{}> is ignored", kind, shortened(name), root.tag),
                          hint);
  };
  for (const XmlAttribute& a : root.attributes)
    if (!a.is_read) warn(a.name, "attribute", root.where(a));
  for (const auto& child : root.children) {
    if (!child->is_read) warn(child->tag, "element", child->where());
    warn_of_misspellings(*child, diagnostics);
  }
}

}  // namespace lipkin
