// Names as a scene allows them: letters, digits and underscores.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lipkin/error.hpp"

namespace lipkin {

// One kind of thing (bodies, joints, ...), whose names differ from each other.
class SceneNameTable {
 public:
  explicit SceneNameTable(std::string kind) : kind_(std::move(kind)) {}

  // Every name must be added before any is asked for.
  void add(const std::string& name);
  std::string operator()(const std::string& name) const;
  bool has(const std::string& name) const { return written_.contains(name); }

  // One warning for all names that had to change.
  void report(std::vector<Diagnostic>& warnings) const;

 private:
  std::string kind_;
  std::map<std::string, std::string> written_;
  std::set<std::string> taken_;
};

}  // namespace lipkin
