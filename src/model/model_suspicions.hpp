// What a model may well be and is most often a mistake: sizes in millimetres, bodies that nothing can hold.
#pragma once

#include <string>
#include <vector>

#include "lipkin/error.hpp"
#include "model/model_data.hpp"

namespace lipkin {

// Largest and smallest edge of the box around a shape, along its own axes [m]; infinite for planes.
struct ShapeExtent {
  double largest = 0, smallest = 0;
};
ShapeExtent extent(const ShapeGeometry& geometry);

// Warnings, for a run of this duration [s] whose commands set what these paths name (CommandSet).
std::vector<Diagnostic> suspicions(const ModelData& model, double duration, const std::vector<std::string>& set_paths);

}  // namespace lipkin
