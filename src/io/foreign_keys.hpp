// Keys that other programs have in a place where the scene format has none: what to write instead, with the names and
// values that are there.
#pragma once

#include <string>

#include "io/node.hpp"

namespace lipkin {

// An advice of the schema (x-instead) with <value> as the value, and <1>, <2>, ... as its items.
std::string filled_in(const std::string& advice, const Node& value);

// For a list of joints that name their parents and children: the bodies that carry them. Empty where it is none.
std::string joints_in_their_bodies(const Node& joints);

// For properties of a material that stand on a shape: the material, and the `contact` that names it. Empty where `key`
// is no such property. `scene` is the whole file.
std::string material_of_shape(const std::string& key, const Node& shape, const Node& scene);

// For an actuator with the keys of a servo, `kp`, `position` and the like: the motor that it is. Empty where it has
// none.
std::string motor_of_actuator(const Node& actuator);

// For a `contact` that is no name: the materials there are, or how to make one.
std::string contact_instead_of(const Node& found, const Node& scene);

}  // namespace lipkin
