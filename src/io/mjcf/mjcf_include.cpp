#include <fmt/format.h>

#include <set>

#include "io/mjcf/mjcf_expand.hpp"
#include "io/xml/xml_text.hpp"

namespace lipkin {
namespace {

std::size_t element_count(const XmlElement& element) {
  std::size_t count = 1;
  for (const auto& child : element.children) count += element_count(*child);
  return count;
}

class IncludeExpander {
 public:
  IncludeExpander(ModelImport& import, const AssetFolders& folders) : import_(import), folders_(folders) {
    std::error_code ignored;
    included_.insert(std::filesystem::weakly_canonical(std::filesystem::absolute(import.path), ignored));
    count_ = element_count(*import.root);
  }

  void expand(XmlElement& element) {
    std::vector<std::unique_ptr<XmlElement>> old = std::move(element.children);
    element.children.clear();
    for (std::unique_ptr<XmlElement>& child : old) {
      if (child->tag != "include") {
        expand(*child);
        element.adopt(std::move(child));
        continue;
      }
      const std::unique_ptr<XmlElement> content = read(*child);
      if (!content) continue;
      expand(*content);
      for (std::unique_ptr<XmlElement>& each : content->children) element.adopt(std::move(each));
    }
  }

 private:
  // The root of the file that an <include> names; null after a mistake.
  std::unique_ptr<XmlElement> read(const XmlElement& include) {
    ImportLog log = import_.log();
    const ElementReader reader(include, log);
    const std::string file = reader.required_text("file");
    if (file.empty()) return nullptr;
    const AssetFolders::Found found = folders_.find(file);
    if (found.path.empty()) {
      reader.error(fmt::format("the included file '{}' in line {} cannot be used: {}", shortened(file), include.line,
                               found.problem));
      return nullptr;
    }
    if (!included_.insert(found.path).second) {
      reader.error(fmt::format("'{}' is included twice or includes itself (line {}): a file may be included once",
                               shortened(file), include.line));
      return nullptr;
    }
    import_.report.add("include", Treatment::kHonoured, "", include.where());
    return parse(file, found.path, include);
  }

  std::unique_ptr<XmlElement> parse(const std::string& file, const std::filesystem::path& path,
                                    const XmlElement& include) {
    std::unique_ptr<XmlElement> root = read_xml_file(path, shortened(file), import_.diagnostics);
    if (root->tag != "mujoco" && root->tag != "mujocoinclude")
      throw InputError(root->where(),
                       fmt::format("the root of an included file is <{}>: expected <mujoco> or <mujocoinclude>",
                                   shortened(root->tag)));
    count_ += element_count(*root);
    if (count_ > kMaxXmlElements)
      throw InputError(include.where(),
                       fmt::format("with what it includes the model has more than {} elements, which is the limit",
                                   kMaxXmlElements));
    return root;
  }

  ModelImport& import_;
  const AssetFolders& folders_;
  std::set<std::filesystem::path> included_;
  std::size_t count_ = 0;
};

}  // namespace

void expand_includes(ModelImport& import, const AssetFolders& folders) {
  IncludeExpander(import, folders).expand(*import.root);
}

}  // namespace lipkin
