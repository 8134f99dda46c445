// Reads the keys of one mapping of a scene: a body, a spring, an experiment. What is left out has the schema's default.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <optional>
#include <string>
#include <vector>

#include "io/node.hpp"
#include "io/schema.hpp"
#include "io/scope.hpp"
#include "io/value_reader.hpp"
#include "lipkin/model_builder.hpp"

namespace lipkin {

// The mapping must be valid by its schema; see ValueReader for what happens at mistakes that only show in values.
class MappingReader {
 public:
  // `definition` is the schema's name for such a mapping: "body".
  MappingReader(const Node& mapping, const std::string& definition, const Scope& scope, ValueReader& values)
      : MappingReader(mapping, scene_format().definition(definition), scope, values) {}
  MappingReader(const Node& mapping, const Schema& schema, const Scope& scope, ValueReader& values)
      : mapping_(mapping), schema_(*schema.of_type(kJsonObject)), scope_(scope), values_(values) {}

  const Scope& scope() const { return scope_; }
  ValueReader& values() const { return values_; }
  SourceLocation where() const { return mapping_.where(); }
  SourceLocation where(const std::string& key) const;

  bool has(const std::string& key) const { return mapping_.find(key) != nullptr; }
  // The value of a key that is there, with first and next resolved.
  const Node& at(const std::string& key) const;
  // A mapping of its own below a key that is there.
  MappingReader below(const std::string& key) const { return {at(key), *schema_.property(key), scope_, values_}; }

  double number(const std::string& key) const;
  std::optional<double> optional_number(const std::string& key) const;
  int integer(const std::string& key) const { return static_cast<int>(number(key)); }
  // A number or a list of numbers; empty when left out.
  std::vector<double> numbers(const std::string& key) const;
  Eigen::Vector3d vector(const std::string& key) const;
  // A list of points.
  std::vector<Eigen::Vector3d> vectors(const std::string& key) const;
  // One number for all three, or three.
  Eigen::Vector3d number_or_vector(const std::string& key) const;

  // A word, an identifier, or the name of something in this file.
  std::string text(const std::string& key) const;
  std::string name(const std::string& key) const;
  // A list of names.
  std::vector<std::string> names(const std::string& key) const;

  Eigen::Vector3d axis(const std::string& key) const;
  Eigen::Quaterniond orientation(const std::string& key) const;
  Pose pose(const std::string& position_key, const std::string& orientation_key) const {
    return {vector(position_key), orientation(orientation_key)};
  }
  Signal signal(const std::string& key) const;
  std::array<Signal, 3> signals(const std::string& key) const;

  // The numbers of a list of any depth, row by row.
  std::vector<double> flat_numbers(const Node& list, const std::string& key) const;

 private:
  static std::string quoted(const std::string& key) { return "'" + key + "'"; }
  const Schema& property(const std::string& key) const;
  template <typename T>
  T default_of(const std::string& key) const;
  Signal signal_from(const Node& written, const std::string& label) const;
  Table table(const Node& rows) const;

  const Node& mapping_;
  const Schema& schema_;
  const Scope& scope_;
  ValueReader& values_;
};

}  // namespace lipkin
