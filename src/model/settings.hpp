// Values of a model that are changed in place while it runs, by path (see CommandSet in lipkin/scene.hpp): rebuilds and
// allocates nothing. All others are parameters of its parts (model/parameters.hpp), of which a model is built anew.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "lipkin/state.hpp"
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
  bool of_material = false;             // the contact laws follow from it
  bool is_rod_where_they_meet = false;  // has other rows where it is equal to one of these
  bool is_nothing_at_zero = false;      // there or not, other rows or checks: 0 is no value like others
};

// Nothing where the value has no place of its own: there is no such parameter, or the model was built without the rows
// for it. Throws InvalidArgument where a part has another name, naming the nearest, or can never have such a value.
std::optional<Setting> find_setting(ModelData& model, std::string_view path);

// Whether the value only changes numbers, so that the model need not be built anew.
bool fits_in_place(const Setting& setting, double value);

// Throws InvalidArgument when the value is not finite or outside the setting's range, whatever the other values are.
void check_setting(const Setting& setting, std::string_view path, double value);

// Throws InvalidArgument when the value passes one of the others as they are now.
void check_beside_others(const Setting& setting, std::string_view path, double value);

// Puts a checked value where it goes in the model; takes nothing from the heap.
void put_setting(ModelData& model, const Setting& setting, double value);

// Puts a value that was checked beside the others when it was first set; false where it has no place of its own. Throws
// InvalidArgument as the above do.
bool apply_in_place(ModelData& model, const SettingEdit& edit);

}  // namespace lipkin
