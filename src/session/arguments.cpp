#include "session/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/nearest_name.hpp"

namespace lipkin {

Arguments::Arguments(std::string command, Json values) : command_(std::move(command)), values_(std::move(values)) {
  if (values_.is_null()) values_ = Json::object();
  if (!values_.is_object()) throw InvalidArgument(fmt::format("{}: args must be an object", command_));
}

const Json* Arguments::find(const std::string& key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &*found;
}

void Arguments::refuse(const std::string& key, const std::string& expected) const {
  const auto found = values_.find(key);
  if (found == values_.end())
    throw InvalidArgument(fmt::format("{}: '{}' is missing; expected {}", command_, key, expected));
  throw InvalidArgument(fmt::format("{}: '{}' is {}; expected {}", command_, key, found->dump(), expected));
}

bool Arguments::has(const std::string& key) { return find(key) != nullptr; }

const Json& Arguments::value(const std::string& key) {
  const Json* found = find(key);
  if (!found) refuse(key, "a value");
  return *found;
}

std::string Arguments::text(const std::string& key) {
  const Json* found = find(key);
  if (!found || !found->is_string()) refuse(key, "a text");
  return found->get<std::string>();
}

std::string Arguments::text_or(const std::string& key, const std::string& otherwise) {
  return has(key) ? text(key) : otherwise;
}

double Arguments::number_in(const Json& value, const std::string& key) const {
  if (!value.is_number() || !std::isfinite(value.get<double>())) refuse(key, "a finite number");
  return value.get<double>();
}

double Arguments::number(const std::string& key) {
  const Json* found = find(key);
  if (!found) refuse(key, "a number");
  return number_in(*found, key);
}

double Arguments::number_or(const std::string& key, double otherwise) { return has(key) ? number(key) : otherwise; }

std::optional<double> Arguments::optional_number(const std::string& key) {
  const Json* found = find(key);
  if (!found || found->is_null()) return {};
  return number_in(*found, key);
}

int Arguments::integer_or(const std::string& key, int otherwise) {
  const Json* found = find(key);
  if (!found) return otherwise;
  const double x = number_in(*found, key);
  if (x != std::floor(x) || std::abs(x) > 2e9) refuse(key, "a whole number");
  return static_cast<int>(x);
}

Eigen::Vector3d Arguments::vector(const std::string& key) {
  const Json* found = find(key);
  if (!found || !found->is_array() || found->size() != 3) refuse(key, "three numbers");
  return {number_in((*found)[0], key), number_in((*found)[1], key), number_in((*found)[2], key)};
}

Eigen::Vector3d Arguments::vector_or(const std::string& key, const Eigen::Vector3d& otherwise) {
  return has(key) ? vector(key) : otherwise;
}

Eigen::Vector3d Arguments::changed_vector(const std::string& key, const Eigen::Vector3d& now) {
  const Json* found = find(key);
  if (!found) return now;
  if (!found->is_array() || found->size() != 3) refuse(key, "three numbers, null for one that stays");
  Eigen::Vector3d changed = now;
  for (int k = 0; k < 3; ++k)
    if (!(*found)[k].is_null()) changed[k] = number_in((*found)[k], key);
  return changed;
}

std::string Arguments::choice(const std::string& key, const std::vector<std::string>& choices) {
  const Json* found = find(key);
  if (found && found->is_string() &&
      std::find(choices.begin(), choices.end(), found->get<std::string>()) != choices.end())
    return found->get<std::string>();
  refuse(key, fmt::format("one of {}", fmt::join(choices, ", ")));
}

std::string Arguments::choice_or(const std::string& key, const std::vector<std::string>& choices,
                                 const std::string& otherwise) {
  return has(key) ? choice(key, choices) : otherwise;
}

void Arguments::finish() const {
  for (const auto& [key, value] : values_.items()) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    const std::string hint = did_you_mean(key, known_);
    throw InvalidArgument(fmt::format("{} takes no argument '{}'{}", command_, key, hint.empty() ? "" : "; " + hint));
  }
}

}  // namespace lipkin
