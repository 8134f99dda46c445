#include "formulation/setting_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lipkin/setting_error.hpp"
#include "model/model_suspicions.hpp"

namespace lipkin {
namespace {

// The stiffness with which no body that has this material sinks by more than a hundredth of its size under its own
// weight, to one digit; 0 where nothing has a weight.
double usable_stiffness(const ModelData& model, int material) {
  constexpr double kPart = 0.01;
  const double g = norm(model.gravity);
  double largest = 0;
  for (const ContactShapeData& shape : model.contact_shapes) {
    if (shape.material != material || shape.link == 0) continue;
    const double mass = model.rigid_inertia[static_cast<std::size_t>(shape.link)].m;
    const double size = extent(shape.geometry).smallest;
    const double exponent = model.materials[static_cast<std::size_t>(material)].law.exponent;
    if (size > 0 && std::isfinite(size)) largest = std::max(largest, mass * g / std::pow(kPart * size, exponent));
  }
  if (!(largest > 0)) return 0;
  const double digit = std::pow(10, std::floor(std::log10(largest)));
  return std::ceil(largest / digit) * digit;
}

bool is_rigid(const ModelData& model, int a, int b) {
  return !(
      model.contact_laws[static_cast<std::size_t>(a) * model.materials.size() + static_cast<std::size_t>(b)].stiffness >
      0);
}

}  // namespace

void check_materials_give_way(const ModelData& model, const Experiment& experiment) {
  for (const ContactShapeData& moving : model.contact_shapes) {
    if (moving.link == 0) continue;
    const bool meets_rigid =
        std::any_of(model.contact_shapes.begin(), model.contact_shapes.end(), [&](const ContactShapeData& other) {
          return other.link != moving.link && is_rigid(model, moving.material, other.material);
        });
    if (!meets_rigid) continue;
    const bool by_stepper = experiment.contact == ContactKind::kByStepper;
    const std::string setting = by_stepper ? fmt::format("stepper {}", name_of(experiment.stepper))
                                           : fmt::format("contact {}", name_of(experiment.contact));
    const std::string& name = model.materials[static_cast<std::size_t>(moving.material)].name;
    const double stiffness = usable_stiffness(model, moving.material);
    const std::string value = stiffness > 0 ? fmt::format("{:g}", stiffness) : std::string("NUMBER");
    throw SettingError(
        by_stepper ? "stepper" : "contact",
        fmt::format("{} needs contacts that give way, and material '{}' has no stiffness", setting, name),
        fmt::format("write {}, or give the material a stiffness: materials: {{{}: {{..., stiffness: {}}}}}{}",
                    by_stepper ? "stepper: euler" : "contact: rigid", name, value,
                    stiffness > 0 ? ", with which bodies sink by 1 % of their size" : ""));
  }
}

void refuse_direct_solver(const ModelData& model) {
  std::string other = "a contact";
  if (model.contact_shapes.empty()) {
    const auto limited = [](const MotorData& motor) { return std::isfinite(motor.max_force) || motor.servo; };
    const auto motor = std::find_if(model.motors.begin(), model.motors.end(), limited);
    other =
        !model.limits.empty() && model.limits[0].joint >= 0
            ? fmt::format("a limit of joint '{}'", model.joints[static_cast<std::size_t>(model.limits[0].joint)].name)
        : motor != model.motors.end() ? fmt::format("motor '{}', which may give way", motor->name)
        : !model.joint_frictions.empty() && model.joint_frictions[0].joint >= 0
            ? fmt::format("friction of joint '{}'",
                          model.joints[static_cast<std::size_t>(model.joint_frictions[0].joint)].name)
            : std::string("a rope, a tendon or a limit");
  }
  throw SettingError("solver", fmt::format("solver direct is for joints, loops and gears alone, and here is {}", other),
                     "write solver: hybrid");
}

}  // namespace lipkin
