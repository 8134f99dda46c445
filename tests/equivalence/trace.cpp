#include "equivalence/trace.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "lipkin/session.hpp"

namespace lipkin::test {

std::string_view name_of(Quantity quantity) {
  constexpr std::string_view kNames[] = {"place",           "orientation",   "velocity",    "angular velocity",
                                         "coordinate",      "rate",          "motor force", "reaction force",
                                         "reaction moment", "contact force", "energy"};
  return kNames[static_cast<int>(quantity)];
}

bool is_force(Quantity quantity) { return quantity >= Quantity::kMotorForce && quantity <= Quantity::kContact; }

double mirrored_sign(JointType type, int dof) {
  switch (type) {
    case JointType::kCylindrical:
      return dof == 1 ? -1 : 1;
    case JointType::kUniversal:
      return dof == 0 ? -1 : 1;
    case JointType::kPlanar:
      return dof == 0 ? 1 : -1;
    case JointType::kBall:
      return dof == 1 ? 1 : -1;
    case JointType::kFree:
      return dof < 3 ? (dof == 1 ? -1 : 1) : (dof == 4 ? 1 : -1);
    default:
      return 1;
  }
}

namespace {

// A change of gravity changes the height energy by what depends on where the origin is, and books it.
std::string term_of(const std::string& term) {
  return term == "gravitational" ? "energy.gravitational - energy.commands" : "energy." + term;
}

class EntryList {
 public:
  explicit EntryList(const Names& names) : names_(names) {}

  void vector(Quantity quantity, const std::string& kind, const std::string& item, const std::string& what,
              bool is_pseudovector = false) {
    Entry entry{quantity, fmt::format("{}.{}.{}", kind, item, what), {}, is_pseudovector};
    for (const char axis : {'x', 'y', 'z'})
      entry.variables.push_back(fmt::format("{}.{}.{}{}", kind, renamed(item), what, axis));
    entries_.push_back(entry);
  }
  void number(Quantity quantity, const std::string& kind, const std::string& item, const std::string& what,
              double sign = 1) {
    entries_.push_back({quantity,
                        fmt::format("{}.{}.{}", kind, item, what),
                        {fmt::format("{}.{}.{}", kind, renamed(item), what)},
                        false,
                        sign});
  }
  void energy(const std::string& term) { entries_.push_back({Quantity::kEnergy, "energy." + term, {term_of(term)}}); }
  std::vector<Entry> take() { return std::move(entries_); }

 private:
  std::string renamed(const std::string& name) const {
    const auto found = names_.find(name);
    return found == names_.end() ? name : found->second;
  }
  const Names& names_;
  std::vector<Entry> entries_;
};

void add_body(EntryList& list, const BodySpec& body) {
  list.vector(Quantity::kPlace, "body", body.name, "");
  list.vector(Quantity::kAxis, "body", body.name, "xaxis_");
  list.vector(Quantity::kAxis, "body", body.name, "zaxis_");
  list.vector(Quantity::kVelocity, "body", body.name, "v");
  list.vector(Quantity::kSpin, "body", body.name, "w", true);
  if (!body.shapes.empty()) list.vector(Quantity::kContact, "body", body.name, "contact_f");
}

void add_joint(EntryList& list, const JointSpec& joint) {
  const int dofs = u_count(joint.type);
  const bool turns_freely = joint.type == JointType::kBall || joint.type == JointType::kFree;
  for (int k = 0; k < dofs; ++k) {
    const std::string index = dofs > 1 ? fmt::format("[{}]", k) : "";
    const double sign = mirrored_sign(joint.type, k);
    if (!turns_freely) list.number(Quantity::kCoordinate, "joint", joint.name, "q" + index, sign);
    list.number(Quantity::kRate, "joint", joint.name, "u" + index, sign);
  }
  if (joint.type == JointType::kFree) return;
  list.vector(Quantity::kReaction, "joint", joint.name, "f");
  list.vector(Quantity::kMoment, "joint", joint.name, "n", true);
}

double sign_of(const Mechanism& mechanism, const MotorSpec& motor) {
  const JointSpec* joint = find_joint(mechanism, motor.joint);
  return joint ? mirrored_sign(joint->type, motor.dof) : 1;
}

}  // namespace

std::vector<Entry> entries_of(const Mechanism& original, const Names& names) {
  EntryList list(names);
  for (const BodySpec& body : original.bodies) add_body(list, body);
  for (const JointSpec& joint : original.joints)
    if (joint.type != JointType::kFixed) add_joint(list, joint);
  for (const MotorSpec& motor : original.motors)
    list.number(Quantity::kMotorForce, "motor", motor.name, "force", sign_of(original, motor));
  for (const char* term : {"kinetic", "gravitational", "elastic", "dampers", "dissipated", "motors", "applied"})
    list.energy(term);
  return list.take();
}

Outputs outputs_for(const std::vector<Entry>& entries) {
  Outputs outputs;
  for (const Entry& entry : entries)
    for (const std::string& variable : entry.variables)
      outputs.push_back({fmt::format("o{}", outputs.size()), variable, "", {}});
  return outputs;
}

std::vector<Eigen::Vector3d> read(const std::vector<Entry>& entries, std::span<const double> outputs,
                                  const Placement& placement) {
  std::vector<Eigen::Vector3d> values;
  std::size_t at = 0;
  const double handedness = placement.is_mirror() ? -1 : 1;
  for (const Entry& entry : entries) {
    Eigen::Vector3d value = Eigen::Vector3d::Zero();
    for (std::size_t k = 0; k < entry.variables.size(); ++k) value[k] = outputs[at++];
    if (entry.variables.size() == 1) {
      if (placement.is_mirror()) value *= entry.sign;
    } else {
      if (entry.quantity == Quantity::kPlace) value -= placement.shift;
      value = placement.axes.transpose() * value * (entry.is_pseudovector ? handedness : 1);
    }
    values.push_back(value);
  }
  return values;
}

namespace {

// Forces are means over each window: what a step of another size sees of an impact is another force, but the same mean.
// A row of `euler` shows those of the step that begins there, one of `moreau` those of the step that ends there.
class Windows {
 public:
  Windows(const std::vector<Entry>& entries, const Placement& placement, StepperKind stepper, Trace& trace)
      : entries_(entries), placement_(placement), shows_next_step_(stepper == StepperKind::kEuler), trace_(trace) {}

