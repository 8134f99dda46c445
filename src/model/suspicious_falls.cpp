// Bodies that fall for ever, because there is nothing that they can touch or because gravity points up.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <variant>

#include "model/model_compiler.hpp"
#include "model/model_suspicions.hpp"
#include "model/suspicious_parts.hpp"

namespace lipkin {
namespace {

// Free fall through so many of its own sizes is no throw.
constexpr double kFarFall = 100;

}  // namespace

std::vector<bool> subtree_of(const ModelData& model, int link) {
  std::vector<bool> is_part(model.links.size(), false);
  is_part[static_cast<std::size_t>(link)] = true;
  for (std::size_t i = static_cast<std::size_t>(link) + 1; i < model.links.size(); ++i)
    is_part[i] = is_part[static_cast<std::size_t>(model.links[i].parent)];
  return is_part;
}

bool is_acted_on(const ModelData& model, const std::vector<bool>& is_part) {
  const auto part = [&](int link) { return link >= 0 && is_part[static_cast<std::size_t>(link)]; };
  const auto any = [&](const auto& items, const auto& touches) {
    return std::any_of(items.begin(), items.end(), touches);
  };
  return !model.tyres.empty() || !model.tendons.empty() || !model.controllers.empty() ||
         any(model.closures, [&](const ClosureData& c) { return part(c.link_a) || part(c.link_b); }) ||
         any(model.distances, [&](const DistanceData& d) { return part(d.a.link) || part(d.b.link); }) ||
         any(model.springs, [&](const SpringDamperData& s) { return part(s.a.link) || part(s.b.link); }) ||
         any(model.bushings, [&](const BushingData& b) { return part(b.link_a) || part(b.link_b); }) ||
         any(model.body_forces, [&](const BodyForceData& f) { return part(f.at.link); }) ||
         any(model.actuators, [&](const ActuatorData& a) { return part(a.on_body.link); });
}

namespace {

bool has_ground(const ModelData& model) {
  return !model.world_shapes.empty() || std::any_of(model.bodies.begin(), model.bodies.end(), [](const BodyData& body) {
    return body.link == 0 && !body.shapes.empty();
  });
}

// The first shape of the world that was forgotten: with a material it would be what bodies fall onto.
const ShapeSpec* ground_without_contact(const ModelData& model) {
  const auto found = std::find_if(model.world_shapes.begin(), model.world_shapes.end(),
                                  [](const ShapeSpec& shape) { return shape.contact.empty() && shape.group.empty(); });
  return found == model.world_shapes.end() ? nullptr : &*found;
}

// Links that are in free fall, with those that hang on them.
std::vector<bool> falling_links(const ModelData& model) {
  std::vector<bool> falls(model.links.size(), false);
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    const Link& link = model.links[i];
    falls[i] = link.parent == 0
                   ? link.kind == LinkKind::kFree && !is_acted_on(model, subtree_of(model, static_cast<int>(i)))
                   : falls[static_cast<std::size_t>(link.parent)];
  }
  return falls;
}

// Where a shape may be, seen from above.
struct Circle {
  Vec3<double> center;
  double radius = 0;  // [m]
};

double across(const Vec3<double>& v, const Vec3<double>& up) { return norm(v - dot(v, up) * up); }

bool is_prismatic(LinkKind kind) { return kind >= LinkKind::kPrismaticX && kind <= LinkKind::kPrismaticZ; }

bool is_turning(LinkKind kind) { return is_revolute(kind) || kind == LinkKind::kUniversal || kind == LinkKind::kBall; }

// Whatever its joints do; infinite where they slide it away.
Circle reach_of(const ModelData& model, const std::vector<Transform<double>>& X_WL, const ContactShapeData& shape) {
  constexpr double kVertical = 1e-9, kInfinite = std::numeric_limits<double>::infinity();
  std::vector<int> chain;
  for (int link = shape.link; link > 0; link = model.links[static_cast<std::size_t>(link)].parent)
    chain.push_back(link);
  const Vec3<double> center = (X_WL[static_cast<std::size_t>(shape.link)] * shape.X_LS).p;
  Circle circle{center, extent(shape.geometry).largest};
  bool turns = false;
  Vec3<double> last = center;
  for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
    const LinkKind kind = model.links[static_cast<std::size_t>(*at)].kind;
    const Transform<double>& X_WJ = X_WL[static_cast<std::size_t>(*at)];
    if (!turns && is_prismatic(kind)) {
      const Vec3<double> axis = X_WJ.R.column(static_cast<int>(kind) - static_cast<int>(LinkKind::kPrismaticX));
      if (across(axis, model.up) > kVertical) return {center, kInfinite};
      continue;
    }
    if (!is_turning(kind)) return {center, kInfinite};
    if (turns) circle.radius += norm(X_WJ.p - last);
    if (!turns) circle.center = X_WJ.p;
    last = X_WJ.p;
    turns = true;
  }
  circle.radius += norm(center - last);
  return circle;
}

