// Running and looking: the clock, the choices of the experiment, watched channels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/expression.hpp"
#include "model/parameters.hpp"
#include "session/choices.hpp"
#include "session/session_impl.hpp"

namespace lipkin {

namespace {

constexpr double kSlowest = 0.1, kFastest = 10;
constexpr int kMostSteps = 10000;
constexpr std::size_t kMostWatches = 256;

}  // namespace

Json Session::Impl::play(Arguments& arguments) {
  arguments.finish();
  if (!failure.empty()) throw InvalidArgument("the simulation has failed; rewind or undo first: " + failure);
  playing = true;
  ++versions.run;
  return {};
}

Json Session::Impl::pause(Arguments& arguments) {
  arguments.finish();
  playing = false;
  ++versions.run;
  return {};
}

Json Session::Impl::set_speed(Arguments& arguments) {
  const double factor = arguments.number("factor");
  if (factor < kSlowest || factor > kFastest)
    arguments.refuse("factor", fmt::format("a number from {} to {}", kSlowest, kFastest));
  arguments.finish();
  speed = factor;
  ++versions.run;
  return {};
}

// All of them, before the first is set: a refused command changes nothing.
static void check_controls(const Model& model, const Json& controls) {
  for (const auto& [control, value] : controls.items()) {
    model.control(control);  // throws with the nearest name
    if (!value.is_number() || !std::isfinite(value.get<double>()))
      throw InvalidArgument(fmt::format("step: control '{}' is {}; expected a finite number", control, value.dump()));
  }
}

// Controls are edits of their own, so that a replay has them.
Json Session::Impl::step_once(Arguments& arguments) {
  const int count = arguments.integer_or("count", 1);
  if (count < 1 || count > kMostSteps) arguments.refuse("count", fmt::format("a number from 1 to {}", kMostSteps));
  const Json controls = arguments.has("controls") ? arguments.value("controls") : Json::object();
  if (!controls.is_object()) arguments.refuse("controls", "an object of controls and numbers");
  arguments.finish();
  check_controls(simulation.model(), controls);
  playing = false;
  ++versions.run;
  for (const auto& [control, value] : controls.items())
    apply_edit({{"cmd", "set"}, {"args", {{"path", "control." + control}, {"value", value}}}}, 0);
  for (int i = 0; i < count; ++i) step(std::numeric_limits<double>::infinity());
  Json result = {{"values", Json::object()}};
  const std::span<const double> all = values();
  for (std::size_t i = 0; i < channels.size(); ++i) result["values"][channels[i].name] = number_json(all[i]);
  return result;
}

Json Session::Impl::change_settings(Arguments& arguments) {
  const Experiment& now_set = simulation.experiment();
  Experiment next = now_set;
  next.stepper = chosen("stepper", kStepperChoices, arguments, now_set.stepper);
  next.solver = chosen("solver", kSolverChoices, arguments, now_set.solver);
  next.coordinates = chosen("coordinates", kCoordinateChoices, arguments, now_set.coordinates);
  next.stabilization = chosen("stabilization", kStabilizationChoices, arguments, now_set.stabilization);
  next.dt = arguments.number_or("dt", now_set.dt);
  next.relative_tolerance = arguments.number_or("relative_tolerance", now_set.relative_tolerance);
  next.absolute_tolerance = arguments.number_or("absolute_tolerance", now_set.absolute_tolerance);
  arguments.finish();
  if (next.dt != now_set.dt && !(next.dt > 0)) arguments.refuse("dt", "a number > 0");
  const bool other_model = next.coordinates != now_set.coordinates;
  simulation.set_experiment(std::move(next));
  if (other_model) ++versions.model;
  ++versions.settings;
  return {};
}

// Parameters stand in expressions for the values they have: who changes one calls update_watches.
std::string Session::Impl::with_parameters(const std::string& expression) const {
  std::map<std::string, double, std::less<>> known;
  for (const Parameter& parameter : list_parameters(parts())) known[parameter.path] = parameter.value;
  for (const ParameterSpec& parameter : design->base().parameters)
    known["parameter." + parameter.name] = parameter.value;
  for (const auto& [path, value] : design->values) known[path] = value;
  return replace_variables(expression, [&](std::string_view name) {
    const auto found = known.find(name);
    if (found == known.end()) return std::string(name);
    return std::isfinite(found->second) ? fmt::format("({:.17g})", found->second) : std::string("(0/0)");
  });
}

// Returns what is wrong with each, "" where nothing is.
std::vector<std::string> Session::Impl::look_at(std::vector<std::string> expressions) {
  std::vector<std::string> mistakes = simulation.set_watches(expressions);
  bool another_look = false;
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    if (mistakes[i].empty()) continue;
    try {
      const std::string filled = with_parameters(expressions[i]);
      another_look = another_look || filled != expressions[i];
      expressions[i] = filled;
    } catch (const ExpressionError&) {
      continue;  // said in its mistake
    }
  }
  return another_look ? simulation.set_watches(std::move(expressions)) : mistakes;
}

