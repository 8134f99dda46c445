// What the values of a scene file may refer to while they are read: parameters, repetition indices, and what the file's
// names and its world mean in the whole scene.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lipkin/model_builder.hpp"

namespace lipkin {

struct ScopeParameter {
  double value = 0;
  SourceLocation where;
  bool used = false;
};

// One use of a file: the top scene, or one inclusion of another.
struct SceneInstance {
  std::string prefix;                   // of every name in the whole scene
  std::string mount_body = kWorldName;  // what the file calls world, by its name in the whole scene
  Pose mount;                           // the file's world in the mount body
  std::unordered_map<std::string, ScopeParameter> parameters = {};
  std::unordered_set<std::string> written_below = {};  // parameters of the file that are still to be read
  bool has_world_point = false;                        // an expression asks for places as seen from the file's world

  // What stands for the file's world where it is a place on a body: a point there of this name.
  bool is_mounted_elsewhere() const;
  std::string world_point() const { return prefix + "mount"; }
};

struct RepeatIndex {
  std::string name;
  double value = 0;
};

struct Scope {
  SceneInstance* instance;
  std::vector<RepeatIndex> indices = {};  // outermost first
  bool first_copy = true;                 // of the innermost repetition

  // A parameter, which counts as used from then on, or an index.
  std::optional<double> value_of(std::string_view name) const;
  bool is_index(std::string_view name) const;

  // Everything value_of knows.
  std::vector<std::string> known_names() const;

  // The name in the whole scene of something in this file.
  std::string global_name(const std::string& local) const { return instance->prefix + local; }

  // The variable of an expression in the whole scene: joint.NAME.q and the like and parameters take the prefix, an
  // index becomes its value, everything else stays.
  std::string global_variable(std::string_view variable) const;

 private:
  std::string global_names(std::string_view variable) const;
  std::string global_world(bool as_frame) const;
};

// Frame C in A, of B in A and C in B.
Pose compose(const Pose& X_AB, const Pose& X_BC);

}  // namespace lipkin
