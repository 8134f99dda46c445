// The `experiment` of a scene file.
#pragma once

#include "io/mapping_reader.hpp"
#include "io/scene_assembler.hpp"
#include "lipkin/scene.hpp"

namespace lipkin {

// Commands are checked against `names`.
Experiment read_experiment(const MappingReader& experiment, const SceneNames& names);

}  // namespace lipkin
