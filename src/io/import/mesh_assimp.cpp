// COLLADA and glTF through assimp, which may open nothing but files beside the mesh.
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <assimp/DefaultIOSystem.h>
#include <assimp/IOStream.hpp>
#include <assimp/Importer.hpp>

#include <cstring>
#include <system_error>

#include "io/import/asset_folders.hpp"
#include "io/import/mesh_builder.hpp"
#include "io/import/mesh_file.hpp"
#include "io/text_file.hpp"

namespace lipkin {
namespace {

namespace fs = std::filesystem;

// A file in memory.
class MemoryFile : public Assimp::IOStream {
 public:
  explicit MemoryFile(std::string bytes) : bytes_(std::move(bytes)) {}

  size_t Read(void* to, size_t size, size_t count) override {
    if (size == 0) return 0;
    const std::size_t items = std::min(count, (bytes_.size() - position_) / size);
    std::memcpy(to, bytes_.data() + position_, items * size);
    position_ += items * size;
    return items;
  }
  size_t Write(const void*, size_t, size_t) override { return 0; }
  aiReturn Seek(size_t offset, aiOrigin origin) override {
    const std::size_t base = origin == aiOrigin_SET ? 0 : origin == aiOrigin_CUR ? position_ : bytes_.size();
    if (offset > bytes_.size() || base > bytes_.size() - offset) return aiReturn_FAILURE;
    position_ = base + offset;
    return aiReturn_SUCCESS;
  }
  size_t Tell() const override { return position_; }
  size_t FileSize() const override { return bytes_.size(); }
  void Flush() override {}

 private:
  std::string bytes_;
  std::size_t position_ = 0;
};

// Files in the folder of the mesh and below it, read only.
class FolderOnly : public Assimp::IOSystem {
 public:
  explicit FolderOnly(const fs::path& mesh) : folder_(mesh.parent_path()) {}

  bool Exists(const char* name) const override { return !allowed(name).empty(); }
  char getOsSeparator() const override { return '/'; }
  Assimp::IOStream* Open(const char* name, const char* mode) override {
    const fs::path path = allowed(name);
    if (path.empty() || mode[0] != 'r') return nullptr;
    try {
      return new MemoryFile(read_file_bytes(path, path.string(), kMaxMeshBytes));
    } catch (const InputError&) {
      return nullptr;
    }
  }
  void Close(Assimp::IOStream* stream) override { delete stream; }

 private:
  fs::path allowed(const char* name) const {
    std::error_code error;
    const fs::path path = fs::path(name);
    const fs::path canonical = fs::canonical(path.is_absolute() ? path : folder_ / path, error);
    return !error && is_inside(canonical, folder_) && fs::is_regular_file(canonical, error) ? canonical : fs::path();
  }

  fs::path folder_;
};

void add_node(const aiScene& scene, const aiNode& node, const aiMatrix4x4& around, int depth, MeshBuilder& mesh) {
  constexpr int kDeepest = 100;
  const aiMatrix4x4 placed = around * node.mTransformation;
  for (unsigned i = 0; i < node.mNumMeshes; ++i) {
    const aiMesh& part = *scene.mMeshes[node.mMeshes[i]];
    for (unsigned f = 0; f < part.mNumFaces; ++f) {
      const aiFace& face = part.mFaces[f];
      if (face.mNumIndices != 3) continue;  // points and lines
      std::array<Eigen::Vector3d, 3> corners;
      for (unsigned k = 0; k < 3; ++k) {
        const aiVector3D v = placed * part.mVertices[face.mIndices[k]];
        corners[k] = Eigen::Vector3d(v.x, v.y, v.z);
      }
      mesh.add_triangle(corners);
    }
  }
  if (depth >= kDeepest) return;
  for (unsigned i = 0; i < node.mNumChildren; ++i) add_node(scene, *node.mChildren[i], placed, depth + 1, mesh);
}

// From y upward to z upward.
void turn_upright(ShapeMesh& mesh) {
  for (Eigen::Vector3d& v : mesh.vertices) v = Eigen::Vector3d(v.x(), -v.z(), v.y());
}

}  // namespace

ShapeMesh parse_with_assimp(const fs::path& path, const std::string& shown_name) {
  Assimp::Importer importer;
  importer.SetIOHandler(new FolderOnly(path));  // the importer deletes it
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  const aiScene* scene = importer.ReadFile(path.string(), aiProcess_Triangulate);
  if (!scene || !scene->mRootNode) {
    std::string reason = importer.GetErrorString();
    reason = reason.substr(0, std::min<std::size_t>(reason.find('\n'), 200));
    throw InputError({shown_name}, "the mesh cannot be read: " + reason);
  }
  MeshBuilder builder(shown_name);
  add_node(*scene, *scene->mRootNode, aiMatrix4x4(), 0, builder);
  ShapeMesh mesh = builder.take();
  const std::string ending = path.extension().string();
  if (ending == ".gltf" || ending == ".glb" || ending == ".GLTF" || ending == ".GLB") turn_upright(mesh);
  return mesh;
}

}  // namespace lipkin
