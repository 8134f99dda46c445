#include "io/mjcf/mjcf_contact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace lipkin {
namespace {

// Friction of each pair of materials is given; beyond so many of them, only of those that differ most.
constexpr std::size_t kMostMaterials = 200;
constexpr std::size_t kMostGroups = 200;

// What condim leaves of the three frictions.
Eigen::Vector3d effective(const Eigen::Vector3d& friction, long condim) {
  return {condim >= 3 ? friction.x() : 0, condim >= 4 ? friction.y() : 0, condim >= 6 ? friction.z() : 0};
}

}  // namespace

void MjcfContacts::read(const ElementReader& root, MjcfModel& model) {
  for (const ElementReader& contact : root.children("contact")) {
    for (const ElementReader& pair : contact.children("pair")) read_pair(pair, model);
    for (const ElementReader& exclude : contact.children("exclude")) {
      exclude.text("name");
      const int a = find_named(exclude, "body1", exclude.required_text("body1"), model.body_index, "body");
      const int b = find_named(exclude, "body2", exclude.required_text("body2"), model.body_index, "body");
      if (a >= 0 && b >= 0 && a != b) exclusions_.push_back({a, b, exclude.where()});
    }
  }
}

void MjcfContacts::read_pair(const ElementReader& reader, MjcfModel& model) {
  const MjcfElement element = model.defaults.with_defaults(reader, "");
  reader.text("name");
  Pair pair;
  pair.a = find_named(reader, "geom1", reader.required_text("geom1"), model.geom_index, "geom");
  pair.b = find_named(reader, "geom2", reader.required_text("geom2"), model.geom_index, "geom");
  pair.where = reader.where();
  if (pair.a < 0 || pair.b < 0 || pair.a == pair.b) return;
  const std::optional<long> condim = element.optional_integer("condim");
  const std::vector<double> friction = element.numbers("friction", {1, 5});
  if (condim || !friction.empty()) {
    Roughness roughness;
    roughness.friction = {1, 0.005, 0.0001};
    roughness.condim = condim.value_or(3);
    if (!friction.empty()) roughness.friction[0] = std::max(0.0, friction[0]);
    if (friction.size() > 2) roughness.friction[1] = std::max(0.0, friction[2]);
    if (friction.size() > 3) roughness.friction[2] = std::max(0.0, friction[3]);
    if (friction.size() > 1 && friction[1] != friction[0])
      reader.note_loss("friction", Treatment::kApproximated,
                       "the first of two sliding frictions is used in both directions");
    pair.roughness = roughness;
  }
  const auto index = static_cast<int>(pairs_.size());
  at(model.geoms, pair.a).pairs.push_back(index);
  at(model.geoms, pair.b).pairs.push_back(index);
  pairs_.push_back(std::move(pair));
}

void MjcfContacts::add(const MjcfModel& model, bool is_on, bool filters_parents, ModelImport& import) {
  materials_.assign(model.geoms.size(), "");
  groups_.assign(model.geoms.size(), "");
  if (!is_on) return;
  add_materials(model, import);
  add_groups(model, import);
  add_body_filters(model, filters_parents, import);
}

// The rougher of the two in each direction, unless one has priority.
MjcfContacts::Roughness MjcfContacts::together(const Roughness& a, const Roughness& b) {
  if (a.priority != b.priority) return a.priority > b.priority ? a : b;
  Roughness both = a;
  both.friction = a.friction.cwiseMax(b.friction);
  both.condim = std::max(a.condim, b.condim);
  return both;
}

void MjcfContacts::add_materials(const MjcfModel& model, ModelImport& import) {
  std::vector<Roughness> all;
  std::map<decltype(Roughness().key()), std::size_t> index;
  for (std::size_t g = 0; g < model.geoms.size(); ++g) {
    const MjcfGeom& geom = model.geoms[g];
    if (!geom.may_touch()) continue;
    const bool is_alone =
        std::any_of(geom.pairs.begin(), geom.pairs.end(), [&](int p) { return at(pairs_, p).roughness.has_value(); });
    Roughness own{geom.friction, geom.condim, geom.priority, is_alone ? static_cast<int>(g) : -1};
    const auto [known, is_new] = index.emplace(own.key(), all.size());
    if (is_new) all.push_back(own);
    materials_[g] = fmt::format("surface_{}", known->second);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Eigen::Vector3d friction = effective(all[i].friction, all[i].condim);
    MaterialSpec material;
    material.name = fmt::format("surface_{}", i);
    material.friction = friction.x();
    material.spinning_friction = friction.y();
    material.rolling_friction = friction.z();
    import.builder.add(std::move(material));
  }
  std::map<std::pair<std::string, std::string>, Roughness> of_pairs;
  for (const Pair& pair : pairs_)
    if (pair.roughness) {
      of_pairs[{at(materials_, pair.a), at(materials_, pair.b)}] = *pair.roughness;
      of_pairs[{at(materials_, pair.b), at(materials_, pair.a)}] = *pair.roughness;
    }
  if (all.size() > kMostMaterials)
    import.diagnostics.warning({import.shown_name},
                               fmt::format("more than {} kinds of surfaces: pairs of them get the geometric mean of "
                                           "their frictions",
                                           kMostMaterials));
  for (std::size_t i = 0; i < all.size() && all.size() <= kMostMaterials; ++i) {
    for (std::size_t k = i + 1; k < all.size(); ++k) {
      MaterialPairSpec spec;
      spec.a = fmt::format("surface_{}", i);
      spec.b = fmt::format("surface_{}", k);
      const auto given = of_pairs.find({spec.a, spec.b});
      const Roughness both = given != of_pairs.end() ? given->second : together(all[i], all[k]);
      const Eigen::Vector3d friction = effective(both.friction, both.condim);
      spec.friction = friction.x();
      spec.spinning_friction = friction.y();
      spec.rolling_friction = friction.z();
      import.builder.add(std::move(spec));
    }
  }
}

