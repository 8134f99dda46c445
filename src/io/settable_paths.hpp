// What can be set while a scene runs, by path, and what to write instead of a path that names nothing.
#pragma once

#include <string>

#include "io/node.hpp"
#include "io/schema.hpp"

namespace lipkin {

// "write motor.drive.target" for 'motors.drive.velocity'. `paths` is the schema of the keys of `set`, `scene` the whole
// file.
std::string settable_instead(const std::string& path, const Schema& paths, const Node& scene);

}  // namespace lipkin
