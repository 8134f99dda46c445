// What is wrong with the line of a command, and the whole line that was meant: other programs and the `commands` of a
// scene have other keys for the same.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string>

#include "lipkin/session.hpp"
#include "session/session_impl.hpp"

namespace lipkin {
namespace {

bool is_command(const std::string& name) {
  try {
    command_named(name);
    return true;
  } catch (const InvalidArgument&) {
    return false;
  }
}

// The value of the first of these keys that there is; null where there is none.
const Json* any_of(const Json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (const auto found = object.find(key); found != object.end()) return &*found;
  return nullptr;
}

// The command by its name, or as a key: {"set": {...}}.
std::string name_in(const Json& line) {
  const Json* named = any_of(line, {"cmd", "command", "action", "type"});
  if (named && named->is_string() && is_command(*named)) return *named;
  for (const auto& [key, value] : line.items())
    if (is_command(key) && (value.is_object() || value.is_string())) return key;
  return any_of(line, {"path"}) ? "set" : "";
}

// A path and a value, wherever they stand: {"set": {"motor.drive.target": 5}}, {"path": "motor.drive.target", ...}.
std::optional<Json> setting_in(const Json& line) {
  const Json* set = any_of(line, {"set", "args"});
  const Json& place = set && set->is_object() ? *set : line;
  const Json* path = set && set->is_string() ? set : any_of(place, {"path", "name", "target"});
  const Json* value = any_of(place, {"value", "to"});
  if (path && path->is_string() && value && value->is_number()) return Json{{"path", *path}, {"value", *value}};
  if (!set || !set->is_object()) return std::nullopt;
  for (const auto& [key, entry] : set->items())
    if (entry.is_number() && key.find('.') != std::string::npos) return Json{{"path", key}, {"value", entry}};
  return std::nullopt;
}

Json arguments_in(const Json& line, const std::string& name) {
  if (name == "set") return setting_in(line).value_or(Json{{"path", "motor.drive.target"}, {"value", 5}});
  const Json* args = any_of(line, {"args", "arguments", "params", name.c_str()});
  return args && args->is_object() ? *args : Json::object();
}

// In seconds; of a time that cannot be read that of the example.
std::optional<Json> time_in(const Json& line) {
  const Json* at = any_of(line, {"at", "time", "t", "when"});
  if (!at) return std::nullopt;
  const Json* number = at->is_object() ? any_of(*at, {"t", "time"}) : at;
  return number && number->is_number() ? *number : Json(1.0);
}

// With a blank behind every colon and comma, as people write it.
std::string spaced(const Json& value) {
  if (!value.is_object()) return value.dump();
  std::string text;
  for (const auto& [key, entry] : value.items())
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", Json(key).dump(), spaced(entry));
  return "{" + text + "}";
}

// The line that was meant; what is not known is that of an example.
std::string written_instead(const Json& text) {
  const Json first = text.is_array() && !text.empty() ? text[0] : text;
  const Json line = first.is_object() ? first : Json::object();
  const std::string name = name_in(line);
  Json whole = {{"cmd", name.empty() ? "set" : name}};
  if (const Json args = arguments_in(line, whole["cmd"]); !args.empty()) whole["args"] = args;
  const std::optional<Json> at = time_in(line);
  if (at || name.empty()) whole["at"] = at.value_or(Json(1.0));
  if (const Json* step = any_of(line, {"step"}); step && step->is_number_unsigned()) whole["step"] = *step;
  return spaced(whole);
}

// A list of commands, a text that is no JSON at all.
std::string mistake_in_form(const Json& text) {
  if (text.is_object()) return {};
  const char* what = text.is_array() ? "the commands are a JSON list" : "this is no JSON object";
  return fmt::format("{}, and a line is one command", what);
}

std::string mistake_in_keys(const Json& command) {
  if (!command.contains("cmd") || !command["cmd"].is_string()) return "'cmd' is missing; expected a text";
  if (!is_command(command["cmd"])) return {};  // which has a better remedy
  constexpr std::array kKeys = {"id", "cmd", "args", "at", "step"};
  for (const auto& [key, value] : command.items())
    if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end())
      return fmt::format("a command has no '{}'; expected id, cmd, args, at or step", key);
  if (command.contains("args") && !command["args"].is_object() && !command["args"].is_null())
    return "'args' is no JSON object";
  if (command.contains("at") && !command["at"].is_number()) return "'at' is no number; expected a time in s";
  if (command.contains("step") && !command["step"].is_number_unsigned())
    return "'step' is no number; expected a count of steps";
  if (command["cmd"] == "set" && !(command.contains("args") && any_of(command["args"], {"path"})))
    return "set: 'path' is missing; expected a text";
  return {};
}

}  // namespace

std::string command_mistake(const std::string& line) {
  const Json command = Json::parse(line, nullptr, false);
  std::string mistake = mistake_in_form(command);
  if (mistake.empty()) mistake = mistake_in_keys(command);
  if (!mistake.empty()) return fmt::format("{} (write {})", mistake, written_instead(command));
  try {
    command_named(command["cmd"]);
  } catch (const InvalidArgument& e) {
    return e.what();
  }
  return {};
}

}  // namespace lipkin