// Whether a falling link, and what hangs on it, may come to lie on anything. With all its speed it goes across.
class Landing {
 public:
  Landing(const ModelData& model, double duration)
      : model_(model),
        duration_(duration),
        X_WL_(link_poses(model, model.initial_q.data())),
        falls_(falling_links(model)) {}

  bool is_possible(const JointData& joint, const std::vector<bool>& is_part) const {
    const auto link = static_cast<std::size_t>(joint.link);
    if (std::count(is_part.begin(), is_part.end(), true) > 1) return true;
    double speed = 0, radius = 0;
    for (int k = 0; k < u_count(joint.type); ++k)
      speed += std::abs(model_.initial_u[static_cast<std::size_t>(joint.u_index + k)]);
    for (const ContactShapeData& shape : model_.contact_shapes)
      if (shape.link == joint.link) radius = std::max(radius, norm(shape.X_LS.p) + extent(shape.geometry).largest);
    return std::any_of(model_.contact_shapes.begin(), model_.contact_shapes.end(), [&](const ContactShapeData& other) {
      if (other.link == 0) return true;
      if (falls_[static_cast<std::size_t>(other.link)]) return false;
      const Circle reach = reach_of(model_, X_WL_, other);
      return across(X_WL_[link].p - reach.center, model_.up) <= reach.radius + radius + speed * duration_;
    });
  }

 private:
  const ModelData& model_;
  double duration_;
  std::vector<Transform<double>> X_WL_;
  std::vector<bool> falls_;
};

// The reason why nothing can touch these links; empty where something may.
std::string untouchable(const ModelData& model, const JointData& joint, const std::vector<bool>& is_part,
                        const std::unique_ptr<Landing>& landing) {
  const auto in_part = [&](const ContactShapeData& shape) { return is_part[static_cast<std::size_t>(shape.link)]; };
  const auto inside = std::count_if(model.contact_shapes.begin(), model.contact_shapes.end(), in_part);
  if (inside == 0) return "its shapes have no 'contact'";
  if (inside == static_cast<std::ptrdiff_t>(model.contact_shapes.size()))
    return "nothing else has a shape with 'contact'";
  if (landing && !landing->is_possible(joint, is_part)) return "nothing with 'contact' is below it";
  return {};
}

// "contact: rubber": what is to be given, with the materials that there are.
std::string contact_to_give(const ModelData& model) {
  constexpr std::size_t kMost = 6;
  std::vector<std::string> names;
  for (const MaterialData& material : model.materials) names.push_back(material.name);
  if (names.size() == 1) return "contact: " + names[0];
  if (names.empty() || names.size() > kMost) return "contact: NAME, with NAME among the materials";
  return fmt::format("contact: NAME, with NAME one of {}", fmt::join(names, ", "));
}

