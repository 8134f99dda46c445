// <attach> (MuJoCo 3.2 and later; mujoco.readthedocs.io/en/stable/XMLreference.html#body-attach).
#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_name.hpp"
#include "io/mjcf/mjcf_expand.hpp"
#include "io/mjcf/mjcf_names.hpp"
#include "io/xml/xml_text.hpp"

namespace lipkin {
namespace {

constexpr const char* kSections[] = {"contact", "equality", "tendon", "actuator", "sensor"};  // as they refer back

void put(XmlElement& element, const std::string& name, const std::string& value) {
  for (XmlAttribute& attribute : element.attributes)
    if (attribute.name == name) {
      attribute.value = value;
      return;
    }
  element.attributes.push_back({name, value, element.line});
}

std::unique_ptr<XmlElement> empty_like(const XmlElement& element, const std::string& tag) {
  auto result = std::make_unique<XmlElement>();
  result->tag = tag;
  result->line = element.line;
  result->file = element.file;
  return result;
}

bool is_name(const std::string& attribute, const XmlElement& element) {
  static const std::set<std::string> names = {"name", "class", "childclass", "mesh", "material", "texture", "hfield"};
  return names.count(attribute) != 0 || !kind_named_by(attribute, element).empty();
}

// Every name that is given or referred to begins with the prefix. Meshes are named by their files where they have no
// name.
void add_prefix(XmlElement& element, const std::string& prefix) {
  if ((element.tag == "mesh" || element.tag == "hfield") && !element.attribute("name"))
    if (const XmlAttribute* file = element.attribute("file"))
      put(element, "name", std::filesystem::path(file->value).stem().string());
  for (XmlAttribute& attribute : element.attributes)
    if (is_name(attribute.name, element) && !attribute.value.empty() && attribute.value != kWorldName)
      attribute.value = prefix + attribute.value;
  for (const auto& child : element.children) add_prefix(*child, prefix);
}

bool refers_within(const XmlElement& element, const MjcfNames& names) {
  const auto is_known = [&](const XmlAttribute& attribute) {
    const std::string kind = kind_named_by(attribute.name, element);
    if (kind.empty() || attribute.value == kWorldName) return true;
    const auto known = names.find(kind);
    return known != names.end() && known->second.count(attribute.value) != 0;
  };
  return std::all_of(element.attributes.begin(), element.attributes.end(), is_known) &&
         std::all_of(element.children.begin(), element.children.end(),
                     [&](const auto& child) { return refers_within(*child, names); });
}

const XmlElement* find_in(const XmlElement& element, const std::string& tag, const std::string& name) {
  for (const auto& child : element.children) {
    const XmlAttribute* own = child->attribute("name");
    if (child->tag == tag && own && own->value == name) return child.get();
    if (const XmlElement* found = find_in(*child, tag, name)) return found;
  }
  return nullptr;
}

// The class of what stands in the element without a class of its own.
std::string class_within(const XmlElement* element) {
  for (; element; element = element->parent)
    if (const XmlAttribute* own = element->attribute("childclass")) return own->value;
  return "main";
}

class AttachExpander {
 public:
  AttachExpander(ModelImport& import, const AssetFolders& folders, MjcfModel& model)
      : import_(import), folders_(folders), model_(model), log_(import.log()), count_(element_count(*import.root)) {}

  void expand(const MjcfDocument& document) {
    if (!has_attachments(document.root)) return;
    std::error_code ignored;
    open_.push_back(std::filesystem::weakly_canonical(std::filesystem::absolute(document.path), ignored));
    Models models;
    for (const auto& section : document.root.children)
      if (section->tag == "asset") take_models(*section, document, models);
    std::vector<std::unique_ptr<XmlElement>> added;
    const std::unique_ptr<XmlElement> original = copy_of(document.root);
    for (const auto& section : document.root.children)
      if (section->tag == "worldbody") expand_in(*section, *original, models, added);
    for (std::unique_ptr<XmlElement>& each : added) document.root.adopt(std::move(each));
    open_.pop_back();
  }

 private:
  using Models = std::map<std::string, std::unique_ptr<XmlElement>>;  // by the name of the asset
  using Elements = std::vector<std::unique_ptr<XmlElement>>;

  static bool has_attachments(const XmlElement& element) {
    return element.tag == "attach" || std::any_of(element.children.begin(), element.children.end(),
                                                  [](const auto& child) { return has_attachments(*child); });
  }

  // The models among the assets, which become the content of the document.
  void take_models(XmlElement& assets, const MjcfDocument& document, Models& models) {
    Elements old = std::move(assets.children);
    assets.children.clear();
    for (std::unique_ptr<XmlElement>& asset : old) {
      if (asset->tag != "model") {
        assets.adopt(std::move(asset));
        continue;
      }
      std::unique_ptr<XmlElement> root = load(*asset, document);
      if (!root) continue;
      const XmlAttribute* own = root->attribute("model");
      const std::string name = ElementReader(*asset, log_).text("name", own ? own->value : "");
      models[name] = std::move(root);
    }
  }