bool MjcfContacts::touch(const Group& a, const Group& b) const {
  if ((a.type & b.affinity) != 0 || (b.type & a.affinity) != 0) return true;
  return std::any_of(pairs_.begin(), pairs_.end(), [&](const Pair& pair) {
    return (pair.a == a.pair_geom && pair.b == b.pair_geom) || (pair.a == b.pair_geom && pair.b == a.pair_geom);
  });
}

void MjcfContacts::add_groups(const MjcfModel& model, ModelImport& import) {
  std::vector<Group> all;
  std::map<std::tuple<long, long, int>, std::size_t> index;
  for (std::size_t g = 0; g < model.geoms.size(); ++g) {
    const MjcfGeom& geom = model.geoms[g];
    if (!geom.may_touch()) continue;
    const int alone = geom.pairs.empty() ? -1 : static_cast<int>(g);
    const auto [known, is_new] = index.emplace(std::tuple(geom.contact_type, geom.contact_affinity, alone), all.size());
    if (is_new) {
      Group group{geom.contact_type, geom.contact_affinity, alone,
                  fmt::format("contype_{}_conaffinity_{}", geom.contact_type, geom.contact_affinity)};
      if (alone >= 0) group.name += fmt::format("_geom_{}", g);
      all.push_back(std::move(group));
    }
    groups_[g] = all[known->second].name;
  }
  if (all.size() > kMostGroups)
    return import.diagnostics.error(
        {import.shown_name}, fmt::format("there are {} kinds of contype, conaffinity and geoms in contact pairs: "
                                         "at most {} are supported",
                                         all.size(), kMostGroups));
  all_groups_ = std::move(all);
}

void MjcfContacts::add_group_filters(const std::set<std::string>& in_use, ModelImport& import) const {
  for (std::size_t i = 0; i < all_groups_.size(); ++i) {
    for (std::size_t k = i; k < all_groups_.size(); ++k) {
      const Group &a = all_groups_[i], &b = all_groups_[k];
      if (in_use.contains(a.name) && in_use.contains(b.name) && !touch(a, b))
        import.builder.add(ContactFilterSpec{{}, {}, a.name, b.name, {}});
    }
  }
}

// Bodies of one joint do not touch: the builder sees to that where no massless bodies of a chain are between them. The
// world's own shapes touch what hangs on the world.
void MjcfContacts::add_body_filters(const MjcfModel& model, bool filters_parents, ModelImport& import) const {
  std::vector<std::vector<int>> fixed_to(model.bodies.size());  // bodies that move together, by the first of them
  std::vector<int> first(model.bodies.size(), 0);
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const MjcfBody& body = model.bodies[b];
    first[b] = body.joints.empty() ? at(first, body.parent) : static_cast<int>(b);
    at(fixed_to, first[b]).push_back(static_cast<int>(b));
  }
  std::set<std::pair<int, int>> done;
  const auto filter = [&](int a, int b, const SourceLocation& where) {
    if (!done.emplace(std::min(a, b), std::max(a, b)).second) return;
    import.builder.add(ContactFilterSpec{at(model.bodies, a).name, at(model.bodies, b).name, {}, {}, where});
  };
  for (std::size_t b = 1; filters_parents && b < model.bodies.size(); ++b) {
    const MjcfBody& body = model.bodies[b];
    if (body.joints.size() < 2 || at(first, body.parent) == 0) continue;
    for (const int a : at(fixed_to, at(first, body.parent)))
      for (const int c : at(fixed_to, static_cast<int>(b)))
        if (!at(model.bodies, a).geoms.empty() && !at(model.bodies, c).geoms.empty()) filter(a, c, body.where);
  }
  for (const Exclusion& each : exclusions_) filter(each.a, each.b, each.where);
}

}  // namespace lipkin
