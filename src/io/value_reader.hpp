// The values of a scene's scalars: numbers by arithmetic, names with their indices filled in, expressions for the run.
#pragma once

#include <string>
#include <unordered_map>
#include <variant>

#include "base/expression.hpp"
#include "io/diagnostic_list.hpp"
#include "io/hulls/contact_hulls.hpp"
#include "io/node.hpp"
#include "io/schema.hpp"
#include "io/scope.hpp"
#include "lipkin/import.hpp"

namespace lipkin {

// Thrown when a scene outgrows its bounds; the reason is among the diagnostics.
struct ReadingStopped {};

// Every function reports a mistake to the diagnostics and then returns something harmless (0, an empty text).
class ValueReader {
 public:
  static constexpr int kMaxItems = 1'000'000;

  explicit ValueReader(DiagnosticList& diagnostics) : diagnostics_(&diagnostics) {}

  DiagnosticList& diagnostics() const { return *diagnostics_; }

  // What was made of what the scene holds and a user may want to know of: approximations that it asked for.
  ImportReport& notes() { return notes_; }

  // The hulls of meshes read before.
  HullLibrary& hull_library() { return hull_library_; }

  // Counts so many more items of the scene, copies and inclusions included; throws ReadingStopped beyond kMaxItems.
  void count_items(double count, const SourceLocation& where);

  // What {first: A, next: B} stands for in this copy; anything else stands for itself.
  static const Node& pick(const Node& node, const Scope& scope);

  // A number or arithmetic, within the range of `schema`; `label` names it in messages, such as "'mass'".
  double number(const Node& node, const Schema& schema, const Scope& scope, const std::string& label);

  // Where a plain number that is an angle goes beyond a turn.
  void warn_of_degrees(const Node& node, const std::string& label);
  // Likewise for two angles, in one line.
  void warn_of_degrees_in_range(const Node& range, const std::string& key);

  // Where the four numbers from `first` on, which have these values, look like a quaternion with w last: with w first
  // it is half a turn, which may be written as `half_turn`, or with the opposite signs.
  void warn_of_w_last(const Node& list, const std::vector<double>& values, std::size_t first, const std::string& key,
                      const std::string& half_turn = {});

  // The text with arithmetic in braces replaced by its whole-number value.
  std::string text(const Node& node, const Scope& scope);

  // The same for something that must come out as a name.
  std::string name(const Node& node, const Scope& scope, const std::string& label);

  // An expression for the run, its names those of the whole scene.
  std::string expression(const Node& node, const Scope& scope, const std::string& label);

  // The same, or its value where that is known before the run: numbers, parameters and indices only.
  std::variant<double, ExpressionText> signal(const Node& node, const Scope& scope, const std::string& label);

 private:
  double evaluate(const Expression& expression, const SourceLocation& where, const Scope& scope);
  double evaluate_in_braces(const std::string& text, const Node& node, const Scope& scope);
  double in_range(double value, const Node& node, const Schema& schema, const std::string& label);
  const Expression* parsed(const Node& node, const std::string& label);

  DiagnosticList* diagnostics_;
  ImportReport notes_;
  HullLibrary hull_library_;
  double item_count_ = 0;
  // Of scalars read before: a repeated item is read once per copy.
  std::unordered_map<const Node*, Expression> expressions_;
};

}  // namespace lipkin
