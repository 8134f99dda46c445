// Models written for other programs (URDF, MJCF): how they are read, and what became of each tag.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "lipkin/error.hpp"

namespace lipkin {

// How the root of a URDF tree is held; MJCF says it itself.
enum class BaseKind { kFixed, kFloating };

// How a mesh that touches does so.
enum class MeshContact { kHull, kDecompose, kMesh };  // its convex hull, several convex hulls, its triangles

struct DecompositionOptions {
  double tolerance = 0.01;  // how far a hull may reach beyond the mesh, in terms of the mesh's diagonal [-]
  int max_hulls = 32;
};

struct ImportOptions {
  std::optional<BaseKind> base;                        // URDF; not given: fixed
  std::vector<std::filesystem::path> package_folders;  // where package:// and meshes beyond the model's folder may lie
  bool ground = false;                                 // adds the plane z = 0 and puts a floating model on it
  bool self_contact = false;                           // URDF: the links of one robot touch each other
  MeshContact mesh_contact = MeshContact::kHull;
  DecompositionOptions decomposition;
  bool visual_meshes = false;  // reads meshes that are only looked at
};

enum class Treatment { kHonoured, kApproximated, kIgnored };
std::string_view name_of(Treatment treatment);

// One kind of tag or attribute and what was made of it: "joint/limit", "joint/limit@velocity".
struct ImportNote {
  std::string tag;
  Treatment treatment = Treatment::kHonoured;
  std::string reason;                  // what an approximation is, why something is left out; may be empty
  bool changes_motion = false;         // a warning says so as well
  std::vector<SourceLocation> places;  // the first kMaxPlaces of them
  int count = 0;                       // of all
};

// What became of everything in a model file. Empty for scenes, which are honoured or refused.
class ImportReport {
 public:
  static constexpr std::size_t kMaxPlaces = 1000;

  explicit ImportReport(std::string format = {}) : format_(std::move(format)) {}

  const std::string& format() const { return format_; }  // "URDF", "MJCF"; empty: a scene
  const std::vector<ImportNote>& notes() const { return notes_; }
  int count(Treatment treatment) const;

  void add(const std::string& tag, Treatment treatment, const std::string& reason, const SourceLocation& where,
           bool changes_motion = false);

  // One line: "URDF: 120 tags honoured, 3 approximated, 12 ignored".
  std::string summary() const;

 private:
  std::string format_;
  std::vector<ImportNote> notes_;
  std::map<std::tuple<std::string, Treatment, std::string>, std::size_t> index_;
};

}  // namespace lipkin
