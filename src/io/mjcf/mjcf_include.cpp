#include <fmt/format.h>

#include <set>

#include "io/mjcf/mjcf_expand.hpp"
#include "io/mjcf/mjcf_names.hpp"
#include "io/xml/xml_text.hpp"

namespace lipkin {
namespace {

class IncludeExpander {
 public:
  IncludeExpander(ModelImport& import, const AssetFolders& folders, const MjcfDocument& document)
      : import_(import), folders_(folders), count_(element_count(document.root)) {
    std::error_code ignored;
    included_.insert(std::filesystem::weakly_canonical(std::filesystem::absolute(document.path), ignored));
  }

  // `folder`: of the file that the element stands in, seen from the model's own.
  void expand(XmlElement& element, const std::filesystem::path& folder) {
    std::vector<std::unique_ptr<XmlElement>> old = std::move(element.children);
    element.children.clear();
    for (std::unique_ptr<XmlElement>& child : old) {
      if (child->tag != "include") {
        expand(*child, folder);
        element.adopt(std::move(child));
        continue;
      }
      std::filesystem::path file;
      const std::unique_ptr<XmlElement> content = read(*child, folder, file);
      if (!content) continue;
      expand(*content, file.parent_path());
      for (std::unique_ptr<XmlElement>& each : content->children) element.adopt(std::move(each));
    }
  }

 private:
  // The root of the file that an <include> names, and the name it was found by; null after a mistake. MuJoCo looks
  // beside the file that includes (3.x) or beside the model (2.x).
  std::unique_ptr<XmlElement> read(const XmlElement& include, const std::filesystem::path& folder,
                                   std::filesystem::path& name) {
    ImportLog log = import_.log();
    const ElementReader reader(include, log);
    const std::string file = reader.required_text("file");
    if (file.empty()) return nullptr;
    name = folder / file;
    AssetFolders::Found found = folders_.find(name.string());
    if (found.path.empty() && !folder.empty()) {
      name = file;
      found = folders_.find(file);
    }
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
    return parse(name.string(), found.path, include);
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
  std::size_t count_;
};

}  // namespace

void expand_includes(ModelImport& import, const AssetFolders& folders, const MjcfDocument& document) {
  IncludeExpander(import, folders, document).expand(document.root, document.folder);
}

}  // namespace lipkin
