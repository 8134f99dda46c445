#include "io/overrides.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/nearest_name.hpp"
#include "io/schema.hpp"
#include "io/yaml_document.hpp"

namespace lipkin {
namespace {

std::optional<std::size_t> position_of(std::string_view text) {
  std::size_t position = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), position);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional<std::size_t>(position) : std::nullopt;
}

const Node* name_of_item(const Node& item) {
  const Node* name = item.is_mapping() ? item.find("name") : nullptr;
  return name && name->is_scalar() ? name : nullptr;
}

// The names by which the parts of a list or mapping are reached.
std::vector<std::string> names_in(const Node& node) {
  std::vector<std::string> names;
  for (const Node& key : node.keys) names.push_back(key.text);
  if (!node.is_sequence()) return names;
  for (const Node& item : node.items)
    if (const Node* name = name_of_item(item)) names.push_back(name->text);
  return names;
}

// The nearest name or, where none is near and there are few, all of them.
std::string hint_among(const std::vector<std::string>& names, std::string_view wanted) {
  constexpr std::size_t kFew = 20;
  const std::string nearest = did_you_mean(wanted, names);
  const bool list_all = nearest.empty() && !names.empty() && names.size() <= kFew;
  return list_all ? fmt::format("there are {}", fmt::join(names, ", ")) : nearest;
}

// An item of a list by its name or position.
Node* find_item(Node& list, std::string_view step) {
  for (Node& item : list.items)
    if (const Node* name = name_of_item(item); name && name->text == step) return &item;
  const std::optional<std::size_t> position = position_of(step);
  return position && *position < list.items.size() ? &list.items[*position] : nullptr;
}

Node* find_part(Node& node, std::string_view step) {
  if (node.is_mapping()) return node.find(step);
  return node.is_sequence() ? find_item(node, step) : nullptr;
}

// Every part of the tree then stands at "--set path=value".
void move_to(Node& node, const std::shared_ptr<const std::string>& place) {
  node.file = place;
  node.line = node.column = 0;
  for (Node& key : node.keys) move_to(key, place);
  for (Node& item : node.items) move_to(item, place);
}

Node* add_key(Node& mapping, std::string_view name, const std::shared_ptr<const std::string>& place) {
  Node key;
  key.kind = Node::Kind::kScalar;
  key.text = std::string(name);
  key.file = place;
  mapping.keys.push_back(key);
  return &mapping.items.emplace_back();
}

class Override {
 public:
  Override(const std::string& path, const std::string& value, std::map<std::string, Node>& of_included,
           DiagnosticList& diagnostics)
      : path_(path),
        value_(value),
        place_(std::make_shared<const std::string>("--set " + path + "=" + value)),
        of_included_(of_included),
        diagnostics_(diagnostics) {}

  void apply(Node& root) {
    Node* target = root.is_mapping() ? find_target(root) : nullptr;
    if (!target) return;
    try {
      Node value = parse_yaml(value_, *place_, diagnostics_);
      move_to(value, place_);
      // {value: 1, unit: m} and {expr: ..., unit: J} keep their units.
      for (const char* inner : {"value", "expr"})
        if (value.is_scalar() && target->is_mapping() && target->find(inner)) target = target->find(inner);
      *target = std::move(value);
    } catch (const InputError& mistake) {
      if (value_.empty()) return fail("there is no value behind '='");
      fail(mistake.diagnostics().front().message, mistake.diagnostics().front().hint);
    }
  }

 private:
  void fail(const std::string& message, const std::string& hint = {}) { diagnostics_.error({*place_}, message, hint); }

  Node* find_target(Node& root) {
    Node* parameters = root.find("parameters");
    if (parameters && parameters->is_mapping() && parameters->find(path_)) return parameters->find(path_);
    const bool is_key = scene_format().root().property(path_) != nullptr;
    if (path_.find('.') == std::string::npos && !is_key) {
      if (root.find("include") && !path_.empty()) return &of_included_[path_];
      report_unknown_parameter(path_, {*place_}, parameters ? names_in(*parameters) : std::vector<std::string>(),
                               diagnostics_);
      return nullptr;
    }
    return descend(root, path_, "the scene");
  }

  // Follows the rest of the path from `node`, which is called `shown` in messages.
  Node* descend(Node& node, std::string_view rest, const std::string& shown) {
    if (Node* whole = find_part(node, rest)) return whole;  // a key may contain dots
    const std::size_t dot = rest.find('.');
    const std::string_view step = rest.substr(0, dot);
    const bool is_last = dot == std::string_view::npos;
    if (Node* part = is_last ? nullptr : find_part(node, step))
      return descend(*part, rest.substr(dot + 1),
                     fmt::format("'{}'", path_.substr(0, path_.size() - rest.size() + dot)));
    // A key that is left out may be given here; the schema then judges it. Parameters must exist.
    const bool may_add = is_last || (step == "experiment" && shown == "the scene") ||
                         (step == "solver_options" && shown == "'experiment'");
    if (node.is_mapping() && may_add && shown != "'parameters'") {
      Node* added = add_key(node, step, place_);
      if (is_last) return added;
      added->kind = Node::Kind::kMapping;
      added->file = place_;
      return descend(*added, rest.substr(dot + 1), fmt::format("'{}'", step));
    }
    const bool has_parts = node.is_mapping() || node.is_sequence();
    fail(has_parts ? fmt::format("there is no '{}' in {}", step, shown) : fmt::format("{} has no parts", shown),
         hint_among(names_in(node), step));
    return nullptr;
  }

  const std::string& path_;
  const std::string& value_;
  std::shared_ptr<const std::string> place_;
  std::map<std::string, Node>& of_included_;
  DiagnosticList& diagnostics_;
};

}  // namespace

std::map<std::string, Node> apply_overrides(Node& root,
                                            const std::vector<std::pair<std::string, std::string>>& overrides,
                                            DiagnosticList& diagnostics) {
  std::map<std::string, Node> of_included;
  for (const auto& [path, value] : overrides) Override(path, value, of_included, diagnostics).apply(root);
  return of_included;
}

void report_unknown_parameter(const std::string& name, const SourceLocation& where, std::vector<std::string> parameters,
                              DiagnosticList& diagnostics) {
  for (const std::string& key : scene_format().root().property_names) parameters.push_back(key);
  diagnostics.error(where, fmt::format("the scene has no parameter '{}'", name), did_you_mean(name, parameters));
}

}  // namespace lipkin
