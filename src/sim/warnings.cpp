#include "lipkin/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "collision/shape_gaps.hpp"
#include "lipkin/dynamics.hpp"
#include "model/eigen_convert.hpp"
#include "model/model_compiler.hpp"
#include "model/model_suspicions.hpp"
#include "sim/loop_warnings.hpp"
#include "sim/signal_warnings.hpp"
#include "sim/step_warnings.hpp"

namespace lipkin {
namespace {

// Less is the rounding of who computed where things touch, or a pile that has settled.
constexpr double kSmallPart = 0.05;  // of the smallest edge of either shape
constexpr double kVisible = 1e-3;    // of the largest edge of the smaller shape: discs may be as thin as paper

struct Overlap {
  double depth = 0;  // [m]
  int shape_a = 0, shape_b = 0;
  Vec3<double> normal;  // from a to b
};

std::vector<Transform<double>> link_poses(const Simulation& simulation) {
  const ModelData& model = simulation.model().data();
  std::vector<Transform<double>> X_WL(model.links.size(), Transform<double>::identity());
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const BodyData& body = model.bodies[i];
    if (body.link > 0)
      X_WL[body.link] = from_eigen(simulation.body_motion(static_cast<int>(i)).pose) * inverse(body.X_LB);
  }
  return X_WL;
}

bool is_deep(const ModelData& model, const Overlap& overlap) {
  const auto of = [&](int shape) { return extent(model.contact_shapes[static_cast<std::size_t>(shape)].geometry); };
  const ShapeExtent a = of(overlap.shape_a), b = of(overlap.shape_b);
  return overlap.depth > kSmallPart * std::min(a.smallest, b.smallest) &&
         overlap.depth > kVisible * std::min(a.largest, b.largest);
}

// The deepest overlap of each pair of bodies.
std::map<std::pair<int, int>, Overlap> overlaps(const Simulation& simulation) {
  const ModelData& model = simulation.model().data();
  ShapeGaps gaps(model);
  std::map<std::pair<int, int>, Overlap> deepest;
  for (const ContactPoint& point : gaps.touching(model, link_poses(simulation).data())) {
    const auto body = [&](int shape) { return model.contact_shapes[static_cast<std::size_t>(shape)].body; };
    Overlap& known = deepest[std::minmax(body(point.shape_a), body(point.shape_b))];
    if (-point.gap > known.depth) known = {-point.gap, point.shape_a, point.shape_b, point.normal};
  }
  return deepest;
}

// "0.1 m along z": for the second of two shapes, or the first.
std::string way_out(const Overlap& overlap, bool moves_b) {
  constexpr double kAligned = 1 - 1e-9;
  const Vec3<double> way = (moves_b ? 1.0 : -1.0) * overlap.normal;
  for (int k = 0; k < 3; ++k)
    if (std::abs(way[k]) > kAligned)
      return fmt::format("{:.3g} m along {}{}", overlap.depth, way[k] < 0 ? "-" : "", "xyz"[k]);
  return fmt::format("{:.3g} m along [{:.2f}, {:.2f}, {:.2f}]", overlap.depth, way[0], way[1], way[2]);
}

// The joint that carries a body, as the scene gives it.
const JointSpec& carrier_of(const ModelData& model, const BodyData& body) {
  return model.parts->joints[static_cast<std::size_t>(body.carrier)];
}

// A quaternion that the reader of the scene takes for one with w last: what it causes is not told again.
bool may_have_w_last(const JointSpec& joint) {
  const Eigen::Quaterniond& turn = joint.frame_in_parent.orientation;
  if (turn.w() == 0 && turn.z() > 0) return true;
  const bool is_free = joint.type == JointType::kFree && joint.q.size() == 7;
  return is_free && joint.q[3] == 0 && joint.q[6] > 0;
}

}  // namespace

std::vector<Diagnostic> start_warnings(const Simulation& simulation) {
  const ModelData& model = simulation.model().data();
  std::vector<Diagnostic> warnings;
  warn_of_loops(simulation, warnings);
  warn_of_long_steps(simulation, warnings);
  warn_of_unseen_signals(simulation, warnings);
  if (model.contact_shapes.empty()) return warnings;
  for (const auto& [bodies, overlap] : overlaps(simulation)) {
    if (!is_deep(model, overlap)) continue;
    const BodyData& moving = model.bodies[static_cast<std::size_t>(bodies.second)];
    const JointSpec& carrier = carrier_of(model, moving);
    if (may_have_w_last(carrier)) continue;
    const bool moves_b = model.contact_shapes[static_cast<std::size_t>(overlap.shape_b)].body == bodies.second;
    const std::string other =
        bodies.first < 0 ? "the world" : fmt::format("'{}'", model.bodies[static_cast<std::size_t>(bodies.first)].name);
    warnings.push_back(
        {carrier.where.line > 0 ? carrier.where : moving.shapes[0].where,
         fmt::format("body '{}' begins {:.3g} m deep in {}", moving.name, overlap.depth, other),
         fmt::format("move it by {}, or farther: contact pushes them out of each other", way_out(overlap, moves_b)),
         Severity::kWarning});
  }
  return warnings;
}

SourceLocation place_of_output(const Model& model, int output) {
  const std::vector<OutputSpec>& outputs = model.data().parts->outputs;
  return static_cast<std::size_t>(output) < outputs.size() ? outputs[static_cast<std::size_t>(output)].where
                                                           : SourceLocation();
}

}  // namespace lipkin
