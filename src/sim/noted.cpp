// What happens in a run that its user should know, as what is told where a scene begins so. Limits and ropes that are
// set past where the mechanism is push it there, and strings from inside of a drum go straight through it.
#include <fmt/format.h>

#include <algorithm>

#include "audit/audited_coordinate.hpp"
#include "model/tendon_path.hpp"
#include "sim/simulation_impl.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

constexpr std::size_t kMostToTell = 20;

// "joint.NAME.upper", or of one direction "joint.NAME.upper[1]".
bool is_of(std::string_view path, const std::string& name, const char* what) {
  const std::string whole = name + "." + what;
  return path.starts_with(whole) && (path.size() == whole.size() || path[whole.size()] == '[');
}

std::string owner_of(const ModelData& model, const LimitData& limit) {
  return limit.dof.tendon >= 0 ? "tendon." + model.tendons[static_cast<std::size_t>(limit.dof.tendon)].name
                               : "joint." + model.joints[static_cast<std::size_t>(limit.joint)].name;
}

double length_of(const DistanceData& d, const KinematicsWork& k) {
  return norm(k.X_WL[static_cast<std::size_t>(d.b.link)] * d.b.p_L -
              k.X_WL[static_cast<std::size_t>(d.a.link)] * d.a.p_L);
}

}  // namespace

void Simulation::Impl::note_set_beyond(std::string_view path) {
  if (path.find(".lower") == path.npos && path.find(".upper") == path.npos) return;
  const auto note = [&](const std::string& owner, double at, double lower, double upper, bool length) {
    const bool is_lower = is_of(path, owner, "lower");
    if (!is_lower && !is_of(path, owner, "upper")) return;
    const double beyond = is_lower ? lower - at : at - upper, tolerated = scene.experiment.tolerated.angle;
    if (!(beyond > (length ? tolerated_length() : tolerated)) || statistics.set_beyond.size() >= kMostToTell) return;
    statistics.set_beyond.push_back(fmt::format("{} was set to {:g} at t = {:.6g} s, {:.4g} {} from where it is", path,
                                                is_lower ? lower : upper, state.t, beyond, length ? "m" : "rad"));
  };
  const ModelData& model = data();
  for (const LimitData& limit : model.limits)
    note(owner_of(model, limit), coordinate_of(limit.dof, model, state.q.data(), state.closure_q.data()), limit.lower,
         limit.upper, is_length(model, limit.dof));
  if (!path.starts_with("distance.")) return;
  update_kinematics(model, state.q.data(), state.u.data(), formulation->sample_work.kinematics);
  for (const DistanceData& d : model.distances)
    if (d.lower != d.upper)
      note("distance." + d.name, length_of(d, formulation->sample_work.kinematics), d.lower, d.upper, true);
}

// Each tendon once; `silently`: those of the start, which are told before the run.
void Simulation::Impl::note_strings_inside(bool silently) {
  const std::vector<TendonData>& tendons = data().tendons;
  if (std::all_of(tendons.begin(), tendons.end(), [](const TendonData& t) { return t.wraps.empty(); })) return;
  strings_inside.resize(tendons.size(), false);
  const KinematicsWork& k = formulation->sample_work.kinematics;
  update_kinematics(data(), state.q.data(), state.u.data(), formulation->sample_work.kinematics);
  for (std::size_t i = 0; i < tendons.size(); ++i) {
    const auto end = strings_inside[i] ? std::nullopt : end_inside(tendons[i], k.X_WL.data());
    if (!end) continue;
    strings_inside[i] = true;
    if (!silently && statistics.strings_inside.size() < kMostToTell)
      statistics.strings_inside.push_back(text_of(tendons[i], *end, fmt::format("is at t = {:.6g} s", state.t)));
  }
}

void Simulation::Impl::note_set_beyond_by_commands(std::uint64_t first) {
  for (std::uint64_t i = first; i < state.commands_done && i < commands.list().size(); ++i)
    if (const auto* set = std::get_if<CommandSet>(&commands.list()[i].action)) note_set_beyond(set->path);
}

}  // namespace lipkin
