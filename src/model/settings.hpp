// Values of a model that may be changed while it runs, by path (see CommandSet in lipkin/scene.hpp).
#pragma once

#include <string_view>
#include <vector>

#include "model/model_data.hpp"

namespace lipkin {

struct Setting {
  int control = -1;             // >= 0: this control, which is part of the state; otherwise:
  std::vector<double*> places;  // where the value goes in the model
  int input = -1;               // >= 0: this input, which is part of the state
  int overrides = -1;           // >= 0: the control that no longer holds where this is set
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool above_minimum = false;  // the minimum itself is not allowed
  // Other values of the model that it may not pass, such as the other limit of a joint: they may change until it is
  // set.
  std::vector<const double*> not_below = {}, not_above = {};
  bool of_material = false;  // the contact laws follow from it
};

// Throws InvalidArgument naming the nearest known name.
Setting find_setting(ModelData& model, std::string_view path);

// Throws InvalidArgument when the value is not finite or outside the setting's range, whatever the other values are.
void check_setting(const Setting& setting, std::string_view path, double value);

// Throws InvalidArgument when the value passes one of the others as they are now.
void check_beside_others(const Setting& setting, std::string_view path, double value);

// Puts a checked value where it goes in the model; takes nothing from the heap.
void put_setting(ModelData& model, const Setting& setting, double value);

// Finds, checks by itself and puts a value that was checked beside the others when it was first set.
void apply_setting(ModelData& model, std::string_view path, double value);

}  // namespace lipkin
