// What a model may well be and is most often a mistake: sizes in millimetres, bodies that nothing can hold.
#pragma once

#include <Eigen/Geometry>
#include <map>
#include <set>
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

// The box itself, in the shape's frame; empty for a hull or mesh without points, of a height field without its depth.
Eigen::AlignedBox3d bounds(const ShapeGeometry& geometry);

// What of a model was written where, by the names of its parts.
struct WrittenParts {
  std::map<std::string, SourceLocation> inertias;  // of bodies
  std::map<std::string, SourceLocation> places;    // `at`, of joints that have one
  std::set<std::string> joints_with_axis;          // the others have one by default
  std::set<std::string> materials_with_friction;
};

// Warnings, for a run of this duration [s] whose commands change what these paths name: those of a CommandSet, and
// body.NAME where one is pushed.
std::vector<Diagnostic> suspicions(const ModelData& model, double duration, const std::vector<std::string>& set_paths,
                                   const WrittenParts& written);

}  // namespace lipkin
