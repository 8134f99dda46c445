// Springs in N/mm: what hangs on nothing else weighs many times what they hold over their whole length.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/model_compiler.hpp"
#include "model/suspicious_parts.hpp"

namespace lipkin {
namespace {

// Springs that let go of a load are seldom meant; those in N/mm are a thousand times too soft.
constexpr double kTimesTooSoft = 50;
constexpr double kAlongGravity = 0.7;  // cosine

bool slides(LinkKind kind) { return kind >= LinkKind::kPrismaticX && kind <= LinkKind::kPrismaticZ; }

// Whether a link of the world moves along gravity with nothing but springs to hold it.
bool hangs_on_springs(const ModelData& model, int index, const Transform<double>& X_WL) {
  const Link& link = model.links[static_cast<std::size_t>(index)];
  if (link.parent != 0 || !(slides(link.kind) || link.kind == LinkKind::kFree)) return false;
  if (slides(link.kind)) {
    const int axis = static_cast<int>(link.kind) - static_cast<int>(LinkKind::kPrismaticX);
    const bool is_upright = std::abs(dot(X_WL.R.column(axis), model.gravity)) > kAlongGravity * norm(model.gravity);
    if (!is_upright || model.stiffness[static_cast<std::size_t>(link.u_index)] > 0) return false;
  }
  const std::vector<bool> is_part = subtree_of(model, index);
  const auto holds = [&](int other) { return is_part[static_cast<std::size_t>(other)]; };
  const auto any = [](const auto& items, const auto& holding) {
    return std::any_of(items.begin(), items.end(), holding);
  };
  const auto is_own = [&](const DofRef& dof) { return dof.u_index == link.u_index || !dof.is_in_tree(); };
  return model.tendons.empty() && model.tyres.empty() && model.gears.empty() &&
         !any(model.contact_shapes, [&](const ContactShapeData& s) { return holds(s.link); }) &&
         !any(model.closures, [&](const ClosureData& c) { return holds(c.link_a) || holds(c.link_b); }) &&
         !any(model.distances, [&](const DistanceData& d) { return holds(d.a.link) || holds(d.b.link); }) &&
         !any(model.bushings, [&](const BushingData& b) { return holds(b.link_a) || holds(b.link_b); }) &&
         !any(model.body_forces, [&](const BodyForceData& f) { return holds(f.at.link); }) &&
         !any(model.actuators, [](const ActuatorData&) { return true; }) &&
         !any(model.limits, [&](const LimitData& limit) { return is_own(limit.dof); }) &&
         !any(model.motors, [&](const MotorData& motor) { return is_own(motor.dof); });
}

}  // namespace

void look_at_soft_springs(const ModelData& model, std::vector<Diagnostic>& found) {
  const double g = norm(model.gravity);
  if (!(g > 0) || model.springs.empty()) return;
  const std::vector<Transform<double>> X_WL = link_poses(model, model.initial_q.data());
  for (std::size_t index = 1; index < model.links.size(); ++index) {
    const int link = static_cast<int>(index);
    const SpringDamperData* softest = nullptr;
    double held = 0;  // by all of them over their lengths [N]
    for (const SpringDamperData& spring : model.springs) {
      if (spring.a.link != link && spring.b.link != link) continue;
      const Vec3<double> way = X_WL[static_cast<std::size_t>(spring.b.link)] * spring.b.p_L -
                               X_WL[static_cast<std::size_t>(spring.a.link)] * spring.a.p_L;
      held += spring.stiffness * std::max(norm(way), spring.rest_length);
      const bool is_upright = std::abs(dot(way, model.gravity)) > kAlongGravity * g * norm(way);
      if (is_upright && spring.stiffness > 0 && (!softest || spring.stiffness < softest->stiffness)) softest = &spring;
    }
    if (!softest || !hangs_on_springs(model, link, X_WL[index])) continue;
    const std::vector<bool> is_part = subtree_of(model, link);
    double weight = 0;
    for (std::size_t i = 1; i < model.links.size(); ++i)
      if (is_part[i]) weight += model.rigid_inertia[i].m * g;
    if (!(weight > kTimesTooSoft * held)) continue;
    const auto which = static_cast<std::size_t>(softest - model.springs.data());
    found.push_back(suspicion(
        model.parts->springs[which].where,
        fmt::format("spring '{}' holds what weighs {:.3g} N, and over its whole length no more than {:.3g} N",
                    softest->name, weight, held),
        fmt::format("stiffness is in N/m: {:g} N/mm are {:g}", softest->stiffness, 1000 * softest->stiffness)));
  }
}

}  // namespace lipkin
