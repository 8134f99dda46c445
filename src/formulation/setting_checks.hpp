// What the settings of a run ask of its model.
#pragma once

#include "lipkin/scene.hpp"
#include "model/model_data.hpp"

namespace lipkin {

// Contact as a force needs materials with a stiffness. Throws SettingError.
void check_materials_give_way(const ModelData& model, const Experiment& experiment);

// For a solver that takes joints and loops alone. Throws SettingError.
[[noreturn]] void refuse_direct_solver(const ModelData& model);

}  // namespace lipkin
