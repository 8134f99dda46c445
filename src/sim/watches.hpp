// Expressions looked at while a simulation runs, besides the model's own outputs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/channel.hpp"
#include "state/workspace.hpp"

namespace lipkin {

struct State;

class Watches {
 public:
  void set(std::vector<std::string> expressions) { texts_ = std::move(expressions); }

  // Returns what is wrong with each expression in this model, empty where nothing is.
  std::vector<std::string> compile(const ModelData& model);

  // What must be computed before values().
  ChannelNeed need() const { return need_; }

  bool needs_balance() const { return needs_balance_; }

  // NaN for expressions that are wrong.
  std::span<const double> values(const ModelData& model, const State& state, Workspace& work);

 private:
  std::vector<std::string> texts_;
  std::vector<ChannelExpression> expressions_;
  std::vector<bool> good_;
  std::vector<double> values_;
  ChannelNeed need_ = ChannelNeed::kState;
  bool needs_balance_ = false;
};

}  // namespace lipkin
