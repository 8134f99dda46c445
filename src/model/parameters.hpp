// Every number of a model's parts that `set` may change, by path, with unit and range.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "lipkin/state.hpp"
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

// joint.NAME.WHAT of a joint of several directions is each of them, joint.NAME.WHAT[k] one. Throws InvalidArgument
// where there is no such path, with the nearest one, or the value is out of range.
void put_parameter(ModelParts& parts, const std::string& path, double value);
void check_value(const ModelParts& parts, const std::string& path, double value);
void check_parameter(const ModelParts& parts, const std::string& path);  // of the path alone

bool is_parameter(const ModelParts& parts, const std::string& path);

// The model built anew with these values, put one after the other; those that are no parameters of it are left out.
// Throws InvalidArgument or InputError where one of them cannot be.
Model with_values(const Model& model, const std::vector<SettingEdit>& values);

// Takes out of a list of values those of a path, or of a part with all its values. What was set for all directions of a
// joint at once stays for the other ones where the path is that of one.
void forget_values(const ModelParts& parts, const std::string& path, std::vector<SettingEdit>& values);

// Sets one of the values given per degree of freedom, or once for all, or not at all.
void put_dof(std::vector<double>& values, int count, int k, double otherwise, double value);

// Given, or that of the shapes.
MassProperties mass_of(const BodySpec& body);

}  // namespace lipkin
