// <include> and <replicate>: what they stand for, written out.
#pragma once

#include "io/import/asset_folders.hpp"
#include "io/import/model_import.hpp"
#include "io/mjcf/mjcf_compiler.hpp"

namespace lipkin {

// Replaces each <include file="..."/> by what is in the root of that file. As in MuJoCo a file may be included once.
// Mistakes go to the diagnostics.
void expand_includes(ModelImport& import, const AssetFolders& folders);

// Replaces each <replicate> by <frame>s with copies of its content, names ending with the copy's number, and each
// element of other sections that names one of the copied things by one for each copy. The document may grow to
// kMaxXmlElements.
void expand_replicates(ModelImport& import, const MjcfCompiler& compiler);

// Puts bodies and tendons in place of every <flexcomp> of points in rows or in a circle; the others are left.
void expand_flexcomps(ModelImport& import, const MjcfCompiler& compiler);

}  // namespace lipkin
