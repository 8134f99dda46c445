// Controllers: laws and PIDs, exchanged for one another while they work.
#include <fmt/format.h>

#include <algorithm>

#include "session/session_impl.hpp"

namespace lipkin {

std::optional<Signal> signal_of(Arguments& arguments, const char* key) {
  if (!arguments.has(key)) return std::nullopt;
  Signal signal;
  const Json value = arguments.value(key);
  if (value.is_string()) {
    signal.source = ExpressionText{value.get<std::string>()};
  } else {
    signal.source = arguments.number(key);
  }
  return signal;
}

namespace {

// Which of the two a controller is to be: as asked for, as what is given says, or as it is.
bool becomes_pid(Arguments& arguments, bool is_pid) {
  const bool has_law = arguments.has("law"), has_measured = arguments.has("measured");
  if (has_law && has_measured) arguments.refuse("law", "either 'law' or 'measured'");
  const char* given = has_law ? "law" : has_measured || is_pid ? "pid" : "law";
  const bool pid = arguments.choice_or("kind", {"law", "pid"}, given) == "pid";
  if (pid && has_law) arguments.refuse("law", "no law where 'kind' is 'pid'");
  if (!pid && has_measured) arguments.refuse("measured", "nothing to measure where 'kind' is 'law'");
  return pid;
}

void read_gains(Arguments& arguments, ControllerSpec& controller) {
  if (arguments.has("measured")) controller.measured = arguments.text("measured");
  if (const std::optional<Signal> target = signal_of(arguments, "target")) controller.target = *target;
  controller.p = arguments.number_or("p", controller.p);
  controller.i = arguments.number_or("i", controller.i);
  controller.d = arguments.number_or("d", controller.d);
  controller.filter = arguments.number_or("filter", controller.filter);
  controller.min = arguments.number_or("min", controller.min);
  controller.max = arguments.number_or("max", controller.max);
}

}  // namespace

// What is not given stays as it was, also what a controller was before it became the other kind: a law keeps the
// measured value and the gains, and Design::replaced_laws the law of a PID, which acts until that has a gain.
Json Session::Impl::set_controller(Arguments& arguments) {
  ControllerSpec controller;
  controller.name = arguments.text("name");
  const auto same = [name = controller.name](const ControllerSpec& c) { return c.name == name; };
  const std::vector<ControllerSpec> now_there = parts_in_force().controllers;
  const auto old = std::find_if(now_there.begin(), now_there.end(), same);
  const bool is_new = old == now_there.end();
  if (!is_new) controller = *old;
  const bool was_pid = is_new || design->is_pid(controller);
  Design next = *design;
  const auto replaced = next.replaced_laws.find(controller.name);
  if (was_pid && replaced != next.replaced_laws.end()) controller.law = replaced->second;
  if (becomes_pid(arguments, was_pid)) {
    if (controller.law) next.replaced_laws[controller.name] = *controller.law;
    controller.law.reset();
  } else {
    if (arguments.has("law")) controller.law = signal_of(arguments, "law");
    if (!controller.law) arguments.refuse("law", "a number or an expression: it has had none");
    next.replaced_laws.erase(controller.name);
  }
  read_gains(arguments, controller);
  arguments.finish();
  if (!controller.law && controller.measured.empty()) arguments.refuse("measured", "'measured' or 'law'");
  controller.where = {};
  for (const char* gain : {"p", "i", "d", "target"})  // they are in what was read above
    next.forget_value(fmt::format("controller.{}.{}", controller.name, gain));
  next.edit("controller " + controller.name, [controller, same](ModelParts& p) {
    const auto place = std::find_if(p.controllers.begin(), p.controllers.end(), same);
    if (place == p.controllers.end()) {
      p.controllers.push_back(controller);
    } else {
      *place = controller;
    }
  });
  if (next.replaced_laws.contains(controller.name)) {  // mistakes are told now, not when there is a gain
    Design with_gains = next;
    with_gains.replaced_laws.erase(controller.name);
    with_gains.compile();
  }
  change(std::move(next), {"controller." + controller.name});
  return {};
}

}  // namespace lipkin
