// Materials without a friction of their own: the geometric mean with theirs leaves none to what they touch.
#include <fmt/format.h>

#include <algorithm>

#include "model/model_compiler.hpp"
#include "model/suspicious_parts.hpp"

namespace lipkin {
namespace {

bool has_friction(const MaterialData& material) {
  return material.law.friction > 0 || material.law.static_friction > 0;
}

bool is_pair(const ModelData& model, int a, int b) {
  return std::any_of(model.material_pairs.begin(), model.material_pairs.end(), [&](const MaterialPairData& pair) {
    return (pair.a == a && pair.b == b) || (pair.a == b && pair.b == a);
  });
}

std::vector<int> shapes_of(const ModelData& model, int material) {
  std::vector<int> shapes;
  for (std::size_t i = 0; i < model.contact_shapes.size(); ++i)
    if (model.contact_shapes[i].material == material) shapes.push_back(static_cast<int>(i));
  return shapes;
}

bool may_touch(const ModelData& model, const std::vector<int>& some, const std::vector<int>& others) {
  const auto link = [&](int shape) { return model.contact_shapes[static_cast<std::size_t>(shape)].link; };
  const auto& filtered = model.filtered_shapes;
  return std::any_of(some.begin(), some.end(), [&](int a) {
    return std::any_of(others.begin(), others.end(), [&](int b) {
      const std::pair<int, int> pair = std::minmax(a, b);
      return link(a) != link(b) && !std::binary_search(filtered.begin(), filtered.end(), pair);
    });
  });
}

// The first material whose friction is lost to this one; none: -1.
int one_that_slides_on(const ModelData& model, int smooth) {
  const std::vector<int> shapes = shapes_of(model, smooth);
  for (std::size_t i = 0; i < model.materials.size(); ++i) {
    const int rough = static_cast<int>(i);
    if (has_friction(model.materials[i]) && !is_pair(model, smooth, rough) &&
        may_touch(model, shapes, shapes_of(model, rough)))
      return rough;
  }
  return -1;
}

}  // namespace

void look_at_frictions(const ModelData& model, const WrittenParts& written, std::vector<Diagnostic>& found) {
  for (std::size_t i = 0; i < model.materials.size(); ++i) {
    const std::string& name = model.materials[i].name;
    if (has_friction(model.materials[i]) || written.materials_with_friction.contains(name)) continue;
    const int rough = one_that_slides_on(model, static_cast<int>(i));
    if (rough < 0) continue;
    const MaterialData& other = model.materials[static_cast<std::size_t>(rough)];
    const double mu = std::max(other.law.friction, other.law.static_friction);
    found.push_back(suspicion(
        model.parts->materials[i].where,
        fmt::format("material '{}' has no friction: '{}', which has {:g}, slides on it without any", name, other.name,
                    mu),
        fmt::format("two materials have the geometric mean of their frictions: write friction: {:g} for {} too, or "
                    "friction: 0 if it is meant",
                    mu, name)));
  }
}

}  // namespace lipkin
