// <include>, <attach>, <replicate>, <flexcomp> and <composite>: what they stand for, written out.
#pragma once

#include "io/import/asset_folders.hpp"
#include "io/import/model_import.hpp"
#include "io/mjcf/mjcf_compiler.hpp"
#include "io/mjcf/mjcf_model.hpp"

namespace lipkin {

// A file of MJCF: the model's own, or one that it attaches.
struct MjcfDocument {
  XmlElement& root;
  std::filesystem::path path;    // of the file
  std::filesystem::path folder;  // that it stands in, seen from the model's own
};

// Replaces each <include file="..."/> by what is in the root of that file. As in MuJoCo a file may be included once.
// Mistakes go to the diagnostics.
void expand_includes(ModelImport& import, const AssetFolders& folders, const MjcfDocument& document);

// Replaces each <attach> by what it names of another model (MuJoCo 3.2 and later), names with the prefix before them,
// and adds that model's defaults and assets, and whatever of its other sections refers to the attached part alone. What
// <compiler> says there goes to `model`. The document may grow to kMaxXmlElements.
void expand_attachments(ModelImport& import, const AssetFolders& folders, MjcfModel& model);

// Replaces each <replicate> by <frame>s with copies of its content, names ending with the copy's number, and each
// element of other sections that names one of the copied things by one for each copy. The document may grow to
// kMaxXmlElements.
void expand_replicates(ModelImport& import, const MjcfCompiler& compiler);

// Puts bodies and tendons in place of every <flexcomp> of points in rows or in a circle; the others are left.
void expand_flexcomps(ModelImport& import, const MjcfCompiler& compiler);

// Puts bodies in place of every <composite type="cable">.
void expand_composites(ModelImport& import);

// An element that stands where `origin` does.
std::unique_ptr<XmlElement> made_element(const XmlElement& origin, const char* tag,
                                         std::vector<std::pair<const char*, std::string>> attributes);

}  // namespace lipkin
