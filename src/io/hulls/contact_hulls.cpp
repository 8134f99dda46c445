#include "io/hulls/contact_hulls.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/hulls/convex_decomposition.hpp"
#include "io/hulls/hull_points.hpp"

namespace lipkin {
namespace {

std::string depth_text(const Decomposition& parts) {
  const auto length = [](double x) { return x < 0.1 ? fmt::format("{:.2g} mm", 1e3 * x) : fmt::format("{:.2g} m", x); };
  if (parts.depth == 0) return parts.hulls.size() == 1 ? "which fills no hollow of it" : "which fill no hollow of it";
  return fmt::format("at most {} beyond it{}", length(parts.depth),
                     parts.depth > parts.tolerance ? fmt::format(" ({} were asked for)", length(parts.tolerance)) : "");
}

}  // namespace

ContactHulls contact_hulls(const ShapeMesh& mesh, MeshContact how, const DecompositionOptions& options,
                           const std::string& shown_name) {
  if (how == MeshContact::kHull) {
    HullPoints hull = hull_of(mesh, shown_name);
    return {{std::move(hull.points)},
            hull.is_sampled ? fmt::format("touches as its convex hull, seen from {} directions", kHullDirections)
                            : "touches as its convex hull"};
  }
  Decomposition parts = decompose(mesh, options, shown_name);
  const std::size_t count = parts.hulls.size();
  std::string note = count == 1 ? fmt::format("touches as its convex hull, {}", depth_text(parts))
                                : fmt::format("touches as {} convex hulls, {}", count, depth_text(parts));
  return {std::move(parts.hulls), std::move(note)};
}

const ContactHulls& HullLibrary::hulls(const ShapeMesh& mesh, MeshContact how, const DecompositionOptions& options,
                                       const std::string& shown_name) {
  for (const Known& known : known_)
    if (known.how == how && known.options.tolerance == options.tolerance &&
        known.options.max_hulls == options.max_hulls && known.mesh.triangles == mesh.triangles &&
        known.mesh.vertices == mesh.vertices)
      return known.hulls;
  known_.push_back({mesh, how, options, contact_hulls(mesh, how, options, shown_name)});
  return known_.back().hulls;
}

bool is_sound(const ShapeMesh& mesh) {
  const int count = static_cast<int>(mesh.vertices.size());
  return !mesh.triangles.empty() &&
         std::all_of(mesh.vertices.begin(), mesh.vertices.end(), [](const auto& v) { return v.allFinite(); }) &&
         std::all_of(mesh.triangles.begin(), mesh.triangles.end(), [&](const std::array<int, 3>& t) {
           return std::all_of(t.begin(), t.end(), [&](int k) { return k >= 0 && k < count; });
         });
}

MeshContact mesh_contact_named(std::string_view name) {
  if (name == "mesh") return MeshContact::kMesh;
  return name == "decompose" ? MeshContact::kDecompose : MeshContact::kHull;
}

}  // namespace lipkin
