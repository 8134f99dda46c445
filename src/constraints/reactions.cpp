#include "constraints/reactions.hpp"

#include <algorithm>

#include "model/channel.hpp"

namespace lipkin {

namespace {

// Contacts, limits and motors with a limit know their impulses from the solve; all else that knows forces needs every
// row's.
bool needs_bilateral_impulses(const ModelData& model, const Channel& channel) {
  if (channel.kind == ChannelKind::kContactForce || channel.kind == ChannelKind::kPointTouch ||
      channel.kind == ChannelKind::kLimitForce)
    return false;
  if (channel.kind == ChannelKind::kMotorForce) return is_prescribed(model.motors[channel.index]);
  return need_of(channel) >= ChannelNeed::kDynamics;
}

}  // namespace

Reactions::Reactions(const ModelData& model, BilateralSystem& bilateral)
    : bilateral_(bilateral),
      lambda_(static_cast<std::size_t>(bilateral.row_count()), 0.0),
      rotor_impulse_(bilateral.rotors().size(), 0.0),
      z_bilateral_(static_cast<std::size_t>(bilateral.layout().z_count()), 0.0),
      rates_(lambda_) {
  for (const OutputData& output : model.outputs)
    for (const Channel& channel : output.value.channels)
      model_wants_ = model_wants_ || (!output.on_request && needs_bilateral_impulses(model, channel));
  wanted_ = model_wants_;
}

// Impulses of least norm of the eliminated rows: what they put into z is what they did alone, and what they took out of
// the other rows, z = z_bilateral - (whole rows - rows left)ᵀ Lambda.
void Reactions::find(const LawSystem& laws, State& state) {
  const Problem& problem = laws.problem();
  const std::vector<double>& whole = laws.whole_rows().y;
  z_bilateral_.resize(static_cast<std::size_t>(std::max(problem.z_count, bilateral_.layout().z_count())),
                      0.0);  // contacts may have columns of their own
  for (const Block& block : problem.blocks) {
    for (int r = 0; r < block.row_count; ++r) {
      const double lambda = problem.lambda[block.row_begin + r];
      std::size_t at = block.y_begin + static_cast<std::size_t>(r) * static_cast<std::size_t>(block.width);
      for (int i = block.run_begin; i < block.run_begin + block.run_count; ++i)
        for (int k = 0; k < problem.runs[i].length; ++k, ++at)
          z_bilateral_[problem.runs[i].begin + k] -= (whole[at] - problem.y[at]) * lambda;
    }
  }
  if (bilateral_.rows().any_reduced()) add_reaction_to_laws(laws);
  bilateral_.rows().rates_of(z_bilateral_.data(), rates_.data());
  bilateral_.rows().solve_impulses(rates_.data(), lambda_.data());
  remember(lambda_.data(), state);
}

// What bilateral rows did in answer to laws whose rows are reduced: what all these have done in the end, less what they
// push by themselves.
void Reactions::add_reaction_to_laws(const LawSystem& laws) {
  const ZLayout& layout = bilateral_.layout();
  for (int c = 0; c < layout.cluster_count(); ++c) {
    const BilateralCluster& cluster = bilateral_.rows().cluster(c);
    for (int k = cluster.z().begin; cluster.is_reduced() && k < cluster.z().begin + cluster.z().count; ++k)
      z_bilateral_[k] += laws.reduced_z()[k];
  }
  const Problem& problem = laws.problem();
  for (const WholeRows::Node& node : laws.whole_rows().nodes) {
    const Block& block = problem.blocks[node.block];
    const double* y = laws.whole_rows().values.data() + node.value_begin;
    for (int r = 0; r < block.row_count; ++r)
      for (int k = 0; k < kTreeNode; ++k) z_bilateral_[node.z_begin + k] -= problem.lambda[block.row_begin + r] * *y++;
  }
}

void Reactions::take(const double* impulses, State& state) {
  std::copy_n(impulses, lambda_.size(), lambda_.begin());
  if (wanted_) remember(impulses, state);
}

void Reactions::remember(const double* impulses, State& state) const {
  state.reactions.assign(impulses, impulses + lambda_.size());
  state.reactions.resize(count(), 0.0);  // those of the rotors in the solve are among the laws'
  add_carried(state);
}

void Reactions::find_push(std::vector<double>& z, std::vector<double>& rates, bool rates_known) {
  bilateral_.rotors().add_push(z.data(), rotor_impulse_.data());
  // Also what the rows do to carry the rotors along.
  if (bilateral_.rotors().any() || !rates_known) bilateral_.rows().rates_of(z.data(), rates.data());
  bilateral_.rows().solve_impulses(rates.data(), lambda_.data());
}

void Reactions::carry(double factor, State& state) const {
  state.carried_impulses.resize(count(), 0.0);
  double* carried = state.carried_impulses.data();
  for (const double impulse : lambda_) *carried++ += factor * impulse;
  for (const double impulse : rotor_impulse_) *carried++ += factor * impulse;
}

void Reactions::add_carried(State& state) const {
  if (!has_carried(state) || state.reactions.size() != count()) return;
  for (std::size_t r = 0; r < state.reactions.size(); ++r) state.reactions[r] += state.carried_impulses[r];
}

void Reactions::add_push(State& state) const {
  for (std::size_t r = 0; r < lambda_.size(); ++r) state.reactions[r] += lambda_[r];
  for (std::size_t i = 0; i < rotor_impulse_.size(); ++i) state.reactions[lambda_.size() + i] += rotor_impulse_[i];
}

void Reactions::react(const ModelData& model, const State& state, Workspace& work) {
  if (state.reactions.size() != count()) return;
  for (std::size_t r = 0; r < lambda_.size(); ++r) lambda_[r] = state.reactions[r] / state.impulse_step;
  bilateral_.rows().react(model, state, lambda_.data(), work);
  for (std::size_t i = 0; i < rotor_impulse_.size(); ++i)
    rotor_impulse_[i] = state.reactions[lambda_.size() + i] / state.impulse_step;
  bilateral_.rotors().react(model, rotor_impulse_.data(), work);
}

void Reactions::book(const ModelData& model, double h, const SolveVelocities& velocities, const State& state,
                     Workspace& work, StepWork& done) {
  bilateral_.rows().add_work(lambda_.data(), velocities, done);
  for (std::size_t r = 0; r < lambda_.size(); ++r) rates_[r] = lambda_[r] / h;
  bilateral_.rows().react(model, state, rates_.data(), work);
}

}  // namespace lipkin
