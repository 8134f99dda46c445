// What of a model a computation without constraint rows leaves out, in words.
#pragma once

#include <string>
#include <vector>

#include "model/model_data.hpp"

namespace lipkin {

// One entry a kind: "2 loops", "contacts". Servos are forces where they are evaluated as such, rows in a step.
std::vector<std::string> parts_held_by_rows(const ModelData& model, bool servos_are_rows);

}  // namespace lipkin
