// Values of a model that may be changed while it runs, by path (see CommandSet in lipkin/scene.hpp).
#pragma once

#include <string_view>
#include <vector>

#include "model/model_data.hpp"

namespace lipkin {

struct Setting {
  int actuator = -1;            // >= 0: the control of this actuator, which is part of the state; otherwise:
  std::vector<double*> places;  // where the value goes in the model
  double minimum = -std::numeric_limits<double>::infinity();
};

// Throws InvalidArgument naming the nearest known name.
Setting find_setting(ModelData& model, std::string_view path);

// Puts a value into the model; throws InvalidArgument when it is not finite or below the setting's minimum.
void apply_setting(ModelData& model, std::string_view path, double value);

}  // namespace lipkin
