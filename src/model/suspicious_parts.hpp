// The looks that suspicions() takes at a model, one each.
#pragma once

#include <vector>

#include "lipkin/error.hpp"
#include "model/model_data.hpp"
#include "model/model_suspicions.hpp"

namespace lipkin {

Diagnostic suspicion(const SourceLocation& where, std::string message, std::string hint);

// Largest edge of any of the shapes [m]; 0 without shapes.
double largest_extent(const std::vector<ShapeSpec>& shapes);

// Inertias, centres of mass and lengths that look like millimetres, targets that look like degrees.
void look_at_numbers(const ModelData& model, double duration, const WrittenParts& written,
                     std::vector<Diagnostic>& found);

// Joints that turn about gravity because nobody gave them an axis, and that nothing moves.
void look_at_idle_joints(const ModelData& model, const std::vector<std::string>& set_paths, const WrittenParts& written,
                         std::vector<Diagnostic>& found);

// The links that hang on one, itself included, and whether anything but gravity, contact and joint forces can act on
// such links from outside.
std::vector<bool> subtree_of(const ModelData& model, int link);
bool is_acted_on(const ModelData& model, const std::vector<bool>& is_part);

// Springs that cannot do anything, actuators without a control. `set_paths`: what the run's commands set.
void look_at_idle_parts(const ModelData& model, const std::vector<std::string>& set_paths,
                        std::vector<Diagnostic>& found);

// Springs far too soft for what hangs on them alone.
void look_at_soft_springs(const ModelData& model, std::vector<Diagnostic>& found);

// Materials that nobody gave a friction, and that take it from what they touch.
void look_at_frictions(const ModelData& model, const WrittenParts& written, std::vector<Diagnostic>& found);

// Joints whose place in their parents is a place in the world.
void look_at_places(const ModelData& model, const WrittenParts& written, std::vector<Diagnostic>& found);

// Free bodies with shapes that fall through everything, or out of sight; free bodies that rise.
void look_for_falls(const ModelData& model, double duration, std::vector<Diagnostic>& found);

}  // namespace lipkin
