// Where the files that a model names may lie, and what is never opened.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lipkin {

// The folders a model may read from: its own, the ROS package around it (the nearest folder above with a package.xml),
// the folders the user gives, and for package://NAME/... the package of that name, looked for in the folders given, in
// ROS_PACKAGE_PATH, in AMENT_PREFIX_PATH, in the model's folder and in those above it. A folder above counts only if
// the model lies in it and it has the package's name, or if it holds a folder of that name with a package.xml.
class AssetFolders {
 public:
  AssetFolders(const std::filesystem::path& model_file, std::vector<std::filesystem::path> given);

  struct Found {
    std::filesystem::path path;  // canonical; empty where there is none
    std::string problem;         // why not, ready for a message
    bool is_refused = false;     // it may not be opened, whether it exists or not
  };

  // A file as a model names it: a relative path, package://..., file://... . Links are followed before the answer.
  Found find(const std::string& written) const;

  // The canonical path of something inside the folder of `file` or what is allowed; for files that a file includes.
  bool is_allowed(const std::filesystem::path& canonical) const;

 private:
  std::vector<std::filesystem::path> package_folders(const std::string& name) const;
  Found find_in(const std::vector<std::filesystem::path>& folders, const std::string& rest,
                const std::vector<std::filesystem::path>& allowed) const;

  std::filesystem::path model_folder_;
  std::vector<std::filesystem::path> given_;
  std::vector<std::filesystem::path> allowed_;
};

// Whether a canonical path is the folder or lies below it.
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace lipkin
