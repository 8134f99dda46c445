#include "io/repetition.hpp"

#include <fmt/format.h>

#include <span>

#include "io/mapping_reader.hpp"

namespace lipkin {
namespace {

bool is_free_index(const std::string& name, const SourceLocation& where, const Scope& scope, ValueReader& values) {
  std::string reason;
  if (is_reserved_in_expressions(name) || name == "t") reason = "has a meaning in expressions";
  if (scope.is_index(name)) reason = "is the index of another repetition";
  if (scope.instance->parameters.contains(name)) reason = "is a parameter";
  if (!reason.empty()) values.diagnostics().error(where, fmt::format("'{}' cannot be an index: it {}", name, reason));
  return reason.empty();
}

// The first repetition is the outermost.
void run(std::span<const Node> repetitions, const Scope& outer, ValueReader& values,
         const std::function<void(const Scope&)>& use) {
  if (repetitions.empty()) return use(outer);
  const MappingReader repetition(repetitions.front(), "repetition", outer, values);
  const int errors_before = values.diagnostics().error_count();
  const std::string name = repetition.text("index");
  const double count = repetition.number("count");
  const double from = repetition.number("from");
  if (!is_free_index(name, repetition.where("index"), outer, values)) return;
  if (values.diagnostics().error_count() != errors_before) return;
  values.count_items(count, repetition.where());  // before any is made
  Scope scope = outer;
  scope.indices.push_back({name, from});
  for (double i = 0; i < count; i += 1) {
    scope.indices.back().value = from + i;
    scope.first_copy = i == 0;
    run(repetitions.subspan(1), scope, values, use);
  }
}

}  // namespace

void for_each_copy(const Node& item, const Scope& scope, ValueReader& values,
                   const std::function<void(const Scope&)>& use) {
  const Node* repeat = item.find("repeat");
  values.count_items(1, item.where());
  if (!repeat) return use(scope);
  const Node& written = ValueReader::pick(*repeat, scope);
  run(written.is_sequence() ? std::span<const Node>(written.items) : std::span<const Node>(&written, 1), scope, values,
      use);
}

}  // namespace lipkin
