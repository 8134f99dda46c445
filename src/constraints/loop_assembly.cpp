#include "constraints/loop_assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tree/coordinates.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

constexpr int kAssemblySteps = 200;

[[noreturn]] void refuse_open(const BilateralRows& rows, const ModelData& model, int row, double gap, double rounding) {
  const std::string what = rows.owner_of(model, row);
  if (gap <= rounding)
    throw InputError(rows.where_of(model, row),
                     fmt::format("{} can be closed only where joints are beyond their limits", what),
                     "check the limits of the joints in it, or begin nearer to the closed position");
  throw InputError(rows.where_of(model, row),
                   fmt::format("{} cannot be closed: {:.3g} {} are left after the best try; expected frames that "
                               "can meet from the initial coordinates",
                               what, gap, rows.is_length(row) ? "m" : "rad"),
                   "check the lengths and the places of the joints, or begin nearer to the closed position");
}

}  // namespace

// Corrections in the norm of M also move joints that no loop holds, light ones most: back into their limits, then close
// again, as long as that brings anything.
bool LoopAssembly::close_within_limits(const ModelData& model, State& state, Workspace& work) {
  constexpr int kRounds = 30;
  for (int round = 0; projection_.correct(model, kAssemblySteps, false, state, work); ++round) {
    bool has_moved = false;
    for (const LimitData& limit : model.limits) {
      if (!limit.dof.is_in_tree()) continue;
      double& q = state.q[limit.dof.q_index];
      const double inside = std::clamp(q, limit.lower, limit.upper);
      has_moved = has_moved || std::abs(inside - q) > BilateralSystem::kClosed;
      if (round < kRounds) q = inside;
    }
    if (!has_moved || round == kRounds) return true;
  }
  return false;
}

bool LoopAssembly::is_upright(const ModelData& model, const Workspace& work) const {
  return std::all_of(model.closures.begin(), model.closures.end(), [&](const ClosureData& c) {
    return closure_upright(c, closure_frames(c, work.kinematics.X_WL.data()));
  });
}

// The rows of directions vanish at a quarter turn: from there on, Newton's steps lead anywhere. Loops that are turned
// so far are closed in stages, each of which leaves a smaller part of the turn. False, with the state as it was, where
// none is, or where that leads to nothing.
bool LoopAssembly::close_by_stages(const ModelData& model, State& state, Workspace& work) {
  constexpr double kFar = 1.4, kStage = 0.35;  // [rad]
  std::vector<ClosureFrames> frames;
  double farthest = 0;
  for (const ClosureData& c : model.closures) {
    frames.push_back(closure_frames(c, work.kinematics.X_WL.data()));
    farthest = std::max(farthest, norm(closure_turn(c, frames.back())));
  }
  if (farthest < kFar) return false;
  const std::vector<double> q = state.q, closure_q = state.closure_q;
  const int count = static_cast<int>(std::ceil(farthest / kStage));
  ModelData staged = model;
  for (int k = 1; k < count; ++k) {
    for (std::size_t i = 0; i < model.closures.size(); ++i)
      staged.closures[i] = partly_turned(model.closures[i], frames[i], 1 - static_cast<double>(k) / count);
    bilateral_.linearize_at(staged, true, state, work);
    projection_.correct(staged, kAssemblySteps, false, state, work);
  }
  bilateral_.linearize_at(model, true, state, work);
  if (close_within_limits(model, state, work) && is_upright(model, work)) return true;
  state.q = q, state.closure_q = closure_q;
  bilateral_.linearize_at(model, true, state, work);
  return false;
}

Assembled LoopAssembly::assemble(const ModelData& model, State& state, Workspace& work) {
  Assembled result;
  if (bilateral_.empty()) return result;
  update_kinematics(model, state.q.data(), state.u.data(), work.kinematics);  // targets may look at it
  find_screw_turns(model, work.kinematics, state.closure_q.data());
  update_dependent_coordinates(model, state.q.data(), work.kinematics, state.closure_q.data());
  targets_.evaluate_anew(model, state, work);
  bilateral_.linearize_at(model, true, state, work);
  bilateral_.measure_gaps(model, state.q.data(), targets_.values(), work, state.closure_q.data());
  int row = 0;
  bilateral_.worst_gap(&row);
  result.was_open = bilateral_.rows().opening(bilateral_.gaps().data(), row);
  result.worst = bilateral_.rows().owner_of(model, row);
  const std::vector<double> before = state.q;
  if (!close_by_stages(model, state, work) && !close_within_limits(model, state, work)) {
    state.q = before;
    const double gap = closest_gap(model, state, work, &row);  // by other steps, which may have closed it
    bilateral_.linearize_at(model, true, state, work);
    if (!close_within_limits(model, state, work))
      refuse_open(bilateral_.rows(), model, row, gap,
                  BilateralSystem::kClosed * std::max(1.0, bilateral_.length_scale()));
  }
  for (std::size_t i = 0; i < model.closures.size(); ++i) {
    const ClosureData& c = model.closures[i];
    if (!closure_upright(c, closure_frames(c, work.kinematics.X_WL.data())))
      throw InputError(where_of_closure(model, static_cast<int>(i)),
                       fmt::format("loop '{}' closes only with its frames turned over; expected initial coordinates "
                                   "nearer to the closed position",
                                   c.name));
  }
  for (std::size_t k = 0; k < before.size(); ++k)
    result.moved = std::max(result.moved, std::abs(state.q[k] - before[k]));
  bilateral_.linearize_at(model, true, state, work);
  projection_.project_velocities(model, state, work);
  state.carried_impulses.clear();
  return result;
}

}  // namespace lipkin
