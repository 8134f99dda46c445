// The forms that a value may have been meant to have: as a list, as a mapping, under the key that takes it, in radians.
#pragma once

#include <string>
#include <vector>

#include "io/node.hpp"
#include "io/schema.hpp"

namespace lipkin {

// Nodes that stand nowhere.
Node scalar(const std::string& text);
Node list(std::vector<Node> items);
Node dictionary(std::vector<Node> keys, std::vector<Node> values);
Node entry(const std::string& key, Node value);  // a mapping of one

// The schemas of a type among the alternatives, without the pair {first, next} that every value may be.
std::vector<const Schema*> forms(const Schema& schema, JsonType type);

bool is_number(const Schema& schema);

// The values of `found` written in every other form that `schema` has room for, likely ones first. Whether one fits is
// not asked.
std::vector<Node> other_forms(const Node& found, const Schema& schema);

// One number where three are wanted: which of them it is cannot be known. No body has one moment of inertia alone: two
// of them are at least the third.
std::vector<Node> vectors_of(const Node& found, bool is_inertia);

}  // namespace lipkin
