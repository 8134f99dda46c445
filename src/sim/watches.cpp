#include "sim/watches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "forces/channel_values.hpp"

namespace lipkin {

namespace {

ChannelExpression compiled(const ModelData& model, const std::string& text) {
  ChannelExpression result;
  result.expression = Expression::parse(text);
  for (const ParameterSpec& p : model.parameters) result.expression = result.expression.bind(p.name, p.value);
  for (const std::string& name : result.expression.variables()) result.channels.push_back(find_channel(model, name));
  return result;
}

}  // namespace

std::vector<std::string> Watches::compile(const ModelData& model) {
  std::vector<std::string> mistakes(texts_.size());
  expressions_.assign(texts_.size(), {});
  good_.assign(texts_.size(), true);
  values_.assign(texts_.size(), std::numeric_limits<double>::quiet_NaN());
  need_ = ChannelNeed::kState;
  needs_balance_ = false;
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    try {
      expressions_[i] = compiled(model, texts_[i]);
      need_ = std::max(need_, expressions_[i].need());
      needs_balance_ = needs_balance_ || expressions_[i].needs_balance();
    } catch (const ExpressionError& e) {
      mistakes[i] = fmt::format("at character {}: {}", e.offset() + 1, e.text());
    } catch (const InvalidArgument& e) {
      mistakes[i] = e.what();
    }
    good_[i] = mistakes[i].empty();
  }
  return mistakes;
}

std::span<const double> Watches::values(const ModelData& model, const State& state, Workspace& work) {
  for (const ChannelExpression& e : expressions_)
    if (work.slots.size() < e.channels.size()) work.slots.resize(e.channels.size());
  for (std::size_t i = 0; i < expressions_.size(); ++i)
    if (good_[i]) values_[i] = expression_value(model, state, work, expressions_[i]);
  return values_;
}

}  // namespace lipkin
