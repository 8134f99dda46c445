// Every number of a model that `set` may change, by path.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "model/model_compiler.hpp"

namespace lipkin {

struct Parameter {
  std::string path, unit, group;
  double value = 0;  // infinite where there is none, as for a limit that is not given
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  std::function<void(ModelParts&, double)> put;  // into the parts that were listed
  std::string derived_from = {};                 // see ParameterSpec
};

// All of them, in the order of the model.
std::vector<Parameter> list_parameters(const ModelParts& parts);

// Throws InvalidArgument where there is no such path, with the nearest one, or the value is out of range.
void put_parameter(ModelParts& parts, const std::string& path, double value);
void check_parameter(const ModelParts& parts, const std::string& path);  // of the path alone

// Sets one of the values given per degree of freedom, or once for all, or not at all.
void put_dof(std::vector<double>& values, int count, int k, double otherwise, double value);

// Given, or that of the shapes.
MassProperties mass_of(const BodySpec& body);

}  // namespace lipkin