// Whether anything of the world may stop what goes from a place along gravity.
bool has_stop(const ModelData& model, const Vec3<double>& from) {
  return std::any_of(model.contact_shapes.begin(), model.contact_shapes.end(), [&](const ContactShapeData& shape) {
    if (shape.link != 0) return false;
    const bool is_plane = std::holds_alternative<ShapePlane>(shape.geometry);
    return is_plane ? dot(shape.X_LS.R.column(2), model.gravity) < 0 : dot(shape.X_LS.p - from, model.gravity) > 0;
  });
}

// Gravity along z is as good as against it where z points down; then what is free has a ground farther along z.
bool look_for_rise(const ModelData& model, double duration, std::vector<Diagnostic>& found) {
  const Vec3<double>& g = model.gravity;
  if (!(g[2] > std::hypot(g[0], g[1]))) return false;
  const std::vector<Transform<double>> X_WL = link_poses(model, model.initial_q.data());
  const auto rises = [&](const JointData& joint) {
    return joint.type == JointType::kFree && joint.parent < 0 && joint.link >= 0 &&
           !is_acted_on(model, subtree_of(model, joint.link)) &&
           !has_stop(model, X_WL[static_cast<std::size_t>(joint.link)].p);
  };
  const auto joint = std::find_if(model.joints.begin(), model.joints.end(), rises);
  if (joint == model.joints.end()) return false;
  found.push_back(suspicion(
      model.parts->gravity_where,
      fmt::format("gravity points up: body '{}' rises {:.3g} m",
                  model.bodies[static_cast<std::size_t>(joint->child)].name, 0.5 * g[2] * duration * duration),
      fmt::format("z is upward: write gravity: [{:g}, {:g}, {:g}]", g[0], g[1], -g[2])));
  return true;
}

}  // namespace

void look_for_falls(const ModelData& model, double duration, std::vector<Diagnostic>& found) {
  const double g = std::sqrt(dot(model.gravity, model.gravity));
  if (!(g > 0) || look_for_rise(model, duration, found)) return;
  const char* moves = model.gravity[2] > 0 ? "rises" : "falls";
  const bool has_floor = std::any_of(model.contact_shapes.begin(), model.contact_shapes.end(),
                                     [](const ContactShapeData& shape) { return shape.link == 0; });
  const auto landing = has_floor ? nullptr : std::make_unique<Landing>(model, duration);
  for (const JointData& joint : model.joints) {
    if (joint.type != JointType::kFree || joint.parent >= 0 || joint.link < 0) continue;
    const BodyData& body = model.bodies[static_cast<std::size_t>(joint.child)];
    const std::vector<bool> is_part = subtree_of(model, joint.link);
    const bool told = std::any_of(body.shapes.begin(), body.shapes.end(),
                                  [](const ShapeSpec& shape) { return shape.contact.empty() && !shape.group.empty(); });
    const std::string reason = body.shapes.empty() || told ? "" : untouchable(model, joint, is_part, landing);
    const double fall = 0.5 * g * duration * duration;
    if (reason.empty() || is_acted_on(model, is_part)) continue;
    if (!has_ground(model) && fall < kFarFall * largest_extent(body.shapes)) continue;
    const ShapeSpec* ground = ground_without_contact(model);
    const bool has_own = std::any_of(body.shapes.begin(), body.shapes.end(),
                                     [](const ShapeSpec& shape) { return !shape.contact.empty(); });
    const bool at_ground = has_own && ground;
    found.push_back(suspicion(
        at_ground ? ground->where : body.shapes[0].where,
        fmt::format("body '{}' touches nothing and {} {:.3g} m: {}", body.name, moves, fall, reason),
        at_ground ? fmt::format("give this shape, or what else it should touch, {}", contact_to_give(model))
                  : fmt::format("give {}what it should touch {}", has_own ? "" : "it and ", contact_to_give(model))));
  }
}

}  // namespace lipkin
