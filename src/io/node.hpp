// A YAML document as a tree of values that know where they stand in their file.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lipkin/error.hpp"

namespace lipkin {

struct Node {
  enum class Kind : unsigned char { kNull, kScalar, kSequence, kMapping };

  Kind kind = Kind::kNull;
  bool quoted = false;      // a scalar in quotes or a block scalar: text even if it looks like a number
  int line = 0;             // from 1; 0: unknown
  int column = 0;           // from 1
  std::string text;         // of a scalar
  std::vector<Node> keys;   // of a mapping, beside `items`; scalars
  std::vector<Node> items;  // of a sequence or mapping
  std::shared_ptr<const std::string> file;

  bool is_null() const { return kind == Kind::kNull; }
  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_sequence() const { return kind == Kind::kSequence; }
  bool is_mapping() const { return kind == Kind::kMapping; }

  SourceLocation where() const { return {file ? *file : std::string(), line, column}; }

  // Value of a key of a mapping; null when there is none.
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
};

// "a list of 3", "a mapping", "'text'" (shortened) or "nothing", for messages.
std::string describe(const Node& node);

// YAML's own spellings of infinity and not-a-number, which are no arithmetic.
bool is_non_finite_literal(const Node& node);

// The scalar without quotes as a plain decimal number. False for anything else, arithmetic included.
bool is_plain_number(const Node& node, double* value = nullptr);

}  // namespace lipkin
