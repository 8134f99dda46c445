// Meshes from files against solids whose volume and inertia are known, and files that lie.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <numbers>

#include "io/hulls/hull_points.hpp"
#include "io/import/mesh_file.hpp"
#include "io/import/mesh_library.hpp"
#include "model/shape_mass.hpp"
#include "temporary_scene.hpp"

namespace lipkin::test {
namespace {

// A tetrahedron with three edges along the axes, outward.
const std::vector<Eigen::Vector3d> kCorners = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
const std::vector<std::array<int, 3>> kFaces = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

std::string binary_stl(std::uint32_t claimed) {
  std::string bytes(80, ' ');
  const auto append = [&](const auto& value) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes.append(raw, sizeof value);
  };
  append(claimed);
  for (const auto& face : kFaces) {
    for (int k = 0; k < 3; ++k) append(0.0f);
    for (const int v : face)
      for (int k = 0; k < 3; ++k) append(static_cast<float>(kCorners[static_cast<std::size_t>(v)][k]));
    bytes.append(2, '\0');
  }
  return bytes;
}

std::string text_stl() {
  std::string text = "solid t\n";
  for (const auto& face : kFaces) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (const int v : face) {
      const Eigen::Vector3d& p = kCorners[static_cast<std::size_t>(v)];
      text += "vertex " + std::to_string(p.x()) + " " + std::to_string(p.y()) + " " + std::to_string(p.z()) + "\n";
    }
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid t\n";
}

const char* const kObj =
    "# t\nv 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nvn 0 0 1\nf 1//1 3//1 2//1\nf 1 2 4\nf 1/1 4/1 3/1\nf -3 -2 -1\n";

// Volume a b c / 6; centre of mass at a quarter of each edge.
void expect_tetrahedron(const ShapeMesh& mesh) {
  EXPECT_EQ(mesh.vertices.size(), 4u);
  EXPECT_EQ(mesh.triangles.size(), 4u);
  ASSERT_TRUE(is_closed(mesh));
  ShapeSpec shape;
  shape.geometry = mesh;
  EXPECT_NEAR(volume(shape), 1.0, 1e-14);
  const MassProperties mass = solid_mass_properties(shape, 1);
  EXPECT_LT((mass.com - Eigen::Vector3d(0.25, 0.5, 0.75)).norm(), 1e-14);
}

TEST(MeshFile, EachFormatGivesTheSameSolid) {
  expect_tetrahedron(parse_stl(binary_stl(4), "t.stl"));
  expect_tetrahedron(parse_stl(text_stl(), "t.stl"));
  expect_tetrahedron(parse_obj(kObj, "t.obj"));
}

TEST(MeshFile, ABinaryFileMayBeginWithSolid) {
  std::string bytes = binary_stl(4);
  bytes.replace(0, 5, "solid");
  expect_tetrahedron(parse_stl(bytes, "t.stl"));
}

void expect_refused(const std::string& what, const std::function<void()>& read) {
  try {
    read();
    ADD_FAILURE() << "accepted; expected: " << what;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
  }
}

TEST(MeshFile, FilesThatLieAreRefused) {
  expect_refused("claims 4294967295 triangles but holds 4", [] { parse_stl(binary_stl(0xFFFFFFFF), "t.stl"); });
  expect_refused("too short", [] { parse_stl("abc", "t.stl"); });
  expect_refused("no triangles", [] { parse_stl(std::string(84, '\0'), "t.stl"); });
  std::string nan = binary_stl(4);
  const float value = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(nan.data() + 84 + 12, &value, sizeof value);
  expect_refused("not finite", [&] { parse_stl(nan, "t.stl"); });
  expect_refused("t.obj:2", [] { parse_obj("v 0 0 0\nf 1 2 3\n", "t.obj"); });
  expect_refused("3 numbers", [] { parse_obj("v 0 0\n", "t.obj"); });
  expect_refused("not a number", [] { parse_obj("v 0 0 x\n", "t.obj"); });
  expect_refused("t.stl:2", [] { parse_stl("solid\nvertex 1 2\nfacet", "t.stl"); });
}

TEST(MeshFile, ColladaIsInMetres) {
  const TemporaryScenes folder;
  const auto collada = [](const char* unit) {
    return std::string(
               "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' "
               "version='1.4.1'><asset><unit meter='") +
           unit +
           "'/><up_axis>Z_UP</up_axis></asset><library_geometries><geometry id='g'><mesh><source id='p'><float_array "
           "id='pa' count='12'>0 0 0 1 0 0 0 2 0 0 0 3</float_array><technique_common><accessor source='#pa' count='4' "
           "stride='3'><param name='X' type='float'/><param name='Y' type='float'/><param name='Z' type='float'/>"
           "</accessor></technique_common></source><vertices id='v'><input semantic='POSITION' source='#p'/></vertices>"
           "<triangles count='4'><input semantic='VERTEX' source='#v' offset='0'/><p>0 2 1 0 1 3 0 3 2 1 2 3</p>"
           "</triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id='s'><node>"
           "<instance_geometry url='#g'/></node></visual_scene></library_visual_scenes><scene><instance_visual_scene "
           "url='#s'/></scene></COLLADA>";
  };
  expect_tetrahedron(read_mesh_file(folder.write("m.dae", collada("1")), "m.dae"));
  ShapeMesh millimetres = read_mesh_file(folder.write("mm.dae", collada("0.001")), "mm.dae");
  // assimp keeps single precision.
  for (Eigen::Vector3d& v : millimetres.vertices) v = (v * 1000).array().round();
  expect_tetrahedron(millimetres);
}

// The corners 0 0 0, 1 0 0, 0 2 0, 0 0 3 in a buffer beside the file; glTF's y is our z, its z our -y.
TEST(MeshFile, GltfIsTurnedUprightAndReadsOnlyBesideItself) {
  const TemporaryScenes folder;
  std::string bytes;
  for (const Eigen::Vector3d& corner : kCorners)
    for (int k = 0; k < 3; ++k) {
      const auto x = static_cast<float>(corner[k]);
      bytes.append(reinterpret_cast<const char*>(&x), sizeof x);
    }
  for (const auto& face : kFaces)
    for (const int v : face) bytes.append({static_cast<char>(v), '\0'});
  const auto gltf = [](const std::string& uri) {
    return R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"meshes":[{"primitives":
      [{"attributes":{"POSITION":0},"indices":1}]}],"buffers":[{"uri":")" +
           uri +
           R"(","byteLength":72}],"bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":48},{"buffer":0,
      "byteOffset":48,"byteLength":24}],"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3",
      "min":[0,0,0],"max":[1,2,3]},{"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}]})";
  };
  folder.write("meshes/t.bin", bytes);
  folder.write("u.bin", bytes);
  ShapeMesh mesh = read_mesh_file(folder.write("meshes/t.gltf", gltf("t.bin")), "t.gltf");
  for (Eigen::Vector3d& v : mesh.vertices) v = Eigen::Vector3d(v.x(), v.z(), -v.y());
  expect_tetrahedron(mesh);
  expect_refused("cannot be read", [&] { read_mesh_file(folder.write("meshes/u.gltf", gltf("../u.bin")), "u.gltf"); });
}

