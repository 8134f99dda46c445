#include "io/scene_assembler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/expression.hpp"
#include "base/nearest_name.hpp"
#include "io/overrides.hpp"
#include "io/repetition.hpp"

namespace lipkin {
namespace {

// Sections whose items others refer to by name: other parts, outputs, commands.
constexpr std::array<std::string_view, 16> kNamingSections = {
    "bodies", "loops",       "points",  "springs", "bushings", "actuators", "motors",    "controls",
    "tyres",  "controllers", "tendons", "gears",   "inputs",   "distances", "materials", "include"};

bool is_naming(std::string_view section) {
  return std::find(kNamingSections.begin(), kNamingSections.end(), section) != kNamingSections.end();
}

std::vector<std::string> without(std::vector<std::string> names, const std::string& name) {
  std::erase(names, name);
  return names;
}

// "link{i-1}" of "link{i}"; empty where there is no index.
std::string one_before(std::string name) {
  const std::size_t close = name.find('}');
  return close == std::string::npos ? std::string() : name.insert(close, "-1");
}

// Sections whose parts have names, or none that another could have as well.
bool has_names(const Node& root) {
  constexpr std::array<std::string_view, 9> kNameless = {"lipkin",  "name",  "description",     "units",     "gravity",
                                                         "include", "world", "contact_filters", "experiment"};
  return std::any_of(root.keys.begin(), root.keys.end(), [&](const Node& key) {
    return std::find(kNameless.begin(), kNameless.end(), key.text) == kNameless.end();
  });
}

std::string text_below(const Node& mapping, std::string_view key) {
  const Node* value = mapping.is_mapping() ? mapping.find(key) : nullptr;
  return value ? value->text : std::string();
}

}  // namespace

bool SceneAssembler::add(const SceneFile& file, SceneInstance& instance, const GivenParameters& parameter_values) {
  if (!file.root.is_mapping()) return is_complete_ = false;
  if (!file.is_whole) is_complete_ = false;
  check_top_keys(file);
  if (!add_parameters(file, instance, parameter_values)) return is_complete_ = false;
  open_files_.push_back(&file);
  const Scope scope{&instance};
  add_section(file, "bodies", "body", scope, read_body);
  add_section(file, "loops", "loop", scope, read_loop);
  add_section(file, "points", "point", scope, read_point);
  add_section(file, "springs", "spring", scope, read_spring);
  add_section(file, "bushings", "bushing", scope, read_bushing);
  add_section(file, "forces", "force", scope, read_force);
  add_section(file, "actuators", "actuator", scope, read_actuator);
  add_section(file, "motors", "motor", scope, read_motor);
  add_section(file, "controls", "control", scope, read_control);
  add_section(file, "tyres", "tyre", scope, read_tyre);
  add_section(file, "inputs", "input", scope, read_input);
  add_section(file, "controllers", "controller", scope, read_controller);
  add_section(file, "tendons", "tendon", scope, read_tendon);
  add_section(file, "gears", "gear", scope, read_gear);
  add_section(file, "distances", "distance", scope, read_distance);
  add_section(file, "material_pairs", "material_pair", scope, read_material_pair);
  add_section(file, "contact_filters", "contact_filter", scope, read_contact_filter);
  add_materials(file, scope);
  add_world(file, scope);
  add_outputs(file, scope);
  if (instance.has_world_point) add_world_point(file, instance);
  add_includes(file, scope);
  open_files_.pop_back();
  return true;
}

void SceneAssembler::check_top_keys(const SceneFile& file) {
  const Schema& format = scene_format().root();
  for (std::size_t i = 0; i < file.root.keys.size(); ++i) {
    const bool known = format.property(file.root.keys[i].text) != nullptr;
    if (!known || (is_naming(file.root.keys[i].text) && !file.is_sound(file.root.items[i]))) is_complete_ = false;
  }
}

// Each parameter may use those above it, so that there is an order and never a circle.
bool SceneAssembler::add_parameters(const SceneFile& file, SceneInstance& instance, const GivenParameters& given) {
  const Node* parameters = file.root.find("parameters");
  if (!parameters) return true;
  if (!parameters->is_mapping()) return false;
  bool all_good = true;
  for (const Node& key : parameters->keys) instance.written_below.insert(key.text);
  for (std::size_t i = 0; i < parameters->keys.size(); ++i) {
    instance.written_below.erase(parameters->keys[i].text);
    all_good &= add_parameter(parameters->keys[i], parameters->items[i], file, instance, given);
  }
  return all_good;
}

bool SceneAssembler::add_parameter(const Node& key, const Node& written, const SceneFile& file, SceneInstance& instance,
                                   const GivenParameters& given) {
  const std::string& name = key.text;
  parameter_names_.push_back(instance.prefix + name);
  if (!file.is_sound(key) || !file.is_sound(written)) {
    instance.parameters.emplace(name, ScopeParameter{1, key.where(), true});
    return false;
  }
  const int errors_before = values_.diagnostics().error_count();
  if (is_reserved_in_expressions(name) || name == "t")
    values_.diagnostics().error(key.where(),
                                fmt::format("'{}' cannot name a parameter: it has a meaning in expressions", name));
  const Node* value = written.is_mapping() ? written.find("value") : &written;
  const auto replaced = given.find(name);
  const bool is_chosen = chosen_ && chosen_->contains(instance.prefix + name);
  if (is_chosen) value = &chosen_->at(instance.prefix + name);
  const GivenParameter number =
      replaced != given.end() && !is_chosen ? replaced->second : evaluate(*value, Scope{&instance}, name);
  const bool good = values_.diagnostics().error_count() == errors_before;
  instance.parameters.emplace(
      name, ScopeParameter{number.value, key.where(), false});  // a wrong one too: those below may use it
  builder_.add(ParameterSpec{instance.prefix + name, number.value, text_below(written, "unit"),
                             text_below(written, "description"), key.where(), number.derived_from});
  return good;
}

GivenParameter SceneAssembler::evaluate(const Node& value, const Scope& scope, const std::string& name) {
  if (value.is_sequence() || (value.is_mapping() && chosen_ && chosen_->contains(scope.global_name(name)))) {
    values_.diagnostics().error(value.where(), fmt::format("'{}' must be a number", name));
    return {};
  }
  GivenParameter given{values_.number(value, scene_format().definition("number"), scope, "'" + name + "'"), {}};
  bool depends = false;
  try {
    const std::string text = replace_variables(value.text, [&](std::string_view variable) {
      depends = depends || scope.value_of(variable).has_value();
      return scope.global_variable(variable);
    });
    if (depends) given.derived_from = text;
  } catch (const ExpressionError&) {
    // a mistake, which is among the diagnostics already
  }
  return given;
}

void SceneAssembler::report_unknown_parameters() {
  if (!chosen_) return;
  for (const auto& [name, value] : *chosen_)
    if (std::find(parameter_names_.begin(), parameter_names_.end(), name) == parameter_names_.end())
      report_unknown_parameter(name, value.where(), parameter_names_, values_.diagnostics());
}

// The first copy of a chain hangs on nothing that the same rule names.
void SceneAssembler::report_unknown_parents() {
  std::vector<std::string> known(names_.bodies.begin(), names_.bodies.end());
  std::sort(known.begin(), known.end());
  for (const ParentRef& ref : parents_) {
    if (ref.parent == kWorldName || (names_.bodies.contains(ref.parent) && ref.parent != ref.body)) continue;
    std::string hint = ref.parent == ref.body ? "write parent: world, or the body that carries it"
                                              : did_you_mean(ref.parent, without(known, ref.body));
    if (hint.empty()) hint = "write parent: world, or the name of a body of the scene";
    const bool is_rule = ref.written.find('{') != std::string::npos;
    const std::string rule = is_rule ? ref.written : ref.parent == ref.body ? one_before(ref.name_written) : "";
    if (!rule.empty()) hint = fmt::format("write parent: {{first: world, next: \"{}\"}}", rule);
    values_.diagnostics().error(
        ref.where,
        ref.parent == ref.body
            ? fmt::format("the bodies form a loop of parents: {} -> {}", ref.body, ref.body)
            : fmt::format("joint '{}': there is no body '{}' to be its parent", ref.joint, ref.parent),
        hint);
  }
}

template <typename Read>
void SceneAssembler::add_section(const SceneFile& file, const std::string& key, const std::string& definition,
                                 const Scope& scope, Read read) {
  const Node* section = file.root.find(key);
  if (!section || !section->is_sequence()) return;
  for (const Node& item : section->items) {
    if (!file.is_sound(item)) {
      note_written_name(key, item, scope);
      continue;
    }
    for_each_copy(item, scope, values_, [&](const Scope& copy_scope) {
      const int errors_before = values_.diagnostics().error_count();
      auto part = read(MappingReader(item, definition, copy_scope, values_));
      if (values_.diagnostics().error_count() == errors_before) return add_part(std::move(part));
      note_written_name(key, item, copy_scope);
      if (is_naming(key)) is_complete_ = false;
    });
  }
}

// What has a mistake is there all the same, for whatever refers to it.
void SceneAssembler::note_written_name(const std::string& section, const Node& item, const Scope& scope) {
  const std::string name = scope.global_name(text_below(item, "name"));
  const Node* joint = item.is_mapping() ? item.find("joint") : nullptr;
  const std::string joint_name = joint ? text_below(*joint, "name") : std::string();
  if (section == "bodies") names_.bodies.insert(name);
  if (section == "bodies") names_.joints.insert(joint_name.empty() ? name : scope.global_name(joint_name));
  if (section == "loops") names_.joints.insert(name);
  if (section == "springs") names_.springs.insert(name);
  if (section == "bushings") names_.bushings.insert(name);
  if (section == "actuators") names_.actuators.insert(name);
  if (section == "actuators" || section == "controls") names_.controls.insert(name);
  if (section == "motors") names_.motors.insert(name);
  if (section == "tyres") names_.tyres.insert(name);
  if (section == "inputs") names_.inputs.insert(name);
  if (section == "controllers") names_.controllers.insert(name);
  if (section == "tendons") names_.tendons.insert(name);
  if (section == "gears") names_.gears.insert(name);
  if (section == "distances") names_.distances.insert(name);
}

void SceneAssembler::add_part(BodyAndJoint part) {
  if (++body_count_ > kMaxBodies) {
    values_.diagnostics().error(part.body.where, fmt::format("the scene has more than {} bodies", kMaxBodies));
    throw ReadingStopped();
  }
  names_.bodies.insert(part.body.name);
  names_.joints.insert(part.joint.name);
  parents_.push_back(
      {part.body.name, part.joint.name, part.joint.parent, part.name_written, part.parent_written, part.parent_where});
  written_.inertias[part.body.name] = part.inertia_where;
  if (part.has_axis) written_.joints_with_axis.insert(part.joint.name);
  if (part.has_at) written_.places[part.joint.name] = part.at_where;
  builder_.add(std::move(part.body));
  builder_.add(std::move(part.joint));
}

void SceneAssembler::add_part(JointSpec part) {
  names_.joints.insert(part.name);
  builder_.add(std::move(part));
}

void SceneAssembler::add_part(ActuatorSpec part) {
  names_.actuators.insert(part.name);
  names_.controls.insert(part.name);
  builder_.add(std::move(part));
}

void SceneAssembler::add_part(ControlSpec part) {
  names_.controls.insert(part.name);
  builder_.add(std::move(part));
}

void SceneAssembler::add_part(MotorSpec part) {
  names_.motors.insert(part.name);
  builder_.add(std::move(part));
}

void SceneAssembler::add_part(TyreSpec part) {
  names_.tyres.insert(part.name);
  builder_.add(std::move(part));
}

void SceneAssembler::add_part(InputSpec part) {
  names_.inputs.insert(part.name);
  builder_.add(std::move(part));
}

void SceneAssembler::add_part(ControllerSpec part) {
  names_.controllers.insert(part.name);
  builder_.add(std::move(part));
}

void SceneAssembler::add_part(TendonSpec part) {
  names_.tendons.insert(part.name);
  builder_.add(std::move(part));
}

void SceneAssembler::add_part(GearSpec part) {
  names_.gears.insert(part.name);
  builder_.add(std::move(part));
}

void SceneAssembler::add_part(SpringDamperSpec part) {
  names_.springs.insert(part.name);
  builder_.add(std::move(part));
}

void SceneAssembler::add_part(BushingSpec part) {
  names_.bushings.insert(part.name);
  builder_.add(std::move(part));
}

void SceneAssembler::add_part(DistanceSpec part) {
  names_.distances.insert(part.name);
  builder_.add(std::move(part));
}

// The world of an included scene is a frame of the body it is mounted on; only where that is the world can it have
// shapes of its own.
void SceneAssembler::add_world(const SceneFile& file, const Scope& scope) {
  const Node* world = file.root.find("world");
  if (!world || !world->is_mapping() || !file.is_sound(*world)) return;
  const SceneInstance& instance = *scope.instance;
  if (instance.mount_body != kWorldName)
    return values_.diagnostics().error(
        world->where(),
        fmt::format("the shapes of this scene's world cannot be part of the body '{}'", instance.mount_body),
        "include the scene in the world, or give the shapes to a body of their own");
  const int errors_before = values_.diagnostics().error_count();
  const Schema& format = *scene_format().root().property("world");
  std::vector<ShapeSpec> shapes = read_shapes(MappingReader(*world, format, scope, values_));
  if (values_.diagnostics().error_count() != errors_before) return;
  for (ShapeSpec& shape : shapes) {
    shape.pose = compose(instance.mount, shape.pose);
    builder_.add_world_shape(std::move(shape));
  }
}

void SceneAssembler::add_world_point(const SceneFile& file, const SceneInstance& instance) {
  PointSpec point;
  point.name = instance.world_point();
  point.body = instance.mount_body;
  point.position = instance.mount.position;
  point.orientation = instance.mount.orientation;
  point.where = file.root.where();
  add_part(std::move(point));
}

void SceneAssembler::add_materials(const SceneFile& file, const Scope& scope) {
  const Node* materials = file.root.find("materials");
  if (!materials || !materials->is_mapping()) return;
  for (std::size_t i = 0; i < materials->keys.size(); ++i) {
    const Node& key = materials->keys[i];
    const Node& written = materials->items[i];
    if (!file.is_sound(key) || !file.is_sound(written)) continue;
    values_.count_items(1, key.where());
    const int errors_before = values_.diagnostics().error_count();
    MaterialSpec material =
        read_material(scope.global_name(key.text), MappingReader(written, "material", scope, values_));
    material.where = key.where();
    names_.materials.insert(material.name);
    if (written.find("friction")) written_.materials_with_friction.insert(material.name);
    if (values_.diagnostics().error_count() == errors_before) {
      builder_.add(std::move(material));
    } else {
      is_complete_ = false;
    }
  }
}

void SceneAssembler::add_outputs(const SceneFile& file, const Scope& scope) {
  const Node* outputs = file.root.find("outputs");
  if (!outputs || !outputs->is_mapping()) return;
  for (std::size_t i = 0; i < outputs->keys.size(); ++i) {
    const Node& key = outputs->keys[i];
    const Node& written = outputs->items[i];
    if (!file.is_sound(key) || !file.is_sound(written)) continue;
    for_each_copy(written, scope, values_, [&](const Scope& copy_scope) { add_output(key, written, copy_scope); });
  }
}

void SceneAssembler::add_output(const Node& key, const Node& written, const Scope& scope) {
  const int errors_before = values_.diagnostics().error_count();
  const Node& expression = written.is_mapping() ? *written.find("expr") : written;
  OutputSpec output;
  output.name = scope.global_name(values_.name(key, scope, "an output's name"));
  output.expression = values_.expression(expression, scope, "'" + output.name + "'");
  output.unit = text_below(written, "unit");
  output.on_request = text_below(written, "evaluate") == "on_request";
  output.where = expression.where();
  if (values_.diagnostics().error_count() == errors_before) builder_.add(std::move(output));
}

void SceneAssembler::add_includes(const SceneFile& file, const Scope& scope) {
  const Node* includes = file.root.find("include");
  if (!includes || !includes->is_sequence()) return;
  for (const Node& item : includes->items) {
    if (!file.is_sound(item)) continue;
    for_each_copy(item, scope, values_, [&](const Scope& copy_scope) {
      add_include(file, MappingReader(item, "include", copy_scope, values_));
    });
  }
}

void SceneAssembler::add_include(const SceneFile& file, const MappingReader& include_item) {
  const auto refuse = [&](const std::string& reason) {
    is_complete_ = false;
    values_.diagnostics().error(include_item.where("file"), reason);
  };
  const std::string name = include_item.text("file");
  if (++include_count_ > kMaxIncludes) {
    refuse(fmt::format("cannot include '{}': more than {} files, repetitions included", name, kMaxIncludes));
    throw ReadingStopped();
  }
  const SceneFile* included = files_.open_included(name, file, include_item.where("file"));
  if (!included) {
    is_complete_ = false;
  } else if (std::find(open_files_.begin(), open_files_.end(), included) != open_files_.end()) {
    refuse(fmt::format("cannot include '{}': it includes itself", name));
  } else if (open_files_.size() >= kMaxIncludeDepth) {
    refuse(fmt::format("cannot include '{}': more than {} files within one another", name, kMaxIncludeDepth));
  } else {
    include(*included, include_item);
  }
}

std::string SceneAssembler::hint_for_prefix(const std::string& message) const {
  for (const std::string& prefix : bare_prefixes_)
    if (message.find("'" + prefix + "_") != std::string::npos || message.find("." + prefix + "_") != std::string::npos)
      return fmt::format("names of an included part are its prefix and the name: write prefix: {}_", prefix);
  return {};
}

bool SceneAssembler::is_second_without_prefix(const SceneFile& included, const std::string& prefix) {
  return included.root.is_mapping() && has_names(included.root) && !included_.emplace(&included, prefix).second;
}

void SceneAssembler::include(const SceneFile& included, const MappingReader& include_item) {
  const int errors_before = values_.diagnostics().error_count();
  const Scope& scope = include_item.scope();
  if (is_second_without_prefix(included, scope.global_name(include_item.text("prefix")))) {
    is_complete_ = false;
    const bool repeats = !scope.indices.empty();
    const std::string prefix = repeats ? fmt::format("\"p{{{}}}_\"", scope.indices.back().name) : "second_";
    return values_.diagnostics().error(
        include_item.where("file"),
        fmt::format("'{}' is included twice with the same prefix: its names would be there twice", included.shown_name),
        fmt::format("write prefix: {} beside 'file'; what it calls NAME is then {}NAME", prefix,
                    repeats ? "p1_" : prefix));
  }
  const BodyFrame mount = frame_on(include_item, "parent", include_item.pose("at", "orientation"));
  SceneInstance instance{scope.global_name(include_item.text("prefix")), mount.body, mount.pose};
  if (!instance.prefix.empty() && instance.prefix.back() != '_') bare_prefixes_.push_back(instance.prefix);
  GivenParameters given;
  if (include_item.has("parameters")) {
    const Node& parameters = include_item.at("parameters");
    const Node* known = included.root.find("parameters");
    for (const Node& key : parameters.keys) {
      const Node& value = parameters.items[static_cast<std::size_t>(&key - parameters.keys.data())];
      given[key.text] = evaluate(value, scope, key.text);
      if (known && known->find(key.text)) continue;
      std::vector<std::string> names;
      if (known)
        for (const Node& name : known->keys) names.push_back(name.text);
      values_.diagnostics().error(key.where(), fmt::format("'{}' has no parameter '{}'", included.shown_name, key.text),
                                  did_you_mean(key.text, names));
    }
  }
  if (values_.diagnostics().error_count() != errors_before) {
    is_complete_ = false;
  } else {
    add(included, instance, given);
  }
}

}  // namespace lipkin