  std::unique_ptr<XmlElement> load(const XmlElement& asset, const MjcfDocument& document) {
    const ElementReader reader(asset, log_);
    const std::string file = reader.required_text("file");
    reader.text("content_type");
    if (file.empty()) return nullptr;
    const std::filesystem::path name = document.folder / file;
    const AssetFolders::Found found = folders_.find(name.string());
    std::string problem = found.problem;
    if (std::find(open_.begin(), open_.end(), found.path) != open_.end()) problem = "it attaches itself";
    if (found.path.empty() || problem != found.problem) {
      reader.error(fmt::format("the model '{}' in line {} cannot be used: {}", shortened(file), asset.line, problem));
      return nullptr;
    }
    std::unique_ptr<XmlElement> root = read_xml_file(found.path, shortened(name.string()), import_.diagnostics);
    if (root->tag != "mujoco")
      throw InputError(root->where(),
                       fmt::format("the root of an attached model is <{}>: expected <mujoco>", shortened(root->tag)));
    const MjcfDocument child{*root, found.path, name.parent_path()};
    expand_includes(import_, folders_, child);
    grow(asset, element_count(*root));
    read_compiler(child);
    expand(child);
    return root;
  }

  // Files of meshes are named from the folder of the attached model.
  void read_compiler(const MjcfDocument& document) {
    MjcfCompiler compiler;
    for (const auto& child : document.root.children)
      if (child->tag == "compiler") compiler.read(ElementReader(*child, log_));
    compiler.mesh_folder = (document.folder / compiler.mesh_folder).string();
    set_compiler(document.root, compiler);
  }

  void set_compiler(const XmlElement& element, const MjcfCompiler& compiler) {
    model_.attached_compilers.emplace(element.file, compiler);
    for (const auto& child : element.children) set_compiler(*child, compiler);
  }

  void grow(const XmlElement& element, std::size_t more) {
    count_ += more;
    if (count_ > kMaxXmlElements)
      throw InputError(element.where(),
                       fmt::format("with what it attaches the model has more than {} elements, which is the limit",
                                   kMaxXmlElements));
  }

  // `original`: the document before anything was attached.
  void expand_in(XmlElement& element, const XmlElement& original, const Models& models, Elements& added) {
    Elements old = std::move(element.children);
    element.children.clear();
    for (std::unique_ptr<XmlElement>& child : old) {
      if (child->tag == "attach") {
        if (child->attribute("model"))
          attach(*child, models, element, added);
        else
          attach_own(*child, original, models, element, added);
      } else {
        expand_in(*child, original, models, added);
        element.adopt(std::move(child));
      }
    }
  }

  void attach(const XmlElement& attach, const Models& models, XmlElement& into, Elements& added) {
    const ElementReader reader(attach, log_);
    const std::string name = reader.required_text("model"), prefix = reader.text("prefix", "");
    const auto model = models.find(name);
    if (model == models.end()) {
      std::vector<std::string> known;
      for (const auto& [each, unused] : models) known.push_back(each);
      return reader.error_at("model",
                             fmt::format("it attaches the model '{}', which is not among the assets (line {})",
                                         shortened(name), attach.line),
                             did_you_mean(name, known));
    }
    const XmlElement& root = *model->second;
    grow(attach, element_count(root));
    std::unique_ptr<XmlElement> part = part_of(reader, root);
    if (!part) return;
    MjcfNames names;
    collect_names(*part, names);
    add_prefix(*part, prefix);
    into.adopt(std::move(part));
    add_sections(root, prefix, names, added);
    note(attach, root);
  }

  // A body or frame of the model itself once more, with its own defaults and what refers to it alone.
  void attach_own(const XmlElement& attach, const XmlElement& original, const Models& models, XmlElement& into,
                  Elements& added) {
    const ElementReader reader(attach, log_);
    const std::string body = reader.text("body", ""), frame = reader.text("frame", "");
    const std::string prefix = reader.text("prefix", ""), &name = body.empty() ? frame : body;
    const char* kind = body.empty() ? "frame" : "body";
    if (name.empty() || prefix.empty())
      return reader.error(
          fmt::format("without a 'model' it attaches a part of this one: expected 'body' or 'frame', "
                      "and a 'prefix' (line {})",
                      attach.line));
    if (std::find(repeated_.begin(), repeated_.end(), kind + name) != repeated_.end())
      return reader.error(fmt::format("the {} '{}' attaches itself (line {})", kind, shortened(name), attach.line));
    const XmlElement* found = nullptr;
    for (const auto& section : original.children)
      if (section->tag == "worldbody" && !found) found = find_in(*section, kind, name);
    if (!found)
      return reader.error(fmt::format("it attaches the {} '{}', which the model does not have (line {})", kind,
                                      shortened(name), attach.line));
    grow(attach, element_count(*found));
    std::unique_ptr<XmlElement> part = copy_of(*found);
    if (const std::string own = class_within(found); own != "main") put(*part, "childclass", own);
    repeated_.push_back(kind + name);
    expand_in(*part, original, models, added);
    repeated_.pop_back();
    MjcfNames names;
    collect_names(*part, names);
    rename(*part, names, prefix, "");
    into.adopt(std::move(part));
    for (const char* tag : kSections)
      for (const auto& section : original.children)
        if (section->tag == tag) added.push_back(repeated(*section, prefix, names));
    import_.report.add("attach", Treatment::kHonoured, "", attach.where());
  }