  void add(const Simulation& now, int steps_per_window) {
    const std::vector<Eigen::Vector3d> values = read(entries_, now.outputs(), placement_);
    const std::vector<Eigen::Vector3d> of_step = shows_next_step_ ? std::exchange(before_, values) : values;
    if (trace_.values.empty()) return trace_.values.push_back(values);
    if (in_window_++ == 0) sum_.assign(values.size(), Eigen::Vector3d::Zero());
    for (std::size_t i = 0; i < values.size(); ++i) sum_[i] += of_step[i];
    if (in_window_ < steps_per_window) return;
    std::vector<Eigen::Vector3d> window = values;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (is_force(entries_[i].quantity)) window[i] = sum_[i] / steps_per_window;
    trace_.values.push_back(window);
    in_window_ = 0;
  }

 private:
  const std::vector<Entry>& entries_;
  const Placement& placement_;
  bool shows_next_step_;
  Trace& trace_;
  std::vector<Eigen::Vector3d> before_, sum_;
  int in_window_ = 0;
};

// Heights count from where they were: the world's origin is no part of the mechanism.
void take_differences(const std::vector<Entry>& entries, Trace& trace) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].what != "energy.gravitational") continue;
    const Eigen::Vector3d start = trace.values[0][i];
    for (auto& window : trace.values) window[i] -= start;
  }
}

}  // namespace

namespace {

using Look = std::function<bool(const Simulation&)>;

Statistics run_simulation(Scene scene, const Look& look) {
  Simulation simulation(std::move(scene));
  simulation.run(kWindows * kWindow, 0, look);
  return simulation.statistics();
}

Statistics run_session(Scene scene, const std::vector<std::string>& command_lines, const Look& look) {
  Session session(std::move(scene), {});
  for (const std::string& line : command_lines)
    session.submit(line, [](const CommandAnswer& answer) {
      if (!answer.ok) throw InvalidArgument(answer.error);
    });
  session.run(kWindows * kWindow, 0, look);
  return session.simulation().statistics();
}

}  // namespace

Trace run_scene(const std::function<Scene()>& make, const std::vector<Entry>& entries, const Placement& placement,
                const std::vector<std::string>& command_lines) {
  Trace trace;
  try {
    Scene scene = make();
    Windows windows(entries, placement, scene.experiment.stepper, trace);
    trace.dt = scene.experiment.dt;
    const int steps_per_window = static_cast<int>(std::lround(kWindow / trace.dt));
    const Look look = [&](const Simulation& now) {
      windows.add(now, steps_per_window);
      return true;
    };
    trace.statistics = command_lines.empty() ? run_simulation(std::move(scene), look)
                                             : run_session(std::move(scene), command_lines, look);
    take_differences(entries, trace);
    if (trace.values.size() != kWindows + 1) trace.refused = fmt::format("{} windows", trace.values.size());
  } catch (const SimulationError& error) {
    trace.refused = error.what(), trace.has_failed = true;
  } catch (const Error& error) {
    trace.refused = error.what();
  }
  return trace;
}

Trace run(const Mechanism& mechanism, const std::vector<Entry>& entries, const Placement& placement) {
  return run_scene([&] { return build(mechanism, outputs_for(entries)); }, entries, placement);
}

}  // namespace lipkin::test
