// MJCF, the models of MuJoCo (mujoco.readthedocs.io/en/stable/XMLreference.html).
#include <fmt/format.h>

#include "io/import/model_import.hpp"
#include "io/mjcf/mjcf_actuator.hpp"
#include "io/mjcf/mjcf_angles.hpp"
#include "io/mjcf/mjcf_bodies.hpp"
#include "io/mjcf/mjcf_contact.hpp"
#include "io/mjcf/mjcf_equality.hpp"
#include "io/mjcf/mjcf_expand.hpp"
#include "io/mjcf/mjcf_mesh.hpp"
#include "io/mjcf/mjcf_option.hpp"
#include "io/mjcf/mjcf_reasons.hpp"
#include "io/mjcf/mjcf_schema.hpp"
#include "io/mjcf/mjcf_sensor.hpp"
#include "io/mjcf/mjcf_start.hpp"
#include "io/mjcf/mjcf_tendon.hpp"
#include "io/mjcf/mjcf_tree.hpp"

namespace lipkin {
namespace {

class MjcfReader {
 public:
  explicit MjcfReader(ModelImport& import)
      : import_(import),
        log_(import.log()),
        folders_(import.path, import.options.package_folders),
        assets_(folders_, model_) {}

  void read() {
    expand_includes(import_, folders_, {*import_.root, import_.path, {}});
    const ElementReader root(*import_.root, log_);
    for (const ElementReader& compiler : root.children("compiler")) model_.compiler.read(compiler);
    expand_attachments(import_, folders_, model_);
    check_mjcf_words(*import_.root, import_.diagnostics);
    expand_flexcomps(import_, model_.compiler);
    expand_composites(import_);
    expand_replicates(import_, model_.compiler);
    if (has_mistakes()) return;
    if (const std::optional<std::string> name = root.text("model"); name && !name->empty()) import_.name = *name;
    refuse_plugins(root);
    for (const ElementReader& each : root.children("default"))
      model_.is_attached(each) ? model_.defaults.read_apart(each) : model_.defaults.read(each);
    option_.read(root, model_, import_);
    for (const ElementReader& asset : root.children("asset")) assets_.read(asset);
    if (has_mistakes()) return;
    read_mjcf_tree(root, model_, assets_);
    if (has_mistakes()) return;
    warn_of_radians(model_, import_.diagnostics);
    switch_off();
    contacts_.read(root, model_);
    read_mjcf_tendons(root, option_, model_, import_);
    const MjcfStart start = read_mjcf_start(root, model_);
    if (has_mistakes()) return;
    add_everything(root, start);
    note_unused_sections(root);
    note_reasons(*import_.root, import_.report);
  }

 private:
  bool has_mistakes() const { return import_.diagnostics.error_count() > 0; }

  // A model that needs code which is not there cannot be what its author means.
  static void refuse_plugins(const ElementReader& root) {
    for (const ElementReader& extension : root.children("extension"))
      for (const ElementReader& plugin : extension.children("plugin")) {
        const std::string name = plugin.text("plugin", "");
        if (name.starts_with("mujoco."))
          plugin.note(Treatment::kIgnored, "plugins are not supported");
        else
          plugin.error(fmt::format("the plugin '{}' is unknown: nothing is loaded that a model names (line {})",
                                   shortened(name), plugin.element().line));
      }
  }

  // What <flag> switches off.
  void switch_off() {
    for (MjcfJoint& joint : model_.joints) {
      if (!option_.has_limits) {
        joint.lower = -kMjcfUnlimited;
        joint.upper = kMjcfUnlimited;
        joint.max_angle = kMjcfUnlimited;
      }
      if (!option_.has_friction) joint.friction = 0;
      if (!option_.has_springs) joint.stiffness = 0;
      if (!option_.has_dampers) joint.damping = 0;
    }
  }

  // Actuators before bodies: they may add to the damping of joints.
  void add_everything(const ElementReader& root, const MjcfStart& start) {
    import_.builder.set_gravity(model_.gravity, import_.root->where());
    add_mjcf_actuators(root, start, option_.has_actuators, model_, import_);
    add_mjcf_tendons(model_, import_);
    contacts_.add(model_, option_.has_contacts, option_.filters_parents, import_);
    contacts_.add_group_filters(add_mjcf_bodies(model_, assets_, contacts_, import_), import_);
    add_mjcf_equalities(root, model_, option_.has_equalities, import_);
    add_mjcf_sensors(root, model_, import_);
  }

  static void note_unused_sections(const ElementReader& root) {
    const auto ignore = [&](const char* tag, const char* reason) {
      for (const ElementReader& element : root.children(tag)) element.note(Treatment::kIgnored, reason);
    };
    ignore("visual", "for drawing only");
    ignore("statistic", "for drawing only");
    ignore("custom", "data for other programs");
    for (const ElementReader& section : root.children("deformable")) {
      const char* reason = "flexes and skins are not supported";
      section.children("flex").empty() ? section.note(Treatment::kIgnored, reason)
                                       : section.note_loss(Treatment::kIgnored, reason);
    }
  }

  ModelImport& import_;
  ImportLog log_;
  AssetFolders folders_;
  MjcfModel model_;
  MjcfAssets assets_;
  MjcfOption option_;
  MjcfContacts contacts_;
};

}  // namespace

void read_mjcf(ModelImport& import) {
  import.report = ImportReport("MJCF");
  MjcfReader(import).read();
}

}  // namespace lipkin
