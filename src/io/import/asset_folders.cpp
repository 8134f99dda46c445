#include "io/import/asset_folders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "io/xml/xml_document.hpp"

namespace lipkin {
namespace {

namespace fs = std::filesystem;

constexpr int kHighestParent = 12;  // folders above a model that are looked at

fs::path canonical_or_same(const fs::path& path) {
  std::error_code error;
  fs::path canonical = fs::weakly_canonical(path, error);
  return error ? path : canonical;
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::vector<fs::path> folders_in_variable(const char* name) {
  std::vector<fs::path> folders;
  const char* value = std::getenv(name);
  for (std::string_view rest = value ? value : ""; !rest.empty();) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return folders;
}

// The folder and those above it, nearest first.
std::vector<fs::path> with_parents(fs::path folder) {
  std::vector<fs::path> all;
  for (int i = 0; i < kHighestParent && folder.has_relative_path(); ++i, folder = folder.parent_path())
    all.push_back(folder);
  return all;
}

std::string text_of(const std::vector<fs::path>& folders) {
  constexpr std::size_t kMostShown = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(folders.size(), kMostShown); ++i)
    text += (i > 0 ? ", " : "") + folders[i].string();
  return folders.size() > kMostShown ? text + ", ..." : text;
}

}  // namespace

bool is_inside(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

AssetFolders::AssetFolders(const fs::path& model_file, std::vector<fs::path> given) : given_(std::move(given)) {
  model_folder_ = canonical_or_same(fs::absolute(model_file)).parent_path();
  for (fs::path& folder : given_) folder = canonical_or_same(fs::absolute(folder));
  allowed_ = {model_folder_};
  allowed_.insert(allowed_.end(), given_.begin(), given_.end());
  for (const fs::path& folder : with_parents(model_folder_)) {
    if (!is_there(folder / "package.xml")) continue;
    allowed_.push_back(folder);
    break;
  }
}

bool AssetFolders::is_allowed(const fs::path& canonical) const {
  return std::any_of(allowed_.begin(), allowed_.end(),
                     [&](const fs::path& folder) { return is_inside(canonical, folder); });
}

std::vector<fs::path> AssetFolders::package_folders(const std::string& name) const {
  std::vector<fs::path> folders;
  const auto consider = [&](const fs::path& folder) {
    if (folder.filename() == name) folders.push_back(folder);
    folders.push_back(folder / name);
  };
  for (const fs::path& folder : given_) consider(folder);
  for (const fs::path& folder : folders_in_variable("ROS_PACKAGE_PATH")) consider(folder);
  for (const fs::path& folder : folders_in_variable("AMENT_PREFIX_PATH")) folders.push_back(folder / "share" / name);
  folders.push_back(model_folder_ / name);
  for (const fs::path& folder : with_parents(model_folder_)) {
    if (folder.filename() == name) folders.push_back(folder);
    if (is_there(folder / name / "package.xml")) folders.push_back(folder / name);
  }
  return folders;
}

AssetFolders::Found AssetFolders::find_in(const std::vector<fs::path>& folders, const std::string& rest,
                                          const std::vector<fs::path>& allowed) const {
  bool leaves = false;
  for (const fs::path& folder : folders) {
    const fs::path canonical = canonical_or_same(folder / rest);
    const bool is_within = std::any_of(allowed.begin(), allowed.end(),
                                       [&](const fs::path& a) { return is_inside(canonical, canonical_or_same(a)); });
    leaves = leaves || !is_within;
    std::error_code error;
    if (is_within && fs::is_regular_file(canonical, error)) return {canonical, {}, false};
  }
  if (leaves) return {{}, "it lies outside the folders that a model may read (see --package-path); not read", true};
  return {{}, fmt::format("it was not found in {}", text_of(folders)), false};
}

AssetFolders::Found AssetFolders::find(const std::string& written) const {
  std::string name = written;
  std::replace(name.begin(), name.end(), '\\', '/');
  const std::size_t scheme_end = name.find("://");
  const std::string scheme = scheme_end == std::string::npos ? "" : name.substr(0, scheme_end);
  const std::string rest = scheme.empty() ? name : name.substr(scheme_end + 3);
  if (rest.empty()) return {{}, "it names no file", true};
  if (scheme == "package" || scheme == "model") {
    const std::size_t slash = rest.find('/');
    const std::string package = rest.substr(0, slash);
    if (slash == std::string::npos || package.empty() || package == "." || package == "..")
      return {{}, "it names no file of a package", true};
    const std::vector<fs::path> folders = package_folders(package);
    return find_in(folders, rest.substr(slash + 1), folders);
  }
  if (!scheme.empty() && scheme != "file")
    return {{}, fmt::format("'{}://' is a network address or unknown; nothing is fetched", shortened(scheme)), true};
  std::vector<fs::path> folders = {model_folder_};
  folders.insert(folders.end(), given_.begin(), given_.end());
  return find_in(folders, rest, allowed_);
}

}  // namespace lipkin
