#include "io/export/losses.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/model_data.hpp"

namespace lipkin {

void LossList::add(std::size_t count, const std::string& what) {
  if (count == 0) return;
  warnings_.push_back({{}, fmt::format("{} cannot say {}; {} left out", format_, what, count), {}, Severity::kWarning});
}

std::size_t count_other_than(double none, const std::vector<double>& values) {
  return static_cast<std::size_t>(std::count_if(values.begin(), values.end(), [&](double x) { return x != none; }));
}

void add_common_losses(const Scene& scene, LossList& losses) {
  const ModelParts& parts = *scene.model.data().parts;
  std::size_t added = 0, restitutions = 0, of_materials = 0;
  for (const BodySpec& body : parts.bodies) added += body.added_inertia ? 1 : 0;
  for (const JointSpec& joint : parts.joints) restitutions += joint.limit_restitution > 0 ? 1 : 0;
  const MaterialSpec usual;
  for (const MaterialSpec& m : parts.materials)
    of_materials +=
        count_other_than(0, {m.static_friction, m.stiffness, m.damping, m.linear_damping, m.exponent - usual.exponent});
  losses.add(added, "added inertias of bodies");
  losses.add(restitutions, "restitutions of limits");
  losses.add(of_materials, "static frictions, stiffnesses, exponents and dampings of materials");
  losses.add(parts.bushings.size(), "bushings");
  losses.add(parts.forces.size(), "forces");
  losses.add(parts.tyres.size(), "tyres");
  losses.add(parts.inputs.size(), "inputs");
  losses.add(parts.controllers.size(), "controllers");
  losses.add(parts.outputs.size(), "outputs, which are expressions");
  losses.add(scene.experiment.commands.size(), "timed commands");
}

}  // namespace lipkin
