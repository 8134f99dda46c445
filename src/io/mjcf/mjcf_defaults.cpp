#include "io/mjcf/mjcf_defaults.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_name.hpp"

namespace lipkin {

const ElementReader* MjcfElement::level_with(std::string_view attribute) const {
  if (reader_.has(attribute)) return &reader_;
  for (const ElementReader& level : defaults_)
    if (level.has(attribute)) return &level;
  return nullptr;
}

std::optional<std::string> MjcfElement::text(std::string_view attribute) const {
  const ElementReader* level = level_with(attribute);
  return level ? level->text(attribute) : std::nullopt;
}

std::string MjcfElement::text(std::string_view attribute, const std::string& otherwise) const {
  return text(attribute).value_or(otherwise);
}

std::optional<double> MjcfElement::optional_number(std::string_view attribute) const {
  const ElementReader* level = level_with(attribute);
  return level ? level->optional_number(attribute) : std::nullopt;
}

double MjcfElement::number(std::string_view attribute, double otherwise) const {
  return optional_number(attribute).value_or(otherwise);
}

std::optional<long> MjcfElement::optional_integer(std::string_view attribute) const {
  const ElementReader* level = level_with(attribute);
  return level ? level->optional_integer(attribute) : std::nullopt;
}

std::vector<double> MjcfElement::numbers(std::string_view attribute, Count count) const {
  std::vector<double> values;
  const auto overlay = [&](const ElementReader& level) {
    const std::vector<double> given = level.numbers(attribute, count);
    if (given.size() > values.size()) values.resize(given.size());
    std::copy(given.begin(), given.end(), values.begin());
  };
  for (auto level = defaults_.rbegin(); level != defaults_.rend(); ++level) overlay(*level);
  overlay(reader_);
  return values;
}

double MjcfElement::linear_coefficient(std::string_view attribute) const {
  const std::vector<double> values = numbers(attribute, {1, 3});
  const ElementReader* level = level_with(attribute);
  if (level && values.size() > 1 && (values[1] != 0 || values.back() != 0))
    level->note_loss(attribute, Treatment::kApproximated, "its linear part only");
  return values.empty() ? 0 : values[0];
}

Eigen::Vector3d MjcfElement::vector(std::string_view attribute, const Eigen::Vector3d& otherwise) const {
  const ElementReader* level = level_with(attribute);
  return level ? level->vector(attribute, otherwise) : otherwise;
}

bool MjcfElement::flag(std::string_view attribute, bool otherwise) const {
  const ElementReader* level = level_with(attribute);
  return level ? level->flag(attribute, otherwise) : otherwise;
}

void MjcfDefaults::read(const ElementReader& element) {
  if (const std::optional<std::string> name = element.text("class")) index_.emplace(*name, 0);
  read_into(element, 0);
}

void MjcfDefaults::read_apart(const ElementReader& element) {
  const auto [known, is_new] = index_.emplace(element.required_text("class"), static_cast<int>(classes_.size()));
  if (is_new) classes_.emplace_back();
  read_into(element, known->second);
}

void MjcfDefaults::read_into(const ElementReader& element, int index) {
  classes_[static_cast<std::size_t>(index)].elements.push_back(element);
  for (const ElementReader& child : element.children("default")) {
    const std::string name = child.required_text("class");
    if (name.empty()) continue;
    const auto [known, is_new] = index_.emplace(name, static_cast<int>(classes_.size()));
    if (is_new) {
      Class added;
      added.parent = index;
      classes_.push_back(std::move(added));
    } else if (known->second == 0 || classes_[static_cast<std::size_t>(known->second)].parent != index) {
      child.error(fmt::format("the default class '{}' is defined twice", shortened(name)));
      continue;
    }
    read_into(child, known->second);
  }
}

int MjcfDefaults::class_of(const std::string& name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? -1 : found->second;
}

bool MjcfDefaults::require(const ElementReader& element, std::string_view attribute,
                           const std::string& class_name) const {
  if (class_of(class_name) >= 0) return true;
  constexpr int kMostHints = 10;  // each compares with every name
  std::vector<std::string> known;
  if (element.log().diagnostics.error_count() < kMostHints)
    for (const auto& [name, unused] : index_) known.push_back(name);
  element.error_at(attribute, fmt::format("the default class '{}' is not defined", shortened(class_name)),
                   did_you_mean(class_name, known));
  return false;
}

std::vector<ElementReader> MjcfDefaults::chain(const std::string& class_name) const {
  std::vector<ElementReader> result;
  for (int c = std::max(0, class_name.empty() ? 0 : class_of(class_name)); c >= 0;
       c = classes_[static_cast<std::size_t>(c)].parent) {
    const std::vector<ElementReader>& elements = classes_[static_cast<std::size_t>(c)].elements;
    result.insert(result.end(), elements.rbegin(), elements.rend());
  }
  std::reverse(result.begin(), result.end());
  return result;
}

MjcfElement MjcfDefaults::with_defaults(const ElementReader& element, const std::string& child_class,
                                        std::string_view tag) const {
  std::string name = child_class;
  if (const std::optional<std::string> given = element.text("class"))
    name = require(element, "class", *given) ? *given : "";
  std::vector<ElementReader> defaults;
  for (const ElementReader& level : chain(name))
    for (const ElementReader& each : level.children(tag)) defaults.push_back(each);
  std::reverse(defaults.begin(), defaults.end());
  return MjcfElement(element, std::move(defaults));
}

}  // namespace lipkin
