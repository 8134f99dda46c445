// Materials, the shapes that touch, and the pairs of them that do not.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/nearest_name.hpp"
#include "model/eigen_convert.hpp"
#include "model/model_compiler.hpp"

namespace lipkin {

namespace {

constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();

// The fields of a contact law, with the name and the largest value of each; all are at least zero.
struct LawField {
  const char* name;
  double ContactLaw::*value;
  double maximum = kInfinity;
};
constexpr LawField kLawFields[] = {{"friction", &ContactLaw::friction},
                                   {"static_friction", &ContactLaw::static_friction},
                                   {"rolling_friction", &ContactLaw::rolling_friction},
                                   {"spinning_friction", &ContactLaw::spinning_friction},
                                   {"restitution", &ContactLaw::restitution, 1},
                                   {"stiffness", &ContactLaw::stiffness},
                                   {"exponent", &ContactLaw::exponent},
                                   {"damping", &ContactLaw::damping},
                                   {"linear_damping", &ContactLaw::linear_damping}};

// What is wrong with a law, naming the field; empty where all is well. Values that are not given pass.
std::string mistake_in(const ContactLaw& law) {
  for (const LawField& field : kLawFields) {
    const double x = law.*field.value;
    if (std::isnan(x) || (x >= 0 && x <= field.maximum && std::isfinite(x))) continue;
    return field.maximum == 1 ? fmt::format("{} is {}; expected a number from 0 to 1", field.name, x)
                              : fmt::format("{} is {}; expected a number >= 0", field.name, x);
  }
  return law.exponent == 0 ? "exponent is 0; expected a number > 0" : "";
}

ContactLaw law_of(const MaterialSpec& m) {
  return {m.friction,  m.static_friction, m.rolling_friction, m.spinning_friction, m.restitution,
          m.stiffness, m.exponent,        m.damping,          m.linear_damping};
}

ContactLaw law_of(const MaterialPairSpec& p) {
  return {p.friction.value_or(kNotGiven),         p.static_friction.value_or(kNotGiven),
          p.rolling_friction.value_or(kNotGiven), p.spinning_friction.value_or(kNotGiven),
          p.restitution.value_or(kNotGiven),      p.stiffness.value_or(kNotGiven),
          p.exponent.value_or(kNotGiven),         p.damping.value_or(kNotGiven),
          p.linear_damping.value_or(kNotGiven)};
}

ContactLaw combined(const ContactLaw& a, const ContactLaw& b) {
  ContactLaw c;
  c.friction = std::sqrt(a.friction * b.friction);
  c.static_friction = std::sqrt(std::max(a.friction, a.static_friction) * std::max(b.friction, b.static_friction));
  c.rolling_friction = std::sqrt(a.rolling_friction * b.rolling_friction);
  c.spinning_friction = std::sqrt(a.spinning_friction * b.spinning_friction);
  c.restitution = std::max(a.restitution, b.restitution);
  const bool both = a.stiffness > 0 && b.stiffness > 0;
  c.stiffness = both ? std::sqrt(a.stiffness * b.stiffness) : std::max(a.stiffness, b.stiffness);
  c.exponent = std::max(a.exponent, b.exponent);
  c.damping = std::max(a.damping, b.damping);
  c.linear_damping = std::max(a.linear_damping, b.linear_damping);
  return c;
}

// More pairs than this are a mistake of a scene rather than something to keep in memory.
constexpr std::size_t kMaxFilteredPairs = 20'000'000;

void add_pairs(const std::vector<int>& a, const std::vector<int>& b, std::vector<std::pair<int, int>>& pairs) {
  for (int i : a)
    for (int j : b)
      if (i != j) pairs.emplace_back(std::min(i, j), std::max(i, j));
}

}  // namespace

void combine_materials(ModelData& model) {
  const std::size_t n = model.materials.size();
  model.contact_laws.resize(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      model.contact_laws[i * n + j] =
          i == j ? model.materials[i].law : combined(model.materials[i].law, model.materials[j].law);
  for (const MaterialPairData& pair : model.material_pairs) {
    if (!std::isnan(pair.law.friction))  // what is given for a pair leaves nothing of the materials' own
      model.contact_laws[pair.a * n + pair.b].static_friction =
          model.contact_laws[pair.b * n + pair.a].static_friction = 0;
    for (const LawField& field : kLawFields) {
      const double given = pair.law.*field.value;
      if (std::isnan(given)) continue;
      model.contact_laws[pair.a * n + pair.b].*field.value = given;
      model.contact_laws[pair.b * n + pair.a].*field.value = given;
    }
  }
  for (ContactLaw& law : model.contact_laws) law.static_friction = std::max(law.friction, law.static_friction);
}

int ModelCompiler::find_material(const std::string& name, const std::string& owner, const SourceLocation& where) {
  const auto found = material_index_.find(name);
  if (found != material_index_.end()) return found->second;
  const std::vector<std::string> known = names_of(material_index_);
  constexpr std::size_t kMost = 8;
  std::string hint = did_you_mean(name, known);
  if (hint.empty() && known.empty()) hint = fmt::format("define it: materials: {{{}: {{friction: 0.5}}}}", name);
  if (hint.empty() && known.size() <= kMost) hint = fmt::format("the materials are {}", fmt::join(known, ", "));
  error(where, fmt::format("{}: there is no material '{}'", owner, name), hint);
  return -1;
}

void ModelCompiler::build_materials() {
  for (const MaterialSpec& spec : parts_.materials) {
    const ContactLaw law = law_of(spec);
    std::string mistake = mistake_in(law);
    for (const LawField& field : kLawFields)
      if (std::isnan(law.*field.value)) mistake = fmt::format("{} is not a number", field.name);
    require(mistake.empty(), spec.where, fmt::format("material '{}': {}", spec.name, mistake));
    data_->materials.push_back({spec.name, law});
  }
  build_material_pairs();
  combine_materials(*data_);
}

void ModelCompiler::build_material_pairs() {
  std::set<std::pair<int, int>> seen;
  for (const MaterialPairSpec& spec : parts_.material_pairs) {
    const std::string owner = fmt::format("material pair '{}', '{}'", spec.a, spec.b);
    const int a = find_material(spec.a, owner, spec.where), b = find_material(spec.b, owner, spec.where);
    const ContactLaw law = law_of(spec);
    const std::string mistake = mistake_in(law);
    require(mistake.empty(), spec.where, owner + ": " + mistake);
    if (a < 0 || b < 0) continue;
    require(seen.emplace(std::min(a, b), std::max(a, b)).second, spec.where, owner + " is given twice");
    data_->material_pairs.push_back({a, b, law});
  }
}

void ModelCompiler::add_contact_shape(const ShapeSpec& shape, int body, const std::string& owner) {
  if (shape.contact.empty()) {
    if (!shape.group.empty())
      warn(shape.where,
           fmt::format("{}: a shape of group '{}' has no contact material and touches nothing", owner, shape.group));
    return;
  }
  const int material = find_material(shape.contact, owner, shape.where);
  const int link = body < 0 ? 0 : data_->bodies[body].link;
  const Transform<double> X_LB = body < 0 ? Transform<double>::identity() : data_->bodies[body].X_LB;
  data_->contact_shapes.push_back({body, link, X_LB * from_eigen(shape.pose), shape.geometry, material});
  contact_shapes_.push_back(&shape);
}

void ModelCompiler::build_contact_shapes() {
  data_->world_shapes = parts_.world_shapes;
  for (const ShapeSpec& shape : parts_.world_shapes) add_contact_shape(shape, -1, "the world");
  for (std::size_t b = 0; b < parts_.bodies.size(); ++b)
    for (const ShapeSpec& shape : parts_.bodies[b].shapes)
      add_contact_shape(shape, static_cast<int>(b), fmt::format("body '{}'", parts_.bodies[b].name));
}

// What a joint holds together never touches: the shapes of the two links. Of what is fixed to the world only the body
// that the joint names: a robot's foot may touch the wall that its base stands on.
void ModelCompiler::filter_joined(std::vector<std::pair<int, int>>& pairs) const {
  const ModelData& m = *data_;
  std::vector<std::vector<int>> of_body(m.bodies.size()), of_link(m.links.size());
  for (std::size_t i = 0; i < m.contact_shapes.size(); ++i) {
    const ContactShapeData& shape = m.contact_shapes[i];
    if (shape.body >= 0) of_body[shape.body].push_back(static_cast<int>(i));
    if (shape.link > 0) of_link[shape.link].push_back(static_cast<int>(i));
  }
  const auto shapes_of = [&](int body) -> const std::vector<int>& {
    return m.bodies[body].link == 0 ? of_body[body] : of_link[m.bodies[body].link];
  };
  for (const JointData& joint : m.joints) {
    if (joint.parent < 0 || joint.type == JointType::kFree) continue;
    if (m.bodies[joint.parent].link == m.bodies[joint.child].link) continue;
    add_pairs(shapes_of(joint.parent), shapes_of(joint.child), pairs);
  }
}

// The contact shapes of a body or the world, or of a group; both sides of a filter are looked up the same way.
std::vector<int> ModelCompiler::filtered_side(const ContactFilterSpec& spec, const std::string& body,
                                              const std::string& group) {
  std::vector<int> shapes;
  const std::string owner = "contact filter";
  const int wanted = body.empty() ? -1 : find_body(body, owner, spec.where);
  std::set<std::string> groups;
  for (std::size_t i = 0; i < contact_shapes_.size(); ++i) {
    groups.insert(contact_shapes_[i]->group);
    const bool match = body.empty() ? contact_shapes_[i]->group == group : data_->contact_shapes[i].body == wanted;
    if (match) shapes.push_back(static_cast<int>(i));
  }
  if (body.empty() && shapes.empty())
    error(spec.where, fmt::format("{}: no shape with a contact material is in group '{}'", owner, group),
          did_you_mean(group, std::vector<std::string>(groups.begin(), groups.end())));
  return shapes;
}

void ModelCompiler::build_contact_filters() {
  std::vector<std::pair<int, int>> pairs;
  if (!failed()) filter_joined(pairs);
  for (const ContactFilterSpec& spec : parts_.contact_filters) {
    const bool bodies = !spec.body_a.empty() && !spec.body_b.empty();
    const bool groups = !spec.group_a.empty() && !spec.group_b.empty();
    const bool other =
        bodies ? !spec.group_a.empty() || !spec.group_b.empty() : !spec.body_a.empty() || !spec.body_b.empty();
    if (bodies == groups || other) {
      error(spec.where, "a contact filter needs two bodies or two groups");
      continue;
    }
    const std::vector<int> a = filtered_side(spec, spec.body_a, spec.group_a);
    const std::vector<int> b = filtered_side(spec, spec.body_b, spec.group_b);
    if (a.size() * b.size() > kMaxFilteredPairs) {
      error(spec.where, fmt::format("a contact filter excludes {} pairs of shapes; expected at most {}",
                                    a.size() * b.size(), kMaxFilteredPairs));
      continue;
    }
    add_pairs(a, b, pairs);
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::erase_if(pairs, [this](const std::pair<int, int>& p) {
    return data_->contact_shapes[p.first].link == data_->contact_shapes[p.second].link;
  });
  data_->filtered_shapes = std::move(pairs);
}

}  // namespace lipkin
