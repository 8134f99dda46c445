// Which files a model may open: its folder, its package, what the user gives; nothing else, by any spelling.
#include <gtest/gtest.h>

#include <cstdlib>

#include "io/import/asset_folders.hpp"
#include "temporary_scene.hpp"

namespace lipkin::test {
namespace {

namespace fs = std::filesystem;

class AssetFoldersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    unsetenv("ROS_PACKAGE_PATH");
    unsetenv("AMENT_PREFIX_PATH");
    for (const char* name :
         {"ws/arm/urdf/arm.urdf", "ws/arm/urdf/local.stl", "ws/arm/meshes/a.stl", "ws/arm/package.xml",
          "ws/hand/package.xml", "ws/hand/h.stl", "ws/other/o.stl", "secret.stl"})
      folder_.write(name, "x");
  }

  fs::path root() const { return fs::canonical(folder_.folder()); }
  AssetFolders folders(std::vector<fs::path> given = {}) const { return {root() / "ws/arm/urdf/arm.urdf", given}; }

  TemporaryScenes folder_;
};

TEST_F(AssetFoldersTest, FolderAndPackageOfTheModelAreOpen) {
  EXPECT_EQ(folders().find("local.stl").path, root() / "ws/arm/urdf/local.stl");
  EXPECT_EQ(folders().find("../meshes/a.stl").path, root() / "ws/arm/meshes/a.stl");
  EXPECT_EQ(folders().find("..\\meshes\\a.stl").path, root() / "ws/arm/meshes/a.stl");
  EXPECT_EQ(folders().find("package://arm/meshes/a.stl").path, root() / "ws/arm/meshes/a.stl");
  EXPECT_EQ(folders().find("package://hand/h.stl").path, root() / "ws/hand/h.stl");
}

TEST_F(AssetFoldersTest, NothingElseIs) {
  for (const char* name :
       {"../../../secret.stl", "../../hand/h.stl", "package://other/o.stl", "package://arm/../../secret.stl",
        "package://../secret.stl", "package://./secret.stl", "http://x/y.stl", "/etc/passwd", "file:///etc/passwd",
        "package://etc/passwd", "", "package://arm"}) {
    const AssetFolders::Found found = folders().find(name);
    EXPECT_TRUE(found.path.empty()) << name;
    EXPECT_FALSE(found.problem.empty()) << name;
  }
}

TEST_F(AssetFoldersTest, LinksOutOfTheFolderAreNotFollowed) {
  fs::create_symlink(root() / "secret.stl", root() / "ws/arm/urdf/link.stl");
  EXPECT_TRUE(folders().find("link.stl").path.empty());
}

TEST_F(AssetFoldersTest, WhatTheUserGivesIsOpen) {
  EXPECT_EQ(folders({root() / "ws"}).find("package://other/o.stl").path, root() / "ws/other/o.stl");
  EXPECT_EQ(folders({root() / "ws/other"}).find("package://other/o.stl").path, root() / "ws/other/o.stl");
  EXPECT_EQ(folders({root() / "ws/other"}).find("o.stl").path, root() / "ws/other/o.stl");
  setenv("ROS_PACKAGE_PATH", (root() / "nowhere").string().append(":").append((root() / "ws").string()).c_str(), 1);
  EXPECT_EQ(folders().find("package://other/o.stl").path, root() / "ws/other/o.stl");
  unsetenv("ROS_PACKAGE_PATH");
}

TEST_F(AssetFoldersTest, AMissingFileSaysWhereItWasLookedFor) {
  const AssetFolders::Found found = folders().find("meshes/none.stl");
  EXPECT_FALSE(found.is_refused);
  EXPECT_NE(found.problem.find((root() / "ws/arm/urdf").string()), std::string::npos) << found.problem;
}

}  // namespace
}  // namespace lipkin::test
