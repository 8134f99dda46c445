// The arguments of one command, read by name; unknown ones are refused with the nearest known name.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "session/json.hpp"

namespace lipkin {

// Every function throws InvalidArgument naming the command and the argument.
class Arguments {
 public:
  Arguments(std::string command, Json values);

  bool has(const std::string& key);
  std::string text(const std::string& key);
  std::string text_or(const std::string& key, const std::string& otherwise);
  double number(const std::string& key);
  double number_or(const std::string& key, double otherwise);
  std::optional<double> optional_number(const std::string& key);  // absent or null: none
  int integer_or(const std::string& key, int otherwise);
  Eigen::Vector3d vector(const std::string& key);
  Eigen::Vector3d vector_or(const std::string& key, const Eigen::Vector3d& otherwise);
  Eigen::Vector3d changed_vector(const std::string& key, const Eigen::Vector3d& now);  // null among the three: as now
  const Json& value(const std::string& key);                                           // must be there
  std::string choice(const std::string& key, const std::vector<std::string>& choices);
  std::string choice_or(const std::string& key, const std::vector<std::string>& choices, const std::string& otherwise);

  // After everything was asked for: throws where something is left over.
  void finish() const;

  [[noreturn]] void refuse(const std::string& key, const std::string& expected) const;

 private:
  const Json* find(const std::string& key);
  double number_in(const Json& value, const std::string& key) const;

  std::string command_;
  Json values_;
  std::vector<std::string> known_;
};

}  // namespace lipkin
