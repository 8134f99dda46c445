// Scripts that make a shell complete the command line, from its own definition.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lipkin::cli {

inline const std::vector<std::string> kShells = {"bash", "zsh", "fish"};

// What an option takes is read off its type name: FILE, FOLDER, SCENE, or the values themselves as a|b|c.
std::string completion_script(const CLI::App& app, const std::string& shell);

}  // namespace lipkin::cli