  static std::unique_ptr<XmlElement> repeated(const XmlElement& section, const std::string& prefix, MjcfNames& names) {
    std::unique_ptr<XmlElement> result = empty_like(section, section.tag);
    for (const auto& child : section.children) {
      if (!refers_within(*child, names) || !names_one_of(*child, names)) continue;
      collect_names(*child, names);
      result->adopt(copy_of(*child));
      rename(*result->children.back(), names, prefix, "");
    }
    return result;
  }

  void note(const XmlElement& attach, const XmlElement& root) {
    const bool loses = std::any_of(root.children.begin(), root.children.end(), [](const auto& section) {
      return section->tag == "option" || section->tag == "keyframe" || section->tag == "deformable" ||
             section->tag == "extension";
    });
    import_.report.add("attach", loses ? Treatment::kApproximated : Treatment::kHonoured,
                       loses ? "without the options, keyframes, flexes and plugins of the attached model" : "",
                       attach.where());
  }

  // A body or frame of the model with all in it; neither named: a frame with what stands in its world.
  static std::unique_ptr<XmlElement> part_of(const ElementReader& reader, const XmlElement& root) {
    const std::string body = reader.text("body", ""), frame = reader.text("frame", "");
    if (body.empty() && frame.empty()) {
      std::unique_ptr<XmlElement> world = empty_like(root, "frame");
      for (const auto& section : root.children)
        if (section->tag == "worldbody")
          for (const auto& child : section->children) world->adopt(copy_of(*child));
      put(*world, "childclass", "main");
      return world;
    }
    const char* kind = body.empty() ? "frame" : "body";
    for (const auto& section : root.children) {
      const XmlElement* found = section->tag == "worldbody" ? find_in(*section, kind, body + frame) : nullptr;
      if (!found) continue;
      std::unique_ptr<XmlElement> part = copy_of(*found);
      put(*part, "childclass", class_within(found));
      return part;
    }
    reader.error(fmt::format("it attaches the {} '{}', which the model does not have (line {})", kind,
                             shortened(body + frame), reader.element().line));
    return nullptr;
  }

  // Defaults, assets, and what refers to names of the attached part only; then to what came along with it.
  void add_sections(const XmlElement& root, const std::string& prefix, MjcfNames& names, Elements& added) {
    added.push_back(empty_like(root, "default"));
    put(*added.back(), "class", prefix + "main");
    for (const auto& section : root.children) {
      if (section->tag != "default" && section->tag != "asset") continue;
      added.push_back(copy_of(*section));
      if (section->tag == "default") put(*added.back(), "class", "main");
      for (const auto& asset : added.back()->children)
        if (asset->tag == "mesh" && section->tag == "asset" && !asset->attribute("class")) put(*asset, "class", "main");
      add_prefix(*added.back(), prefix);
    }
    for (const char* tag : kSections)
      for (const auto& section : root.children)
        if (section->tag == tag) added.push_back(referring(*section, prefix, names));
  }

  static std::unique_ptr<XmlElement> referring(const XmlElement& section, const std::string& prefix, MjcfNames& names) {
    std::unique_ptr<XmlElement> result = empty_like(section, section.tag);
    for (const auto& child : section.children) {
      if (!refers_within(*child, names)) continue;
      collect_names(*child, names);
      std::unique_ptr<XmlElement> copy = copy_of(*child);
      const bool has_class = section.tag != "sensor" && child->tag != "exclude";
      if (has_class && !copy->attribute("class")) put(*copy, "class", "main");
      add_prefix(*copy, prefix);
      result->adopt(std::move(copy));
    }
    return result;
  }

  ModelImport& import_;
  const AssetFolders& folders_;
  MjcfModel& model_;
  ImportLog log_;
  std::size_t count_;
  std::vector<std::filesystem::path> open_;  // the file that is read, and those that attach it
  std::vector<std::string> repeated_;        // parts of the model itself that are being attached
};

}  // namespace

void expand_attachments(ModelImport& import, const AssetFolders& folders, MjcfModel& model) {
  AttachExpander(import, folders, model).expand({*import.root, import.path, {}});
}

}  // namespace lipkin