TEST(MeshFile, OtherFormatsAreRefused) {
  const TemporaryScenes folder;
  expect_refused("no mesh file", [&] { read_mesh_file(folder.write("m.txt", "x"), "m.txt"); });
  expect_refused("cannot be read", [&] { read_mesh_file(folder.write("m.dae", "<a>"), "m.dae"); });
  expect_refused("cannot be read", [&] { read_mesh_file(folder.write("m.glb", "glTF"), "m.glb"); });
}

// Of a ball with many vertices, the hull of the sample misses at most 0.2 % of the radius.
TEST(MeshLibraryTest, LargeMeshesKeepTheirExtent) {
  ShapeMesh ball;
  const int rings = 100, sectors = 100;
  for (int i = 1; i < rings; ++i) {
    for (int k = 0; k < sectors; ++k) {
      const double polar = std::numbers::pi * i / rings, azimuth = 2 * std::numbers::pi * k / sectors;
      ball.vertices.emplace_back(std::sin(polar) * std::cos(azimuth), std::sin(polar) * std::sin(azimuth),
                                 std::cos(polar));
    }
  }
  const HullPoints hull = hull_of(ball, "ball");
  EXPECT_TRUE(hull.is_sampled);
  EXPECT_LE(hull.points.size(), static_cast<std::size_t>(kHullDirections));
  for (const Eigen::Vector3d& direction : {Eigen::Vector3d(1, 0, 0), Eigen::Vector3d(1, 2, 3).normalized().eval()}) {
    double reach = 0;
    for (const Eigen::Vector3d& p : hull.points) reach = std::max(reach, direction.dot(p));
    EXPECT_GT(reach, 0.995);
  }
}

TEST(MeshLibraryTest, MirroredMeshesStayOutsideOut) {
  const ShapeMesh mesh = parse_obj(kObj, "t.obj");
  ShapeSpec shape;
  shape.geometry = scaled(mesh, {-1, 1, 2});
  EXPECT_NEAR(volume(shape), 2.0, 1e-14);
}

// Programs write convex hulls as their corners alone.
TEST(MeshFiles, AnObjOfVerticesAloneIsTheirHull) {
  expect_tetrahedron(parse_obj("v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\n", "t.obj"));
  const auto mistake = [](const char* text) -> std::string {
    try {
      parse_obj(text, "t.obj");
    } catch (const InputError& error) {
      return error.diagnostics()[0].message;
    }
    return "none";
  };
  EXPECT_EQ(mistake("v 0 0 0\nv 1 0 0\nv 0 2 0\n"), "the mesh has no triangles");
  EXPECT_EQ(mistake("v 0 0 0\nv 1 0 0\nv 0 2 0\nv 1 2 0\n"), "the mesh has no triangles");  // flat
  EXPECT_EQ(mistake("v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nl 1 2\n"), "the mesh has no triangles");
  EXPECT_EQ(mistake("v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 nan\n"), "a vertex is not finite");
}

}  // namespace
}  // namespace lipkin::test
