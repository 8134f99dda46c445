#include "io/node.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace lipkin {

const Node* Node::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i].text == key) return &items[i];
  return nullptr;
}

Node* Node::find(std::string_view key) { return const_cast<Node*>(static_cast<const Node*>(this)->find(key)); }

std::string describe(const Node& node) {
  constexpr std::size_t kShown = 40;
  switch (node.kind) {
    case Node::Kind::kNull:
      return "nothing";
    case Node::Kind::kSequence:
      return node.items.empty() ? "a list" : "a list of " + std::to_string(node.items.size());
    case Node::Kind::kMapping:
      return "a mapping";
    case Node::Kind::kScalar:
      break;
  }
  if (node.text.size() <= kShown && node.text.find('\n') == std::string::npos) return "'" + node.text + "'";
  return "'" + node.text.substr(0, std::min(kShown, node.text.find('\n'))) + "...'";
}

bool is_non_finite_literal(const Node& node) {
  constexpr std::array<std::string_view, 10> kSpellings = {".inf", "-.inf", "+.inf", ".Inf", "-.Inf",
                                                           ".INF", ".nan",  ".NaN",  ".NAN", "nan"};
  return node.is_scalar() && !node.quoted &&
         std::find(kSpellings.begin(), kSpellings.end(), node.text) != kSpellings.end();
}

bool is_plain_number(const Node& node, double* value) {
  if (!node.is_scalar() || node.quoted || node.text.empty()) return false;
  const char* begin = node.text.data();
  const char* end = begin + node.text.size();
  if (*begin == '+') ++begin;
  const char* digits = begin != end && *begin == '-' ? begin + 1 : begin;
  if (digits == end || !((*digits >= '0' && *digits <= '9') || *digits == '.')) return false;
  double parsed = 0;
  const auto [stop, error] = std::from_chars(begin, end, parsed);
  if (error != std::errc() || stop != end) return false;
  if (value) *value = parsed;
  return true;
}

}  // namespace lipkin
