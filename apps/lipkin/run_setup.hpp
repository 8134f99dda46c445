// What run, view and replay share: a scene with the options of the command line, and commands from a file.
#pragma once

#include <functional>
#include <string>

#include "commands.hpp"
#include "lipkin/session.hpp"

namespace lipkin::cli {

// Checks the options, opens the scene and applies them to its experiment. Throws UsageError or InputError.
Scene prepared_scene(const RunOptions& options);

// Submits the lines of a file, one command each; empty lines and those that begin with # are skipped. Throws InputError
// with every line that is no command; `refused` is called where one cannot be carried out later.
void submit_commands(const std::string& file, Session& session, const std::function<void(const InputError&)>& refused);

}  // namespace lipkin::cli
