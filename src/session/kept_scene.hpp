// The files of a scene as they were when a session began: what is read again with other parameters is the same scene,
// whatever becomes of the files.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/temporary_folder.hpp"
#include "lipkin/session.hpp"

namespace lipkin {

class KeptScene {
 public:
  // Reads the files where the scene has parameters; others are not read again.
  KeptScene(const SceneSource& source, bool has_parameters);

  bool can_be_read() const { return !source_.scene.empty(); }

  // With further overrides. Throws as load_scene, mistakes at their places in the files as the user named them.
  Scene read(const std::vector<std::pair<std::string, std::string>>& overrides);

 private:
  SceneSource source_;
  std::vector<SceneText> files_;
  std::optional<TemporaryFolder> folder_;  // where they lie once they were read again
};

}  // namespace lipkin
