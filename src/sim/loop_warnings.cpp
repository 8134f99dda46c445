#include "sim/loop_warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "constraints/bilateral_rows.hpp"
#include "constraints/change_coordinates.hpp"
#include "constraints/motion_freedom.hpp"
#include "model/mechanism_size.hpp"
#include "model/model_compiler.hpp"
#include "sim/assembly_warnings.hpp"
#include "sim/loop_axes.hpp"
#include "tree/closure_rows.hpp"

namespace lipkin {
namespace {

// A part that pushes coordinates of a joint of the tree.
struct Push {
  std::string part;  // "motor 'drive'"
  SourceLocation where;
  std::string joint;
  std::vector<std::size_t> dofs;  // into Pushes::dofs
};

class Pushes {
 public:
  explicit Pushes(const ModelData& model) : parts_(*model.parts) {
    for (std::size_t i = 0; i < model.motors.size(); ++i) {
      const MotorSpec& spec = parts_.motors[i];
      add(fmt::format("motor '{}'", spec.name), spec.where, spec.joint, {model.motors[i].dof});
    }
    for (std::size_t i = 0; i < model.actuators.size(); ++i) {
      const ActuatorSpec& spec = parts_.actuators[i];
      std::vector<DofRef> pulled;
      for (const DofPull& pull : model.actuators[i].pulls) pulled.push_back(pull.dof);
      add(fmt::format("actuator '{}'", spec.name), spec.where, spec.joint, pulled);
    }
    add_springs(model);
  }

  const std::vector<Push>& all() const { return pushes_; }
  const std::vector<DofRef>& dofs() const { return dofs_; }

 private:
  void add_springs(const ModelData& model) {
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      const JointData& joint = model.joints[j];
      std::vector<DofRef> sprung;
      for (int k = 0; joint.link >= 0 && k < u_count(joint.type); ++k)
        if (model.stiffness[static_cast<std::size_t>(joint.u_index + k)] != 0)
          sprung.push_back({.u_index = joint.u_index + k, .q_index = joint.q_index + k});
      add("the spring", parts_.joints[j].where, joint.name, sprung);
    }
  }

  void add(std::string part, const SourceLocation& where, const std::string& joint, const std::vector<DofRef>& moved) {
    if (moved.empty() || !std::all_of(moved.begin(), moved.end(), [](const DofRef& dof) { return dof.is_in_tree(); }))
      return;
    Push push{std::move(part), where, joint, {}};
    for (const DofRef& dof : moved) {
      const auto known =
          std::find_if(dofs_.begin(), dofs_.end(), [&](const DofRef& other) { return other.u_index == dof.u_index; });
      push.dofs.push_back(static_cast<std::size_t>(known - dofs_.begin()));
      if (known == dofs_.end()) dofs_.push_back(dof);
    }
    pushes_.push_back(std::move(push));
  }

