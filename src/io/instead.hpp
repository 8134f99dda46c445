// What to write instead of something that does not fit the scene format: the same values in the form that fits, where
// one can be found and passes the schema, and otherwise what such a value looks like.
#pragma once

#include <string>

#include "io/node.hpp"
#include "io/schema.hpp"

namespace lipkin {

// A node as YAML in one line: {size: [0.1, 0.2, 0.3]}.
std::string written(const Node& node);

// "write box: {size: [0.1, 0.2, 0.3]}" for `found` as the value of `key` (empty: of an item of a list), which `schema`
// refuses; may be empty.
std::string write_instead(const Node& found, const Schema& schema, const std::string& key);

// The first of these only: the same values in a form that fits; empty where there is none.
std::string write_in_another_form(const Node& found, const Schema& schema, const std::string& key);

// "mass: NUMBER": an entry that a mapping of this schema needs.
std::string example_entry(const Schema& mapping, const std::string& key);

// For a mapping that must have one of several keys and names it by a value, with the parts of that choice beside it:
// {type: sphere, radius: 1} is "{sphere: {radius: 1}}". Empty where that is not so.
std::string choice_named_by_value(const Node& node, const Schema& mapping);

// Where the unknown `key` of a mapping belongs: its name here, a mapping beside it, or `outer`, the mapping around this
// one (or null). `takes_place_of` names the key of this mapping that it stands for, if any: that one is not missing;
// with kAnyKey none is.
inline constexpr const char* kAnyKey = "*";
struct MisplacedKey {
  std::string hint;
  std::string takes_place_of = {};
};
// Without `looks_inside` the mappings beside it are not tried, which takes time.
MisplacedKey place_of_key(const Node& key, const Node& value, const Schema& mapping, const Schema* outer,
                          bool looks_inside);

}  // namespace lipkin
