// <replicate> (MuJoCo 3.1.4 and later).
#include <fmt/format.h>

#include "io/mjcf/mjcf_expand.hpp"
#include "io/mjcf/mjcf_names.hpp"
#include "io/xml/xml_text.hpp"

namespace lipkin {
namespace {

class ReplicateExpander {
 public:
  ReplicateExpander(ModelImport& import, const MjcfCompiler& compiler)
      : import_(import), compiler_(compiler), log_(import.log()), count_(element_count(*import.root)) {}

  // Innermost first, so that the copies of the outer one hold those of the inner one.
  void expand(XmlElement& element) {
    for (const auto& child : element.children) expand(*child);
    std::vector<std::unique_ptr<XmlElement>> old = std::move(element.children);
    element.children.clear();
    for (std::unique_ptr<XmlElement>& child : old) {
      if (child->tag == "replicate") {
        replicate(*child, element);
      } else {
        element.adopt(std::move(child));
      }
    }
  }

 private:
  void replicate(const XmlElement& replicate, XmlElement& into) {
    const ElementReader reader(replicate, log_);
    const std::optional<long> count = reader.optional_integer("count");
    const Eigen::Vector3d offset = reader.vector("offset", Eigen::Vector3d::Zero());
    const Eigen::Vector3d turn = reader.vector("euler", Eigen::Vector3d::Zero());
    const std::string separator = reader.text("sep", "");
    reader.note("prefix", Treatment::kIgnored, "copies differ by the ends of their names, as in MuJoCo");
    if (!count || *count < 1)
      return reader.error(
          fmt::format("replicate in line {}: count must be a whole number of "
                      "at least 1",
                      replicate.line));
    if (!may_grow(reader, *count, element_count(replicate))) return;
    import_.report.add("replicate", Treatment::kHonoured, "", replicate.where());
    MjcfNames names;
    for (const auto& child : replicate.children) collect_names(*child, names);
    std::vector<std::string> suffixes;
    Pose pose;
    for (long i = 0; i < *count; ++i) {
      // Each copy stands at the offset from the one before, along the axes of that one.
      if (i > 0) pose.position += pose.orientation * offset;
      pose.orientation = compiler_.from_euler(static_cast<double>(i) * turn);
      suffixes.push_back(fmt::format("{}{:0{}}", separator, i, std::to_string(*count - 1).size()));
      into.adopt(frame(replicate, names, suffixes.back(), pose));
    }
    replicate_referring(reader, names, suffixes);
  }

  bool may_grow(const ElementReader& reader, long copies, std::size_t size) {
    const std::size_t room = kMaxXmlElements - std::min(count_, kMaxXmlElements);
    if (static_cast<std::size_t>(copies) > room / size) {
      reader.error(fmt::format("replicate in line {}: the count {} makes more than {} elements, which is the limit",
                               reader.element().line, copies, kMaxXmlElements));
      return false;
    }
    count_ += static_cast<std::size_t>(copies) * size;
    return true;
  }

  // A frame with a copy of the content.
  static std::unique_ptr<XmlElement> frame(const XmlElement& replicate, const MjcfNames& names,
                                           const std::string& suffix, const Pose& pose) {
    auto result = std::make_unique<XmlElement>();
    result->tag = "frame";
    result->line = replicate.line;
    result->file = replicate.file;
    const Eigen::Vector3d& p = pose.position;
    const Eigen::Quaterniond& r = pose.orientation;
    result->attributes.push_back({"pos", fmt::format("{} {} {}", p.x(), p.y(), p.z()), replicate.line});
    result->attributes.push_back({"quat", fmt::format("{} {} {} {}", r.w(), r.x(), r.y(), r.z()), replicate.line});
    if (const XmlAttribute* child_class = replicate.attribute("childclass")) result->attributes.push_back(*child_class);
    for (const auto& child : replicate.children) {
      result->adopt(copy_of(*child));
      rename(*result->children.back(), names, "", suffix);
    }
    return result;
  }

  // Sections in the order in which they refer to each other.
  void replicate_referring(const ElementReader& reader, MjcfNames names, const std::vector<std::string>& suffixes) {
    for (const char* section : {"contact", "equality", "tendon", "actuator", "sensor"})
      for (const auto& child : import_.root->children)
        if (child->tag == section) replicate_in(reader, *child, names, suffixes);
  }

  void replicate_in(const ElementReader& reader, XmlElement& section, MjcfNames& names,
                    const std::vector<std::string>& suffixes) {
    std::vector<std::unique_ptr<XmlElement>> old = std::move(section.children);
    section.children.clear();
    for (std::unique_ptr<XmlElement>& child : old) {
      if (!names_one_of(*child, names)) {
        section.adopt(std::move(child));
        continue;
      }
      if (!may_grow(reader, static_cast<long>(suffixes.size()), element_count(*child))) return;
      collect_names(*child, names);
      for (const std::string& suffix : suffixes) {
        section.adopt(copy_of(*child));
        rename(*section.children.back(), names, "", suffix);
      }
    }
  }

  ModelImport& import_;
  const MjcfCompiler& compiler_;
  ImportLog log_;
  std::size_t count_;
};

}  // namespace

void expand_replicates(ModelImport& import, const MjcfCompiler& compiler) {
  ReplicateExpander(import, compiler).expand(*import.root);
}

}  // namespace lipkin
