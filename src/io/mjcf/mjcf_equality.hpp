// <equality>: loops, gears and prescribed joints.
#pragma once

#include "io/import/model_import.hpp"
#include "io/mjcf/mjcf_model.hpp"

namespace lipkin {

void add_mjcf_equalities(const ElementReader& root, const MjcfModel& model, bool is_on, ModelImport& import);

}  // namespace lipkin
