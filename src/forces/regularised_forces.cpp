#include "forces/regularised_forces.hpp"

#include <fmt/format.h>

#include <set>

#include "forces/evaluate_forces.hpp"
#include "lipkin/error.hpp"

namespace lipkin {

namespace {

const ContactLaw& law_of(const ModelData& model, int shape_a, int shape_b) {
  const int a = model.contact_shapes[shape_a].material, b = model.contact_shapes[shape_b].material;
  return model.contact_laws[a * model.materials.size() + b];
}

// Pairs of materials that can meet: one of the shapes moves.
std::set<std::pair<int, int>> meeting_materials(const ModelData& model) {
  std::set<int> all, moving;
  for (const ContactShapeData& shape : model.contact_shapes) {
    all.insert(shape.material);
    if (shape.link > 0) moving.insert(shape.material);
  }
  std::set<std::pair<int, int>> pairs;
  for (const int a : moving)
    for (const int b : all) pairs.emplace(std::min(a, b), std::max(a, b));
  return pairs;
}

void check_materials(const ModelData& model) {
  for (const auto& [a, b] : meeting_materials(model)) {
    const ContactLaw& law = model.contact_laws[a * model.materials.size() + b];
    const std::string pair = a == b ? model.materials[a].name
                                    : fmt::format("{}' with '{}", model.materials[a].name, model.materials[b].name);
    if (!(law.stiffness > 0))
      throw InvalidArgument(
          fmt::format("contact as a force: material '{}' has no stiffness; expected one above 0, or "
                      "stepper 'euler' or 'moreau' with rigid contact",
                      pair));
    if (law.static_friction > law.friction)
      throw InvalidArgument(
          fmt::format("contact as a force: material '{}' has a static friction of {:g}; expected none "
                      "above its friction, {:g}",
                      pair, law.static_friction, law.friction));
  }
}

Vec3<double> velocity_at(const KinematicsWork& k, int link, const Vec3<double>& p) {
  const Motion<double>& V = k.V_WL[link];
  return V.v + cross(V.w, p - k.X_WL[link].p);
}

Eigen::Vector3d eigen_of(const Vec3<double>& v) { return {v[0], v[1], v[2]}; }

}  // namespace

RegularisedForces::RegularisedForces(const ModelData& model, double slip_speed)
    : slip_speed_(slip_speed), gaps_(model) {
  check_materials(model);
}

void RegularisedForces::load(const ModelData& model, const State& state, Workspace& work) {
  for (const JointFrictionData& friction : model.joint_frictions) {
    if (!friction.dof.is_in_tree()) continue;  // rows, and refused where a stepper takes none
    const double u = state.u[friction.dof.u_index];
    work.tau[friction.dof.u_index] -= friction.force * regularised_slip(u, slip_speed_) * u;
  }
  touch(model, work.kinematics);
  for (const TouchingPoint& t : touching_) {
    const Vec3<double> force = t.normal.value * t.direction + t.tangential;
    load_link(work, t.link_b, t.point, force, t.torque);
    load_link(work, t.link_a, t.point, -force, -t.torque);
  }
}

void RegularisedForces::touch(const ModelData& model, const KinematicsWork& kinematics) {
  touching_.clear();
  for (const ContactPoint& p : gaps_.touching(model, kinematics.X_WL.data())) add_contact(model, p, kinematics);
}

void RegularisedForces::add_contact(const ModelData& model, const ContactPoint& p, const KinematicsWork& k) {
  const ContactLaw& law = law_of(model, p.shape_a, p.shape_b);
  TouchingPoint t;
  t.link_a = model.contact_shapes[p.shape_a].link;
  t.link_b = model.contact_shapes[p.shape_b].link;
  t.point = 0.5 * (p.p_A + p.p_B);
  const Vec3<double> v = velocity_at(k, t.link_b, t.point) - velocity_at(k, t.link_a, t.point);
  const double opening = dot(p.normal, v);
  t.normal = regularised_contact(law.stiffness, law.exponent, law.damping, law.linear_damping, -p.gap, -opening);
  if (t.normal.value == 0) return;
  t.shape_a = p.shape_a, t.shape_b = p.shape_b, t.feature = p.feature;
  t.depth = -p.gap;
  t.direction = p.normal;
  t.slip = t.tangential = t.torque = Vec3<double>::zero();
  if (law.friction > 0) {
    t.slip = v - opening * p.normal;
    const double per_speed = regularised_slip(norm(t.slip), slip_speed_);
    t.across = law.friction * t.normal.value * per_speed;
    t.along = t.across * (slip_speed_ * per_speed) * (slip_speed_ * per_speed);  // d/dv of v / sqrt(v² + s²)
    t.tangential = -t.across * t.slip;
  }
  if (law.spinning_friction > 0 || law.rolling_friction > 0)
    add_turning(law, k.V_WL[t.link_b].w - k.V_WL[t.link_a].w, t);
  touching_.push_back(t);
}

void RegularisedForces::add_turning(const ContactLaw& law, const Vec3<double>& spin, TouchingPoint& t) const {
  const double about = dot(spin, t.direction);
  const Vec3<double> rolling = spin - about * t.direction;
  t.torque = -law.spinning_friction * t.normal.value * regularised_slip(about, slip_speed_) * about * t.direction -
             law.rolling_friction * t.normal.value * regularised_slip(norm(rolling), slip_speed_) * rolling;
}

double RegularisedForces::energy(const ModelData& model) const {
  double sum = 0;
  for (const TouchingPoint& t : touching_) {
    const ContactLaw& law = law_of(model, t.shape_a, t.shape_b);
    sum += regularised_contact_energy(law.stiffness, law.exponent, t.depth);
  }
  return sum;
}

void RegularisedForces::remember(State& state) const {
  if (state.impulse_step <= 0) state.impulse_step = 1;
  const double h = state.impulse_step;
  state.contacts.clear();
  for (const TouchingPoint& t : touching_) {
    ContactMemory m;
    m.shape_a = t.shape_a, m.shape_b = t.shape_b, m.feature = t.feature;
    m.normal = h * t.normal.value;
    m.direction = eigen_of(t.direction);
    m.point = eigen_of(t.point);
    m.tangential = h * eigen_of(t.tangential);
    m.rolling = h * eigen_of(t.torque);
    state.contacts.push_back(m);
  }
}

ModelData without_regularised_rows(const ModelData& model) {
  ModelData rest = model;
  rest.contact_shapes.clear();
  for (JointFrictionData& friction : rest.joint_frictions)
    if (friction.dof.is_in_tree()) friction.dof = {};
  return rest;
}

}  // namespace lipkin
