#include "io/mjcf/mjcf_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "io/import/mesh_builder.hpp"
#include "io/import/mesh_file.hpp"
#include "io/text_file.hpp"
#include "model/convex_hull.hpp"

namespace lipkin {
namespace {

constexpr std::size_t kMaxHeightSamples = 4'000'000;

std::string stem_of(const std::string& file) { return std::filesystem::path(file).stem().string(); }

bool has_ending(const std::string& file, const std::string& ending) {
  std::string own = std::filesystem::path(file).extension().string();
  std::transform(own.begin(), own.end(), own.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return own == ending;
}

// MuJoCo's own binary format: four counts, then vertices, normals and texture coordinates as floats, then triangles.
ShapeMesh parse_msh(const std::string& bytes, const std::string& shown_name) {
  std::array<std::int32_t, 4> counts{};
  if (bytes.size() < sizeof counts) throw InputError({shown_name}, "the file is too short for an MSH mesh");
  std::memcpy(counts.data(), bytes.data(), sizeof counts);
  const auto [vertices, normals, coordinates, triangles] = counts;
  const auto in_range = [](std::int32_t n) { return n >= 0 && n <= 50'000'000; };
  const auto size = [](std::int32_t n) { return static_cast<std::size_t>(n); };
  if (!std::all_of(counts.begin(), counts.end(), in_range) ||
      bytes.size() != 16 + 12 * size(vertices) + 12 * size(normals) + 8 * size(coordinates) + 12 * size(triangles))
    throw InputError({shown_name}, "the size of the MSH mesh is not what its head claims");
  const auto vertex = [&](std::size_t i) {
    std::array<float, 3> v{};
    std::memcpy(v.data(), bytes.data() + 16 + 12 * i, sizeof v);
    return Eigen::Vector3d(v[0], v[1], v[2]);
  };
  MeshBuilder mesh(shown_name);
  const std::size_t first = 16 + 12 * size(vertices) + 12 * size(normals) + 8 * size(coordinates);
  for (std::size_t i = 0; i < size(triangles); ++i) {
    std::array<std::int32_t, 3> t{};
    std::memcpy(t.data(), bytes.data() + first + 12 * i, sizeof t);
    for (const std::int32_t k : t)
      if (k < 0 || k >= vertices)
        throw InputError({shown_name}, fmt::format("a face names vertex {} of {}", k, vertices));
    mesh.add_triangle({vertex(size(t[0])), vertex(size(t[1])), vertex(size(t[2]))});
  }
  return mesh.take();
}

MeshInertia inertia_kind(const MjcfElement& element, bool is_exact) {
  const MeshInertia usual = is_exact ? MeshInertia::kExact : MeshInertia::kLegacy;
  const std::optional<std::string> written = element.text("inertia");
  if (!written || *written == "legacy") return written ? MeshInertia::kLegacy : usual;
  if (*written == "exact") return MeshInertia::kExact;
  if (*written == "convex") return MeshInertia::kConvex;
  if (*written == "shell") return MeshInertia::kShell;
  element.reader().error_at(
      "inertia", fmt::format("mesh inertia is '{}': expected convex, exact, legacy or shell", shortened(*written)));
  return usual;
}

}  // namespace

void MjcfAssets::read(const ElementReader& asset) {
  for (const ElementReader& mesh : asset.children("mesh")) read_mesh(mesh);
  for (const ElementReader& field : asset.children("hfield")) read_height_field(field);
  const auto ignore = [&](const char* tag, const char* reason) {
    for (const ElementReader& element : asset.children(tag)) element.note(Treatment::kIgnored, reason);
  };
  ignore("texture", "textures are not drawn");
  ignore("skin", "skins are not drawn");
}

void MjcfAssets::read_mesh(const ElementReader& reader) {
  Mesh mesh(model_.defaults.with_defaults(reader, ""));
  const MjcfElement& element = mesh.element;
  mesh.file = element.text("file", "");
  mesh.name = reader.text("name", stem_of(mesh.file));
  element.text("content_type");
  mesh.scale = element.vector("scale", mesh.scale);
  mesh.position = element.vector("refpos", mesh.position);
  if (const std::vector<double> q = element.numbers("refquat", {4, 4}); !q.empty())
    mesh.orientation = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized();
  mesh.inertia = inertia_kind(element, model_.compiler_of(reader).has_exact_mesh_inertia);
  if (mesh.name.empty())
    return reader.error(fmt::format("<mesh> in line {} has neither name nor file", reader.element().line));
  for (const char* drawn : {"normal", "texcoord", "smoothnormal", "material"})
    reader.note(drawn, Treatment::kIgnored, "for drawing only");
  if (!reader.children("plugin").empty() || element.has("builtin")) {
    reader.warning("meshes made by plugins or by MuJoCo itself are not supported; left out");
    reader.note(Treatment::kIgnored, "meshes made by plugins or by MuJoCo itself are not supported");
    mesh.is_read = true;
  } else if (mesh.file.empty()) {
    read_inline(mesh);
  }
  if (!mesh_index_.emplace(mesh.name, static_cast<int>(meshes_.size())).second)
    return reader.error(fmt::format("the mesh '{}' is defined twice", shortened(mesh.name)));
  meshes_.push_back(std::move(mesh));
}

// Corners, and triangles that name them; without triangles the convex hull of the corners.
void MjcfAssets::read_inline(Mesh& mesh) {
  mesh.is_read = true;
  const MjcfElement& element = mesh.element;
  const ElementReader& reader = element.reader();
  constexpr std::size_t kMost = 3 * kMaxMeshTriangles;
  const std::vector<double> v = element.numbers("vertex", {1, kMost});
  const std::vector<double> f = element.numbers("face", {1, kMost});
  if (v.empty()) return reader.error(fmt::format("mesh '{}' has neither file nor vertex", shortened(mesh.name)));
  if (v.size() % 3 != 0)
    return reader.error_at("vertex", fmt::format("{} vertex numbers, which is not a multiple of 3", v.size()));
  if (f.size() % 3 != 0)
    return reader.error_at("face", fmt::format("{} face numbers, which is not a multiple of 3", f.size()));
  ShapeMesh shape;
  for (std::size_t i = 0; i < v.size(); i += 3) shape.vertices.emplace_back(v[i], v[i + 1], v[i + 2]);
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (!(f[i] >= 0) || f[i] >= static_cast<double>(shape.vertices.size()) || f[i] != std::floor(f[i]))
      return reader.error_at("face", fmt::format("a face names vertex {} of {}", f[i], shape.vertices.size()));
    if (i % 3 == 0) shape.triangles.emplace_back();
    shape.triangles.back()[i % 3] = static_cast<int>(f[i]);
  }
  if (f.empty()) shape.triangles = convex_hull(shape.vertices);
  if (shape.triangles.empty())
    return reader.error_at("vertex", "the vertices of the mesh are flat: they enclose no volume");
  mesh.mesh = std::move(shape);
  place(mesh);
}

// Moved against the reference, turned back, then scaled: MuJoCo's order.
void MjcfAssets::place(Mesh& mesh) const {
  for (Eigen::Vector3d& v : mesh.mesh->vertices) v = mesh.orientation.conjugate() * (v - mesh.position);
  mesh.mesh = scaled(*mesh.mesh, mesh.scale);
}

std::string MjcfAssets::path_of(const std::string& file, const ElementReader& element) const {
  const MjcfCompiler& compiler = model_.compiler_of(element);
  std::string name = file;
  if (compiler.strips_paths) name = std::filesystem::path(file).filename().string();
  const std::string& folder = compiler.mesh_folder;
  return folder.empty() || std::filesystem::path(name).is_absolute() ? name : folder + "/" + name;
}

void MjcfAssets::load(Mesh& mesh) {
  mesh.is_read = true;
  const ElementReader& reader = mesh.element.reader();
  const auto leave_out = [&](const std::string& problem) {
    reader.warning(fmt::format("mesh file '{}' is left out: {}", shortened(mesh.file), problem));
    reader.note(Treatment::kIgnored, "its file cannot be read");
  };
  const AssetFolders::Found found = folders_.find(path_of(mesh.file, reader));
  if (found.path.empty()) return leave_out(found.problem);
  try {
    mesh.mesh = has_ending(mesh.file, ".msh")
                    ? parse_msh(read_file_bytes(found.path, mesh.file, kMaxMeshBytes), mesh.file)
                    : library_.mesh(found.path, mesh.file);
  } catch (const InputError& error) {
    return leave_out(error.diagnostics()[0].message);
  }
  if (has_ending(mesh.file, ".obj"))  // MuJoCo reads its numbers in single precision
    for (Eigen::Vector3d& v : mesh.mesh->vertices) v = v.cast<float>().cast<double>();
  place(mesh);
}

const ShapeMesh* MjcfAssets::mesh(int index) {
  Mesh& found = at(meshes_, index);
  if (!found.is_read) load(found);
  return found.mesh ? &*found.mesh : nullptr;
}

const MeshMass* MjcfAssets::mass(int index, bool is_shell) {
  const ShapeMesh* shape = mesh(index);
  Mesh& found = at(meshes_, index);
  if (!shape || found.has_no_mass) return nullptr;
  const MeshInertia how = is_shell ? MeshInertia::kShell : found.inertia;
  std::optional<MeshMass>& result = how == MeshInertia::kShell ? found.shell_mass : found.mass;
  if (!result) {
    try {
      result = mesh_mass(*shape, how, found.name);
    } catch (const InputError& error) {
      found.has_no_mass = true;
      found.element.reader().warning(fmt::format("{}; it weighs nothing", error.diagnostics()[0].message));
      return nullptr;
    }
  }
  return &*result;
}

const ContactHulls* MjcfAssets::hulls(int index, MeshContact how, const DecompositionOptions& options) {
  const ShapeMesh* shape = mesh(index);
  Mesh& found = at(meshes_, index);
  if (!shape || found.has_no_hull) return nullptr;
  if (!found.hulls) {
    try {
      found.hulls = contact_hulls(*shape, how, options, found.name);
    } catch (const InputError& error) {
      found.has_no_hull = true;
      found.element.reader().warning(fmt::format("{}; it touches nothing", error.diagnostics()[0].message));
      return nullptr;
    }
  }
  return &*found.hulls;
}

void MjcfAssets::read_height_field(const ElementReader& reader) {
  ShapeHeightField field;
  const std::string file = reader.text("file", "");
  const std::string name = reader.text("name", stem_of(file));
  const std::vector<double> size = reader.numbers("size", {4, 4});
  const long rows = reader.optional_integer("nrow").value_or(0), columns = reader.optional_integer("ncol").value_or(0);
  if (name.empty()) return reader.error(fmt::format("<hfield> in line {} has no name", reader.element().line));
  if (size.empty() || !(size[0] > 0 && size[1] > 0 && size[2] > 0))
    return reader.error("size must be four numbers, the first three greater than 0");
  constexpr long kMostAlong = 100'000;
  if (file.empty() && (rows < 2 || columns < 2 || rows > kMostAlong || columns > kMostAlong ||
                       static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) > kMaxHeightSamples))
    return reader.error(
        fmt::format("height field '{}' has {} x {} samples: expected at least 2 x 2 and at most {} "
                    "together",
                    shortened(name), rows, columns, kMaxHeightSamples));
  field.rows = file.empty() ? static_cast<int>(rows) : 2;
  field.columns = file.empty() ? static_cast<int>(columns) : 2;
  field.size_x = 2 * size[0];
  field.size_y = 2 * size[1];
  if (file.empty()) {
    field.heights = read_elevation(reader, rows, columns, size[2]);
  } else {
    reader.warning(fmt::format("the heights in '{}' are not read: the height field is taken as flat", shortened(file)));
    reader.note("file", Treatment::kIgnored, "height fields are read from 'elevation' only; taken as flat");
    field.heights.assign(4, 0);
  }
  if (!field_index_.emplace(name, static_cast<int>(fields_.size())).second)
    return reader.error(fmt::format("the height field '{}' is defined twice", shortened(name)));
  fields_.push_back(std::move(field));
}

// Heights are stretched so that they run from 0 to `height`; the first row of the file is the farthest one along y.
std::vector<double> MjcfAssets::read_elevation(const ElementReader& reader, long rows, long columns, double height) {
  const auto count = static_cast<std::size_t>(rows * columns);
  std::vector<double> heights(count, 0);
  const std::vector<double> written =
      reader.has("elevation") ? reader.numbers("elevation", {count, count}) : std::vector<double>();
  if (written.empty()) return heights;
  const auto [low, high] = std::minmax_element(written.begin(), written.end());
  const double range = *high > *low ? *high - *low : 1;
  for (long r = 0; r < rows; ++r)
    for (long c = 0; c < columns; ++c)
      heights[static_cast<std::size_t>((rows - 1 - r) * columns + c)] =
          (written[static_cast<std::size_t>(r * columns + c)] - *low) / range * height;
  return heights;
}

}  // namespace lipkin