// The simulation looks at what was asked for, then at the factors of icons, then at reactions of joints that may break.
void Session::Impl::update_watches() {
  std::vector<std::string> expressions;
  for (std::size_t i = output_count; i < channels.size(); ++i) expressions.push_back(channels[i].expression);
  icon_watch = expressions.size();
  for (const Icon& icon : design->icons) expressions.push_back(factor_expression(icon));
  break_watch = expressions.size();
  for (const auto& [joint, limit] : design->breaks)
    for (const char* part : {"fx", "fy", "fz", "nx", "ny", "nz"})
      expressions.push_back(variable_text(fmt::format("joint.{}.{}", joint, part)));
  const std::vector<std::string> mistakes = look_at(std::move(expressions));
  for (std::size_t i = 0; i < output_count; ++i) {
    const bool lost = parts().outputs[output_index[i]].expression != channels[i].expression;
    channels[i].error = lost ? "what it looks at is no longer part of the model" : "";
  }
  for (std::size_t i = output_count; i < channels.size(); ++i) channels[i].error = mistakes[i - output_count];
  ++versions.watches;
}

std::span<const double> Session::Impl::values() {
  channel_values.clear();
  const std::span<const double> outputs = simulation.outputs_at_hand();
  for (const std::size_t i : output_index) channel_values.push_back(outputs[i]);
  if (channels.size() > output_count) {
    const std::span<const double> watched = simulation.watched().subspan(0, icon_watch);
    channel_values.insert(channel_values.end(), watched.begin(), watched.end());
  }
  return channel_values;
}

// Outputs of the scene keep their names; what else was watched by this one is replaced.
void Session::Impl::put_channel(WatchedChannel channel) {
  const auto first = channels.begin() + static_cast<std::ptrdiff_t>(output_count);
  const auto same = [&](const WatchedChannel& c) { return c.name == channel.name; };
  if (std::any_of(channels.begin(), first, same)) return;  // it looks at the same, as check_channel has seen
  channels.erase(std::remove_if(first, channels.end(), same), channels.end());
  channels.push_back(std::move(channel));
}

// The name of an output may be given once more for what the output looks at, and for nothing else.
void Session::Impl::check_channel(const WatchedChannel& channel) const {
  for (std::size_t i = 0; i < output_count; ++i)
    if (channels[i].name == channel.name && channels[i].expression != channel.expression)
      throw InvalidArgument(
          fmt::format("watch: '{}' is an output of the scene already; give it another name", channel.name));
}

Json Session::Impl::watch(Arguments& arguments) {
  const Json list = arguments.value("channels");
  if (!list.is_array()) arguments.refuse("channels", "a list of {name, expr, unit}");
  arguments.finish();
  std::vector<WatchedChannel> added;
  std::vector<std::string> expressions;
  for (const Json& item : list) {
    Arguments channel("watch", item);
    const std::string expression = channel.text("expr");
    added.push_back({channel.text_or("name", expression), expression, channel.text_or("unit", ""), ""});
    channel.finish();
    check_channel(added.back());
    expressions.push_back(expression);
  }
  if (channels.size() + added.size() > kMostWatches)
    throw InvalidArgument(fmt::format("watch: at most {} channels can be watched", kMostWatches));
  const std::vector<std::string> mistakes = look_at(expressions);
  const auto wrong = std::find_if(mistakes.begin(), mistakes.end(), [](const auto& m) { return !m.empty(); });
  if (wrong == mistakes.end())
    for (WatchedChannel& channel : added) put_channel(std::move(channel));
  update_watches();
  if (wrong != mistakes.end())
    throw InvalidArgument(fmt::format("watch: '{}': {}", expressions[wrong - mistakes.begin()], *wrong));
  return {};
}

Json Session::Impl::unwatch(Arguments& arguments) {
  const Json names = arguments.value("names");
  if (!names.is_array()) arguments.refuse("names", "a list of names");
  arguments.finish();
  for (const Json& name : names) {
    const auto same = [&](const WatchedChannel& c) { return name.is_string() && c.name == name.get<std::string>(); };
    const auto begin = channels.begin() + static_cast<std::ptrdiff_t>(output_count);
    channels.erase(std::remove_if(begin, channels.end(), same), channels.end());
  }
  update_watches();
  return {};
}

Json Session::Impl::history(Arguments& arguments) {
  const Json names = arguments.value("names");
  if (!names.is_array()) arguments.refuse("names", "a list of names");
  const int index = arguments.integer_or("branch", timeline.current_index());
  const double from = arguments.number_or("from", 0), to = arguments.number_or("to", 1e300);
  const int rows = arguments.integer_or("rows", 2000);
  if (rows < 1 || rows > 10000) arguments.refuse("rows", "a number from 1 to 10000");
  arguments.finish();
  std::vector<std::string> list;
  for (const Json& name : names) {
    if (!name.is_string()) arguments.refuse("names", "a list of names");
    list.push_back(name);
    const auto same = [&](const WatchedChannel& channel) { return channel.name == list.back(); };
    if (std::none_of(channels.begin(), channels.end(), same))
      throw InvalidArgument(fmt::format("history: nothing named '{}' is watched", list.back()));
  }
  return timeline.branch(index).history.json(list, from, to, rows);
}

Json Session::Impl::measure(Arguments& arguments) {
  const auto place = [&](const char* key) {
    Arguments at("measure", arguments.value(key));
    const std::string body = at.text("body");
    const Eigen::Vector3d point = at.vector_or("point", Eigen::Vector3d::Zero());
    at.finish();
    const Pose pose = body_pose(body);
    return Eigen::Vector3d(pose.position + pose.orientation * point);
  };
  const Eigen::Vector3d a = place("a"), b = place("b");
  arguments.finish();
  return {{"distance", (b - a).norm()}, {"delta", vector_json(b - a)}};
}

Json Session::Impl::hash(Arguments& arguments) {
  arguments.finish();
  return {{"hash", hash_text(simulation.hash())}};
}

}  // namespace lipkin
