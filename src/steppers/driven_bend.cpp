#include "steppers/driven_bend.hpp"

#include <algorithm>
#include <cmath>

#include "forces/link_acceleration.hpp"
#include "model/bilateral_laws.hpp"
#include "model/mechanism_size.hpp"
#include "model/tendon_path.hpp"
#include "steppers/prescribed_step.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

// A body that follows from the drives ends where it does to rounding; steps of first order put others off by a good
// part of what the acceleration changes, times the step.
constexpr double kSame = 0.01;

std::vector<std::uint8_t> driven_clusters(const ModelData& model, const ZLayout& layout) {
  std::vector<std::uint8_t> driven(static_cast<std::size_t>(layout.cluster_count()), 0);
  const auto mark = [&](int link) {
    const int cluster = link > 0 ? layout.cluster_of_link(link) : -1;
    if (cluster >= 0) driven[static_cast<std::size_t>(cluster)] = 1;
  };
  for (const MotorData& motor : model.motors)
    if (is_prescribed(motor))
      visit_parts(
          model, motor.dof, [&](int u_index, double) { mark(layout.link_of_dof(u_index)); }, mark);
  return driven;
}

}  // namespace

DrivenBend::DrivenBend(const ModelData& model, const ZLayout& layout)
    : kinematics_(model), size_(mechanism_size(model)) {
  const std::vector<std::uint8_t> driven = driven_clusters(model, layout);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const int link = model.bodies[i].link, cluster = link > 0 ? layout.cluster_of_link(link) : -1;
    if (cluster >= 0 && driven[static_cast<std::size_t>(cluster)] && model.bodies[i].mass_properties.mass > 0)
      bodies_.push_back({static_cast<int>(i), {}, {}});
  }
}

void DrivenBend::look(const ModelData& model, const State& state, int place) {
  if (bodies_.empty()) return;
  update_kinematics(model, state.q.data(), state.u.data(), kinematics_);
  for (Body& body : bodies_) {
    const int link = model.bodies[body.index].link;
    body.v[place] = point_velocity(kinematics_, link, center_of_body(model, kinematics_, body.index));
    body.w[place] = kinematics_.V_WL[link].w;
  }
}

double DrivenBend::excess(const ModelData& model, double h) const {
  const double least = kLeastAmplitude * norm(model.gravity);
  double worst = 0;
  for (const Body& body : bodies_)
    worst = std::max({worst, excess(h, body.v, least), excess(h, body.w, least / size_)});
  return worst;
}

double DrivenBend::excess(double h, const Vec3<double>* v, double least) const {
  const double third = h / 3;
  const Vec3<double> first = (1 / third) * (v[1] - v[0]), last = (1 / third) * (v[3] - v[2]);
  const double change = norm(last - first), hardest = std::max(norm(first), norm(last));
  if (norm(v[kUndivided] - v[3]) > kSame * h * change) return 0;
  return bend(h, change / (2 * third), hardest, std::max(norm(v[0]), norm(v[3])), least);
}

}  // namespace lipkin
