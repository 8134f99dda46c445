// Checks a YAML tree against a schema and says what is wrong where.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "io/diagnostic_list.hpp"
#include "io/instead.hpp"
#include "io/node.hpp"
#include "io/schema.hpp"

namespace lipkin {

class SchemaValidator {
 public:
  enum class Hints { kWanted, kNotWanted };  // not wanted: by who only asks whether something fits

  explicit SchemaValidator(Hints hints = Hints::kWanted) : wants_hints_(hints == Hints::kWanted) {}

  // Finds every mistake in `node`; `label` names it in messages, such as "'mass'". Numbers written out are checked
  // against their range and arithmetic for its grammar; the values of arithmetic are left to the reader. Stops after
  // DiagnosticList::kMaxKept mistakes.
  void validate(const Node& node, const Schema& schema, const std::string& label);

  const DiagnosticList& diagnostics() const { return diagnostics_; }

  // False for a validated node with a mistake in or below it.
  bool is_sound(const Node& node) const { return !damaged_.contains(&node); }

 private:
  bool has_enough() const { return diagnostics_.error_count() >= DiagnosticList::kMaxKept; }
  void validate_checked(const Node& node, const Schema& schema, const std::string& label);
  void validate_alternatives(const Node& node, const Schema& schema, const std::string& label);
  void validate_scalar(const Node& node, const Schema& schema, const std::string& label);
  void validate_text(const Node& node, const Schema& schema, const std::string& label);
  void validate_sequence(const Node& node, const Schema& schema, const std::string& label);
  void validate_mapping(const Node& node, const Schema& schema, const std::string& label);
  std::string validate_entry(const Node& mapping, std::size_t index, const Schema& schema, const Schema::Keys& meant);
  bool refuse_path(const Node& key, const Schema& schema);
  void require_keys(const Node& node, const Schema& schema, const Schema::Keys& meant);
  void require_beside(const Node& node, const Schema& schema);
  void require_one_choice(const Node& node, const Schema& schema, const Schema::Keys& meant);
  void refuse(const Node& node, const Schema& schema, const std::string& label);
  std::string instead_of(const Node& node, const Schema& schema, const std::string& label) const;
  std::string refuse_unknown_key(const Node& mapping, std::size_t index, const Schema& schema,
                                 const Schema::Keys& meant);
  MisplacedKey place_of(const Node& mapping, std::size_t index, const Schema& schema) const;
  bool is_given_elsewhere(const std::string& key) const;
  std::size_t refuse_split_value(const Node& first, const std::vector<const Node*>& rest, const std::string& label,
                                 const std::string& key);
  bool refuse_split_item(const Node& list, const std::string& label);
  std::size_t refuse_split_entry(const Node& mapping, std::size_t index);

  bool wants_hints_;
  const Node* whole_ = nullptr;        // the file, or what is validated of it
  std::vector<const Schema*> around_;  // the mappings around the place at hand, the outermost first
  DiagnosticList diagnostics_;
  std::unordered_set<const Node*> damaged_;
};

// The range check of validated numbers and of the values of arithmetic: empty when `value` fits, otherwise what was
// expected, such as "at least 0".
std::string range_mistake(const Schema& schema, double value);

// "a key must be ..., not ..." in the form every message of the reader has.
std::string expected_text(const std::string& label, const std::string& expected, const Node& found);

}  // namespace lipkin