  const ModelParts& parts_;
  std::vector<Push> pushes_;
  std::vector<DofRef> dofs_;
};

std::string in_short(std::vector<std::string> names) {
  constexpr std::size_t kMost = 3;
  if (names.size() > kMost) {
    names.resize(kMost);
    return fmt::format("{} and others", fmt::join(names, ", "));
  }
  return fmt::format("{}", fmt::join(names, " and "));
}

// The axis to write where one of a loop among the holders is not as the others; else where to look.
std::string mending_of(const ModelData& model, const std::vector<Transform<double>>& X_WL,
                       const std::vector<std::string>& holders) {
  for (std::size_t c = 0; c < model.closures.size(); ++c) {
    const std::string name = fmt::format("loop '{}'", model.closures[c].name);
    if (std::find(holders.begin(), holders.end(), name) == holders.end()) continue;
    if (const auto odd = odd_axis_of(model, static_cast<int>(c), X_WL))
      return fmt::format("write axis: {} for {}: all else around it turns about that", odd->others, odd->part);
  }
  return fmt::format("check the axes and frames of {}", in_short(holders));
}

bool warn_of_idle_drives(const ModelData& model, const State& state, std::vector<Diagnostic>& warnings) {
  const Pushes pushes(model);
  const std::vector<std::vector<std::string>> holders = holders_of_coordinates(model, state, pushes.dofs());
  const std::vector<Transform<double>> X_WL = link_poses(model, state.q.data());
  const std::size_t before = warnings.size();
  for (const Push& push : pushes.all()) {
    if (std::any_of(push.dofs.begin(), push.dofs.end(), [&](std::size_t dof) { return holders[dof].empty(); }))
      continue;
    warnings.push_back({push.where,
                        fmt::format("{} moves nothing: the loops leave joint '{}' no freedom", push.part, push.joint),
                        mending_of(model, X_WL, holders[push.dofs[0]]), Severity::kWarning});
  }
  return warnings.size() > before;
}

// A loop in which nothing can move although one of its axes is not as the others, or although it begins with a speed.
// Trusses are neither.
bool warn_of_dead_loops(const ModelData& model, const State& state, std::vector<Diagnostic>& warnings) {
  constexpr std::size_t kMost = 60;  // coordinates: of more, the look would take as long as the run
  std::vector<DofRef> dofs;
  std::vector<std::size_t> ends;  // of each closure's
  for (const ClosureData& closure : model.closures) {
    for (const int j : joints_around(model, closure)) {
      const JointData& joint = model.joints[static_cast<std::size_t>(j)];
      for (int k = 0; k < u_count(joint.type); ++k)
        dofs.push_back({.u_index = joint.u_index + k, .q_index = joint.q_index + k});
    }
    ends.push_back(dofs.size());
  }
  if (dofs.size() > kMost) return false;
  const std::vector<std::vector<std::string>> holders = holders_of_coordinates(model, state, dofs);
  const std::vector<Transform<double>> X_WL = link_poses(model, state.q.data());
  for (std::size_t c = 0, begin = 0; c < model.closures.size(); begin = ends[c++]) {
    const auto held = [&](std::size_t dof) { return !holders[dof].empty(); };
    bool all_held = begin < ends[c], begins_with_speed = false;
    for (std::size_t dof = begin; dof < ends[c]; ++dof) {
      all_held = all_held && held(dof);
      begins_with_speed = begins_with_speed || model.initial_u[static_cast<std::size_t>(dofs[dof].u_index)] != 0;
    }
    if (!all_held) continue;
    const std::string dead = fmt::format("nothing in loop '{}' can move", model.closures[c].name);
    if (const auto odd = odd_axis_of(model, static_cast<int>(c), X_WL)) {
      warnings.push_back({odd->where,
                          fmt::format("{}: {} turns about {}, all else around it does not", dead, odd->part, odd->axis),
                          fmt::format("write axis: {}", odd->others), Severity::kWarning});
      return true;
    }
    if (!begins_with_speed) continue;
    warnings.push_back({where_of_closure(model, static_cast<int>(c)),
                        fmt::format("{}: the speeds that its joints begin with are lost", dead),
                        fmt::format("check the axes and frames of {}", in_short(holders[begin])), Severity::kWarning});
    return true;
  }
  return false;
}

// How far the places are apart that a loop's joint holds together [m].
double opening(const ClosureData& closure, const std::vector<Transform<double>>& X_WL) {
  const ClosureFrames frames = closure_frames(closure, X_WL.data());
  const Vec3<double> apart = frames.X_WM.p - frames.X_WF.p, z = frames.X_WF.R.column(2);
  const double along = dot(apart, z);
  switch (closure.type) {
    case JointType::kPrismatic:
    case JointType::kScrew:
    case JointType::kCylindrical:
      return norm(apart - along * z);
    case JointType::kPlanar:
      return std::abs(along);
    case JointType::kFree:
      return 0;
    default:
      return norm(apart);
  }
}

// Approximate coordinates are fine to begin with; they leave no loop wider open than its bodies are large.
double width_without_loops(ModelData model) {
  model.closures.clear();
  return 2 * mechanism_size(model);
}

bool warn_of_open_loop(const ModelData& model, double moved, std::vector<Diagnostic>& warnings) {
  const std::vector<Transform<double>> X_WL = link_poses(model, model.initial_q.data());
  double widest = 0;
  std::size_t worst = 0;
  for (std::size_t i = 0; i < model.closures.size(); ++i) {
    const double open = opening(model.closures[i], X_WL);
    if (open > widest) widest = open, worst = i;
  }
  if (widest == 0 || widest <= width_without_loops(model)) return false;
  warnings.push_back(
      {where_of_closure(model, static_cast<int>(worst)),
       fmt::format("loop '{}' was open by {:.3g} m at the start, and coordinates moved by up to {:.3g} to "
                   "close it",
                   model.closures[worst].name, widest, moved),
       "check the places of its frames, or begin with joint coordinates that close it", Severity::kWarning});
  return true;
}

// A joint of the tree written again as a loop, by those who list all joints in one place.
void warn_of_doubled_joints(const ModelData& model, const State& state, std::vector<Diagnostic>& warnings) {
  const double near = 1e-6 * mechanism_size(model);
  const std::vector<Transform<double>> X_WL = link_poses(model, state.q.data());
  for (std::size_t c = 0; c < model.closures.size(); ++c) {
    const ClosureData& closure = model.closures[c];
    const Vec3<double> place = closure_frames(closure, X_WL.data()).X_WM.p;
    for (const JointData& joint : model.joints) {
      if (joint.link < 0 || joint.type != closure.type) continue;
      const int parent = model.links[static_cast<std::size_t>(joint.link)].parent;
      const bool joins_the_same = std::minmax(parent, joint.link) == std::minmax(closure.link_a, closure.link_b);
      if (!joins_the_same || norm(X_WL[static_cast<std::size_t>(joint.link)].p - place) > near) continue;
      warnings.push_back({where_of_closure(model, static_cast<int>(c)),
                          fmt::format("loop '{}' holds what joint '{}' holds already", closure.name, joint.name),
                          "leave it out: bodies have their joints, and loops close what those leave open",
                          Severity::kWarning});
    }
  }
}

// In the joints' own coordinates.
State start_of(const Simulation& simulation) {
  const ModelData &model = simulation.model().data(), &running = simulation.running_model().data();
  const State& state = simulation.state();
  return state.q.size() == model.initial_q.size() ? state : change_coordinates(running, state, model);
}

}  // namespace

void warn_of_loops(const Simulation& simulation, std::vector<Diagnostic>& warnings) {
  const ModelData& model = simulation.model().data();
  const State start = start_of(simulation);
  warn_of_doubled_joints(model, start, warnings);
  if (warn_of_idle_drives(model, start, warnings) || warn_of_dead_loops(model, start, warnings)) return;
  const Statistics& found = simulation.statistics();
  if (!warn_of_open_loop(model, found.assembly_moved, warnings))
    warn_of_moved_joints(model, start, found.assembly_worst, warnings);
  warn_of_changed_speeds(model, start, warnings);
}

}  // namespace lipkin
