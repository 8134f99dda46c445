#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "io/experiment_reader.hpp"
#include "io/import/model_import.hpp"
#include "io/scene_assembler.hpp"
#include "io/scene_search.hpp"
#include "lipkin/scene.hpp"
#include "model/model_suspicions.hpp"

namespace lipkin {
namespace {

// A file given by path is named as the user did; one of Lipkin's own by its file name.
std::string shown_name(const std::string& name_or_path, const std::filesystem::path& found) {
  return found == std::filesystem::path(name_or_path) ? name_or_path : found.string();
}

std::string text_of(const SceneFile& file, const std::string& key, const std::string& otherwise) {
  const Node* value = file.root.is_mapping() ? file.root.find(key) : nullptr;
  return value && value->is_scalar() ? value->text : otherwise;
}

bool is_usable(const SceneFile& file, const std::string& key) {
  const Node* value = file.root.find(key);
  return value && file.is_sound(*value);
}

void warn_of_unused(const SceneInstance& instance, DiagnosticList& diagnostics) {
  for (const auto& [name, parameter] : instance.parameters)
    if (!parameter.used) diagnostics.warning(parameter.where, fmt::format("the parameter '{}' is never used", name));
}

std::vector<std::string> paths_set_in(const Experiment& experiment) {
  std::vector<std::string> paths;
  for (const Command& command : experiment.commands)
    if (const auto* set = std::get_if<CommandSet>(&command.action))
      paths.push_back(set->path);
    else
      paths.push_back("body." + std::get<CommandPush>(command.action).body);
  return paths;
}

class SceneLoader {
 public:
  Scene load(const std::filesystem::path& path, const std::string& shown_name, const Overrides& overrides) {
    const SceneFile& file = files_.open_top(path, shown_name, overrides);
    try {
      read(file);
    } catch (const ReadingStopped&) {
      throw InputError(diagnostics_.errors());
    }
    if (assembler_.is_complete()) check_parts();
    if (diagnostics_.error_count() > 0) throw InputError(diagnostics_.errors());
    Model model = builder_.build();
    diagnostics_.add(suspicions(model.data(), experiment_.duration, paths_set_in(experiment_), assembler_.written()));
    return {text_of(file, "name", path.stem().string()),
            text_of(file, "description", ""),
            std::move(model),
            std::move(experiment_),
            diagnostics_.warnings(),
            std::move(values_.notes())};
  }

 private:
  void read(const SceneFile& file) {
    builder_.set_name(text_of(file, "name", file.path.stem().string()));
    SceneInstance instance;
    assembler_.set_in_included(file.set_in_included);
    if (!assembler_.add(file, instance)) return;
    if (assembler_.is_complete()) assembler_.report_unknown_parameters();
    const Scope scope{&instance};
    const MappingReader scene(file.root, scene_format().root(), scope, values_);
    if (is_usable(file, "gravity") || !scene.has("gravity"))
      builder_.set_gravity(scene.vector("gravity"), scene.where("gravity"));
    if (is_usable(file, "experiment")) experiment_ = read_experiment(scene.below("experiment"), assembler_.names());
    if (diagnostics_.error_count() == 0) warn_of_unused(instance, diagnostics_);
  }

  // The model's mistakes, without those that the scene knows a better place for.
  void check_parts() {
    assembler_.report_unknown_parents();
    const std::vector<Diagnostic> told = diagnostics_.errors();
    for (const Diagnostic& mistake : builder_.check()) {
      const bool is_known = std::any_of(told.begin(), told.end(), [&](const Diagnostic& other) {
        return other.severity == mistake.severity && other.message == mistake.message;
      });
      if (is_known) continue;
      const std::string of_prefix = assembler_.hint_for_prefix(mistake.message);
      if (of_prefix.empty()) {
        diagnostics_.add({mistake});
      } else {  // the nearest name, which expressions have in their message, would lead elsewhere
        const std::string what = mistake.message.substr(0, mistake.message.find(" (did you mean"));
        diagnostics_.add({{mistake.where, what, of_prefix, mistake.severity}});
      }
    }
  }

  DiagnosticList diagnostics_;
  SceneFiles files_{diagnostics_};
  ValueReader values_{diagnostics_};
  ModelBuilder builder_;
  SceneAssembler assembler_{files_, values_, builder_};
  Experiment experiment_;
};

}  // namespace

std::string_view name_of(StepperKind kind) {
  switch (kind) {
    case StepperKind::kEuler:
      return "euler";
    case StepperKind::kMoreau:
      return "moreau";
    case StepperKind::kRk4:
      return "rk4";
    case StepperKind::kDopri5:
      return "dopri5";
    case StepperKind::kAdams:
      return "adams";
    case StepperKind::kBdf:
      return "bdf";
  }
  throw InvalidArgument("no stepper has the number " + std::to_string(static_cast<int>(kind)));
}

bool is_adaptive(StepperKind kind) {
  return kind == StepperKind::kDopri5 || kind == StepperKind::kAdams || kind == StepperKind::kBdf;
}

bool chooses_steps(const Experiment& experiment) {
  return is_adaptive(experiment.stepper) || experiment.step == StepKind::kVariable;
}

bool is_built(StepperKind kind) {
#ifdef LIPKIN_SUNDIALS
  return kind <= StepperKind::kBdf;
#else
  return kind != StepperKind::kAdams && kind != StepperKind::kBdf;
#endif
}

std::string_view name_of(ContactKind kind) {
  switch (kind) {
    case ContactKind::kByStepper:
      return "by-stepper";
    case ContactKind::kRigid:
      return "rigid";
    case ContactKind::kRegularised:
      return "regularised";
  }
  throw InvalidArgument("no kind of contact has the number " + std::to_string(static_cast<int>(kind)));
}

std::string_view name_of(StepKind kind) { return kind == StepKind::kFixed ? "fixed" : "variable"; }

std::string_view name_of(CoordinateKind kind) {
  return kind == CoordinateKind::kGeneralized ? "generalized" : "maximal";
}

std::string_view name_of(StabilizationKind kind) {
  switch (kind) {
    case StabilizationKind::kNone:
      return "none";
    case StabilizationKind::kBaumgarte:
      return "baumgarte";
    case StabilizationKind::kProjection:
      return "projection";
    case StabilizationKind::kSplit:
      return "split";
  }
  throw InvalidArgument("no stabilization has the number " + std::to_string(static_cast<int>(kind)));
}

Scene load_scene(const std::string& name_or_path, const std::vector<std::pair<std::string, std::string>>& overrides,
                 const ImportOptions& import_options) {
  const std::filesystem::path path = find_scene(name_or_path);
  const std::string shown = shown_name(name_or_path, path);
  if (!is_model_file(path)) return SceneLoader().load(path, shown, overrides);
  if (!overrides.empty())
    throw InputError({shown}, fmt::format("--set {} is for scenes; this is a model file", overrides[0].first),
                     "`lipkin convert` makes a scene of it");
  return load_model(path, shown, import_options);
}

}  // namespace lipkin
