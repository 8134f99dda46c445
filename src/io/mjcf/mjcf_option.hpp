// <option> and <size>.
#pragma once

#include "io/import/model_import.hpp"
#include "io/mjcf/mjcf_model.hpp"

namespace lipkin {

struct MjcfOption {
  bool has_contacts = true, has_limits = true, has_equalities = true, has_springs = true, has_dampers = true;
  bool has_friction = true, has_actuators = true, filters_parents = true;

  // Sets gravity and step as well.
  void read(const ElementReader& root, MjcfModel& model, ModelImport& import);

 private:
  void read_flags(const ElementReader& flag, MjcfModel& model);
};

}  // namespace lipkin
