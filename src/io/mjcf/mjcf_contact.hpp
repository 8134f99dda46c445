// Which geoms touch which, and how rough they are.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "io/import/model_import.hpp"
#include "io/mjcf/mjcf_model.hpp"

namespace lipkin {

// contype and conaffinity become contact groups, friction with condim and priority become materials, both as few as
// there are different ones.
class MjcfContacts {
 public:
  // Reads <contact>; marks the geoms of its pairs.
  void read(const ElementReader& root, MjcfModel& model);

  // After read(): materials, groups and filters. `is_on`: the option flag of contacts.
  void add(const MjcfModel& model, bool is_on, bool filters_parents, ModelImport& import);

  // After the shapes: filters of the groups that any is in. A mesh that cannot be read may leave a group empty.
  void add_group_filters(const std::set<std::string>& in_use, ModelImport& import) const;

  // Empty for what touches nothing.
  const std::string& material_of(int geom) const { return at(materials_, geom); }
  const std::string& group_of(int geom) const { return at(groups_, geom); }

 private:
  struct Roughness {
    Eigen::Vector3d friction{0, 0, 0};  // sliding [-], spinning [m], rolling [m]
    long condim = 3, priority = 0;
    int pair = -1;  // one geom alone: friction of a pair of its own

    auto key() const { return std::tuple(friction.x(), friction.y(), friction.z(), condim, priority, pair); }
  };
  struct Pair {
    int a = -1, b = -1;
    std::optional<Roughness> roughness;
    SourceLocation where;
  };
  struct Group {
    long type = 0, affinity = 0;
    int pair_geom = -1;  // a geom of pairs is a group of its own
    std::string name;
  };

  void read_pair(const ElementReader& reader, MjcfModel& model);
  void add_materials(const MjcfModel& model, ModelImport& import);
  void add_groups(const MjcfModel& model, ModelImport& import);
  void add_body_filters(const MjcfModel& model, bool filters_parents, ModelImport& import) const;
  bool touch(const Group& a, const Group& b) const;
  static Roughness together(const Roughness& a, const Roughness& b);

  std::vector<std::string> materials_, groups_;  // by geom
  std::vector<Group> all_groups_;
  std::vector<Pair> pairs_;
  struct Exclusion {
    int a, b;
    SourceLocation where;
  };
  std::vector<Exclusion> exclusions_;
};

}  // namespace lipkin
