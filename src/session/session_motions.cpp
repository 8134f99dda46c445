// What comes by itself at a boundary: motions that begin and end, joints that break.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lipkin/dynamics.hpp"
#include "session/session_impl.hpp"

namespace lipkin {

bool Session::Impl::has_come(const Icon& icon) const {
  const bool acts = time() >= icon.start - kSameTime && time() < icon.end() - kSameTime;
  return icon.kind == IconKind::kMotion && acts != icon.active;
}

// Puts a motion into the model at its start, and takes it out at its end.
void Session::Impl::turn(Icon& icon) const {
  icon.active = !icon.active;
  if (!icon.active || icon.motion != MotorKind::kPosition) return;
  const std::string q = u_count(joint_named(icon.joint).type) == 1
                            ? fmt::format("joint.{}.q", icon.joint)
                            : fmt::format("joint.{}.q[{}]", icon.joint, icon.dof);
  Dynamics looker(simulation.running_model());
  looker.set(simulation.state());
  icon.origin = looker.variable(q);
}

void Session::Impl::start_and_end_motions() {
  const auto come = [this](const Icon& icon) { return has_come(icon); };
  if (std::none_of(design->icons.begin(), design->icons.end(), come)) return;
  if (!before_motions)
    before_motions = std::make_shared<const Snapshot>(Snapshot{simulation.peek(), design, next_edit});
  Design next = *design;
  for (Icon& icon : next.icons)
    if (has_come(icon)) turn(icon);
  try {
    return change(std::move(next));
  } catch (const Error&) {  // one of them cannot: those that can do, ends first
  }
  for (const bool begins : {false, true}) {
    std::vector<std::string> names;
    for (const Icon& icon : design->icons)
      if (has_come(icon) && icon.active != begins) names.push_back(icon.name);
    for (const std::string& name : names) turn_alone(name);
  }
}

// A motion that cannot begin goes; one that cannot end, since something else needs it, goes on.
void Session::Impl::turn_alone(const std::string& name) {
  const auto icon_of = [&](Design& of) {
    return std::find_if(of.icons.begin(), of.icons.end(), [&](const Icon& icon) { return icon.name == name; });
  };
  Design next = *design;
  turn(*icon_of(next));
  const char* what = icon_of(next)->active ? "begin" : "end";
  change_or_give_up(std::move(next), fmt::format("motion '{}' cannot {}", name, what), [&](Design& without) {
    const auto icon = icon_of(without);
    if (icon->active) {
      icon->duration.reset();
    } else {
      without.icons.erase(icon);
    }
  });
}

// A change that nobody waits for: where it cannot be, what asked for it is taken back, and said. Returns whether it
// was.
bool Session::Impl::change_or_give_up(Design next, const std::string& refusal,
                                      const std::function<void(Design&)>& take_back) {
  try {
    change(std::move(next));
    return true;
  } catch (const Error& e) {
    auto without = std::make_shared<Design>(*design);
    take_back(*without);
    design = std::move(without);
    update_watches();
    ++versions.model;
    event({{"event", "refused"}, {"message", refusal + ": " + e.what()}, {"step", now()}, {"t", time()}});
    return false;
  }
}

void Session::Impl::break_joints() {
  const std::span<const double> watched = simulation.watched_in_step();
  std::size_t at = break_watch;
  std::vector<Json> overloaded;  // as they will be told
  for (const auto& [joint, limit] : design->breaks) {
    const double* r = watched.data() + at;
    const double force = std::hypot(r[0], r[1], r[2]), torque = std::hypot(r[3], r[4], r[5]);
    at += 6;
    if (!(limit.force && force > *limit.force) && !(limit.torque && torque > *limit.torque)) continue;
    overloaded.push_back(
        {{"event", "broke"}, {"joint", joint}, {"step", now()}, {"t", time()}, {"force", force}, {"torque", torque}});
  }
  if (overloaded.empty()) return;
  Design next = *design;
  for (const Json& each : overloaded) remove_joint(each["joint"], next);
  try {
    change(std::move(next));
  } catch (const Error&) {  // one of them cannot: those that can do
    std::erase_if(overloaded, [this](const Json& each) { return !break_alone(each["joint"]); });
  }
  for (Json& each : overloaded) event(std::move(each));
}

// A joint that cannot break, since something else needs it, holds from now on.
bool Session::Impl::break_alone(const std::string& joint) {
  Design next = *design;
  remove_joint(joint, next);
  return change_or_give_up(std::move(next), fmt::format("joint '{}' cannot break", joint),
                           [&](Design& whole) { whole.breaks.erase(joint); });
}

}  // namespace lipkin
