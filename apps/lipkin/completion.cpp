#include "completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace lipkin::cli {
namespace {

constexpr const char* kSceneNames = "lipkin scenes --names 2>/dev/null";

struct OptionText {
  std::vector<std::string> names;  // "--dt", "-o"; empty: a positional argument
  std::string description;
  std::string takes;  // type name; empty: a flag
};

struct CommandText {
  std::string name;
  std::string description;
  std::vector<OptionText> options;
  std::string argument;  // type name of its positional argument; empty: none
};

std::vector<OptionText> options_of(const CLI::App& app) {
  std::vector<OptionText> options;
  for (const CLI::Option* option : app.get_options()) {
    OptionText text;
    for (const std::string& name : option->get_lnames()) text.names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) text.names.push_back("-" + name);
    text.description = option->get_description();
    if (option->get_items_expected_max() > 0) text.takes = option->get_type_name();
    if (!text.names.empty()) options.push_back(std::move(text));
  }
  return options;
}

std::string argument_of(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) return option->get_type_name();
  }
  return {};
}

std::vector<CommandText> commands_of(const CLI::App& app) {
  std::vector<CommandText> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back({command->get_name(), command->get_description(), options_of(*command), argument_of(*command)});
  }
  return commands;
}

bool is_list(const std::string& takes) { return takes.find('|') != std::string::npos; }

std::string words_of_list(std::string takes) {
  std::replace(takes.begin(), takes.end(), '|', ' ');
  return takes;
}

std::string all_option_names(const std::vector<OptionText>& options) {
  std::vector<std::string> names;
  for (const OptionText& option : options) names.insert(names.end(), option.names.begin(), option.names.end());
  return fmt::format("{}", fmt::join(names, " "));
}

// The bash command that fills COMPREPLY with what fits `takes`.
std::string bash_reply(const std::string& takes) {
  if (is_list(takes)) return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\"))", words_of_list(takes));
  if (takes == "SCENE") return fmt::format("COMPREPLY=($(compgen -f -W \"$({})\" -- \"$word\"))", kSceneNames);
  if (takes == "FILE") return "COMPREPLY=($(compgen -f -- \"$word\"))";
  return "COMPREPLY=()";
}

std::string bash_case_of_values(const CommandText& command) {
  std::string text;
  for (const OptionText& option : command.options) {
    if (option.takes.empty()) continue;
    text += fmt::format("        {}) {}; return ;;\n", fmt::join(option.names, "|"), bash_reply(option.takes));
  }
  return text.empty() ? "" : "      case $previous in\n" + text + "      esac\n";
}

std::string bash_script(const CLI::App& app) {
  const std::vector<CommandText> commands = commands_of(app);
  std::string names, cases;
  for (const CommandText& command : commands) {
    names += (names.empty() ? "" : " ") + command.name;
    cases += fmt::format(
        "    {})\n{}      if [[ $word == -* ]]; then COMPREPLY=($(compgen -W '{}' -- \"$word\")); else {}; fi ;;\n",
        command.name, bash_case_of_values(command), all_option_names(command.options), bash_reply(command.argument));
  }
  return fmt::format(
      "_lipkin() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  if [[ $COMP_CWORD -eq 1 ]]; then COMPREPLY=($(compgen -W '{} {}' -- \"$word\")); return; fi\n"
      "  case ${{COMP_WORDS[1]}} in\n{}  esac\n"
      "}}\n"
      "complete -o filenames -F _lipkin lipkin ./lipkin\n",
      names, all_option_names(options_of(app)), cases);
}

std::string without(std::string text, const std::string& characters) {
  text.erase(std::remove_if(text.begin(), text.end(), [&](char c) { return characters.find(c) != std::string::npos; }),
             text.end());
  return text;
}

std::string zsh_action(const std::string& takes) {
  if (is_list(takes)) return fmt::format("({})", words_of_list(takes));
  if (takes == "SCENE") return "_lipkin_scenes";
  return takes == "FILE" ? "_files" : " ";
}

std::string zsh_argument(const OptionText& option, const std::string& name) {
  const std::string description = without(option.description, "[]:'\\");
  if (option.takes.empty()) return fmt::format(" '{}[{}]'", name, description);
  return fmt::format(" '*{}[{}]:{}:{}'", name, description, is_list(option.takes) ? "value" : option.takes,
                     zsh_action(option.takes));
}

std::string zsh_script(const CLI::App& app) {
  std::string names, cases;
  for (const CommandText& command : commands_of(app)) {
    names += fmt::format(" '{}:{}'", command.name, without(command.description, ":'\\"));
    std::string arguments;
    for (const OptionText& option : command.options) {
      for (const std::string& name : option.names) arguments += zsh_argument(option, name);
    }
    if (!command.argument.empty()) {
      arguments += fmt::format(" '*:{}:{}'", command.argument, zsh_action(command.argument));
    }
    cases += fmt::format("    {}) _arguments{} ;;\n", command.name, arguments);
  }
  return fmt::format(
      "#compdef lipkin\n"
      "_lipkin_scenes() {{ compadd -- ${{(f)\"$({})\"}}; _files }}\n"
      "_lipkin() {{\n"
      "  local -a commands=({})\n"
      "  if (( CURRENT == 2 )); then _describe command commands; compadd -- {}; return; fi\n"
      "  local command=$words[2]\n"
      "  shift words; (( CURRENT-- ))\n"
      "  case $command in\n{}  esac\n"
      "}}\n"
      // Loaded by the shell as the function itself, or sourced.
      "if [[ $funcstack[1] = _lipkin ]]; then _lipkin \"$@\"; else compdef _lipkin lipkin; fi\n",
      kSceneNames, names, all_option_names(options_of(app)), cases);
}

std::string fish_names(const OptionText& option) {
  std::string text;
  for (const std::string& name : option.names) {
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  return text;
}

std::string fish_values(const std::string& takes) {
  if (takes.empty()) return "";
  if (is_list(takes)) return fmt::format(" -x -a '{}'", words_of_list(takes));
  return takes == "FILE" ? " -r -F" : " -x";
}

std::string fish_script(const CLI::App& app) {
  std::string text = "complete -c lipkin -f\n";
  for (const CommandText& command : commands_of(app)) {
    const std::string here = fmt::format("-n '__fish_seen_subcommand_from {}'", command.name);
    text += fmt::format("complete -c lipkin -n __fish_use_subcommand -a {} -d '{}'\n", command.name,
                        without(command.description, "'\\"));
    for (const OptionText& option : command.options) {
      text += fmt::format("complete -c lipkin {}{}{} -d '{}'\n", here, fish_names(option), fish_values(option.takes),
                          without(option.description, "'\\"));
    }
    if (command.argument == "SCENE") text += fmt::format("complete -c lipkin {} -a '({})'\n", here, kSceneNames);
    if (command.argument == "SCENE" || command.argument == "FILE") {
      text += fmt::format("complete -c lipkin {} -F\n", here);
    }
  }
  for (const OptionText& option : options_of(app)) {
    text += fmt::format("complete -c lipkin -n __fish_use_subcommand{}{} -d '{}'\n", fish_names(option),
                        fish_values(option.takes), without(option.description, "'\\"));
  }
  return text;
}

}  // namespace

std::string completion_script(const CLI::App& app, const std::string& shell) {
  if (shell == "zsh") return zsh_script(app);
  return shell == "fish" ? fish_script(app) : bash_script(app);
}

}  // namespace lipkin::cli
