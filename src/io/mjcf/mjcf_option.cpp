#include "io/mjcf/mjcf_option.hpp"

#include <fmt/format.h>

#include <cmath>

namespace lipkin {
namespace {

constexpr double kUsualStep = 0.002;  // MuJoCo's [s]

void read_step(const ElementReader& option, Experiment& experiment) {
  const std::vector<double> step = option.numbers("timestep", {1, 1});
  if (step.empty()) return;
  if (!(step[0] > 0)) option.error_at("timestep", fmt::format("timestep is {}: expected a positive number", step[0]));
  experiment.dt = step[0];
}

// A medium and a wind push bodies in MuJoCo; here nothing does.
void note_fluid(const ElementReader& option) {
  for (const char* attribute : {"density", "viscosity", "wind"}) {
    const std::vector<double> values = option.numbers(attribute, {1, 3});
    bool is_zero = true;
    for (const double x : values) is_zero = is_zero && x == 0;
    const bool has_medium = attribute != std::string_view("wind");  // a wind alone moves nothing in MuJoCo either
    if (!is_zero && has_medium) option.note_loss(attribute, Treatment::kIgnored, "bodies move in empty space");
    if (!is_zero && !has_medium) option.note(attribute, Treatment::kIgnored, "bodies move in empty space");
  }
}

void note_solver(const ElementReader& option) {
  for (const char* attribute : {"integrator", "cone", "jacobian", "solver", "iterations", "tolerance", "impratio",
                                "noslip_iterations", "noslip_tolerance", "ls_iterations", "ls_tolerance",
                                "ccd_iterations", "ccd_tolerance", "mpr_iterations", "mpr_tolerance"})
    option.note(attribute, Treatment::kIgnored, "of MuJoCo's solver; choose ours with --stepper and --solver");
  for (const char* attribute : {"o_margin", "o_solref", "o_solimp", "o_friction"})
    option.note(attribute, Treatment::kIgnored, "constraints are rigid here");
}

}  // namespace

void MjcfOption::read(const ElementReader& root, MjcfModel& model, ModelImport& import) {
  import.experiment.dt = kUsualStep;
  for (const ElementReader& option : root.children("option")) {
    read_step(option, import.experiment);
    model.gravity = option.vector("gravity", model.gravity);
    model.magnetic = option.vector("magnetic", model.magnetic);
    note_fluid(option);
    if (!option.text("actuatorgroupdisable", "").empty())
      option.note_loss("actuatorgroupdisable", Treatment::kIgnored, "every actuator is on");
    note_solver(option);
    for (const ElementReader& flag : option.children("flag")) read_flags(flag, model);
  }
  for (const ElementReader& size : root.children("size")) {
    size.note(Treatment::kIgnored, "memory is taken as it is needed");
    if (size.has("memory"))
      size.log().diagnostics.warning(size.where("memory"),
                                     "size: 'memory' is ignored: memory is taken as it is needed");
  }
}

void MjcfOption::read_flags(const ElementReader& flag, MjcfModel& model) {
  const auto is_on = [&](const char* attribute, bool otherwise) {
    const std::optional<std::string> written = flag.text(attribute);
    if (!written) return otherwise;
    if (*written != "enable" && *written != "disable")
      flag.error_at(attribute,
                    fmt::format("flag {} is '{}': expected enable or disable", attribute, shortened(*written)));
    return *written == "enable";
  };
  if (!is_on("gravity", true)) model.gravity.setZero();
  const bool constraints = is_on("constraint", true), passive = is_on("passive", true);
  has_contacts = is_on("contact", has_contacts) && constraints;
  has_limits = is_on("limit", has_limits) && constraints;
  has_equalities = is_on("equality", has_equalities) && constraints;
  has_friction = is_on("frictionloss", has_friction) && constraints;
  has_springs = is_on("spring", has_springs) && passive;
  has_dampers = is_on("damper", has_dampers) && passive;
  has_actuators = is_on("actuation", has_actuators);
  filters_parents = is_on("filterparent", filters_parents);
  if (!filters_parents)
    flag.note_loss("filterparent", Treatment::kApproximated, "the two bodies of one joint never touch");
  if (!is_on("clampctrl", true)) flag.note_loss("clampctrl", Treatment::kIgnored, "controls keep to their ranges");
}

}  // namespace lipkin
