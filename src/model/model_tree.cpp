// Bodies and joints to links (docs/decisions/0001): numbering, frames, inertias, initial state.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>

#include "model/eigen_convert.hpp"
#include "model/frames.hpp"
#include "model/joint_motion.hpp"
#include "model/model_compiler.hpp"
#include "model/shape_mass.hpp"

namespace lipkin {

namespace {

// Closer to a coordinate axis than this, an axis is one: far below what the dynamics can tell.
constexpr double kAxisTolerance = 1e-15;

// The positive coordinate axis along v, or -1.
int coordinate_axis(const Vec3<double>& v) {
  for (int k = 0; k < 3; ++k) {
    const Vec3<double> d = v - Vec3<double>::unit(k);
    if (std::abs(d[0]) <= kAxisTolerance && std::abs(d[1]) <= kAxisTolerance && std::abs(d[2]) <= kAxisTolerance)
      return k;
  }
  return -1;
}

// Lengths and angles are compared by the lever that the inertia itself has, so that no unit of length counts.
template <int n>
bool is_regular(Eigen::Matrix<double, n, n> D, const std::array<bool, n>& slides) {
  double mass = 0, moment = 0;
  for (int k = 0; k < n; ++k) {
    double& largest = slides[k] ? mass : moment;
    largest = std::max(largest, D(k, k));
  }
  const double lever = mass > 0 && moment > 0 ? std::sqrt(moment / mass) : 1;
  for (int k = 0; k < n; ++k)
    if (slides[k]) D.row(k) *= lever, D.col(k) *= lever;
  const auto moments = Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, n, n>>(D).eigenvalues().eval();
  return moments[0] > 1e-13 * moments[n - 1] && moments[n - 1] > 0;
}

bool is_identity(const Mat3<double>& R) {
  for (int k = 0; k < 9; ++k)
    if (std::abs(R.e[k] - (k % 4 == 0 ? 1 : 0)) > kAxisTolerance) return false;
  return true;
}

LinkKind kind_of(JointType type, int axis) {
  switch (type) {
    case JointType::kRevolute:
      return static_cast<LinkKind>(static_cast<int>(LinkKind::kRevoluteX) + axis);
    case JointType::kPrismatic:
      return static_cast<LinkKind>(static_cast<int>(LinkKind::kPrismaticX) + axis);
    case JointType::kScrew:
      return LinkKind::kScrew;
    case JointType::kCylindrical:
      return LinkKind::kCylindrical;
    case JointType::kUniversal:
      return LinkKind::kUniversal;
    case JointType::kPlanar:
      return LinkKind::kPlanar;
    case JointType::kBall:
      return LinkKind::kBall;
    case JointType::kFree:
    case JointType::kFixed:
      break;
  }
  return LinkKind::kFree;
}

RigidInertia<double> rigid_inertia_in(const Transform<double>& X_LB, const MassProperties& m) {
  const Eigen::Matrix3d R = to_eigen(X_LB.R);
  const Eigen::Matrix3d I = R * m.inertia * R.transpose();
  Sym3<double> J;
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) J(i, j) = 0.5 * (I(i, j) + I(j, i));
  return RigidInertia<double>::about_com(m.mass, X_LB * from_eigen(m.com), J);
}

}  // namespace

std::vector<int> ModelCompiler::bodies_depth_first() const {
  std::vector<std::vector<int>> children(parts_.bodies.size());
  std::vector<int> stack;
  for (int b = static_cast<int>(parts_.bodies.size()) - 1; b >= 0; --b) {
    const auto parent = body_index_.find(parts_.joints[joint_of_body_[b]].parent);
    (parent == body_index_.end() ? stack : children[parent->second]).push_back(b);
  }
  std::vector<int> order;
  while (!stack.empty()) {
    const int b = stack.back();
    stack.pop_back();
    order.push_back(b);
    stack.insert(stack.end(), children[b].begin(), children[b].end());
  }
  return order;
}

void ModelCompiler::build_tree() {
  ModelData& m = *data_;
  m.links.resize(1);
  m.links[0].parent = -1;
  m.links[0].X_PF = Transform<double>::identity();
  m.links[0].inertia = Inertia6<double>::zero();
  m.rigid_inertia.assign(1, RigidInertia<double>::zero());
  m.added_inertia.assign(1, Inertia6<double>::zero());
  m.bodies.resize(parts_.bodies.size());
  m.joints.resize(parts_.joints.size());
  for (const int b : bodies_depth_first()) {
    const BodySpec& spec = parts_.bodies[b];
    const int j = joint_of_body_[b];
    const JointSpec& joint = parts_.joints[j];
    const auto parent = body_index_.find(joint.parent);
    m.joints[j] = {joint.name, joint.type, parent == body_index_.end() ? -1 : parent->second, b, -1, -1, -1, -1};
    BodyData& body = m.bodies[b];
    body.name = spec.name;
    body.joint = body.carrier = j;
    body.shapes = spec.shapes;
    body.mass_properties = spec.mass_properties ? *spec.mass_properties : mass_properties_of(spec.shapes);
    if (joint.type == JointType::kFixed) {
      add_fixed(b);
    } else {
      add_link(b);
    }
    add_inertia(spec, body);
  }
  for (std::size_t i = 1; i < m.links.size(); ++i) {
    Link& link = m.links[i];
    link.inertia = Inertia6<double>::rigid(m.rigid_inertia[i]);
    link.rigid = true;
    const Inertia6<double>& added = m.added_inertia[i];
    for (double x : added.M.e) link.rigid = link.rigid && x == 0;
    for (double x : added.J.e) link.rigid = link.rigid && x == 0;
    for (double x : added.H.e) link.rigid = link.rigid && x == 0;
    link.inertia += added;
  }
  const bool any_added = std::any_of(m.links.begin(), m.links.end(), [](const Link& l) { return !l.rigid; });
  if (!any_added) m.added_inertia.clear();
}

// Bodies and joints by name and type alone, where they make no tree: enough to check what refers to them.
void ModelCompiler::name_parts() {
  ModelData& m = *data_;
  m.links.resize(1);
  for (const BodySpec& spec : parts_.bodies) {
    m.bodies.emplace_back();
    m.bodies.back().name = spec.name;
    m.bodies.back().X_LB = Transform<double>::identity();
  }
  for (const JointSpec& spec : parts_.joints) {
    m.joints.emplace_back();
    m.joints.back().name = spec.name;
    m.joints.back().type = spec.type;
  }
}

void ModelCompiler::add_fixed(int b) {
  ModelData& m = *data_;
  const JointSpec& spec = parts_.joints[m.bodies[b].joint];
  const int parent = m.joints[m.bodies[b].joint].parent;
  const Transform<double> X_LP = parent < 0 ? Transform<double>::identity() : m.bodies[parent].X_LB;
  m.bodies[b].link = parent < 0 ? 0 : m.bodies[parent].link;
  m.bodies[b].X_LB = X_LP * from_eigen(spec.frame_in_parent) * inverse(from_eigen(spec.frame_in_child));
  m.bodies[b].X_LB.R = orthonormal(m.bodies[b].X_LB.R);
}

// Chooses the link frame's axes: X_PF comes in as the joint's frame F in the parent's link frame and leaves with the
// link frame's axes at q = 0; R_LM are the axes of the joint's frame M in the link frame.
void ModelCompiler::place_link(const JointSpec& spec, Link& link, Mat3<double>& R_LM) const {
  const Mat3<double> R_PF = link.X_PF.R;
  const bool any_axis = spec.type == JointType::kRevolute || spec.type == JointType::kPrismatic;
  const bool along_z = spec.type == JointType::kScrew || spec.type == JointType::kCylindrical;
  Mat3<double> R_PL = R_PF;
  int axis = 2;
  if (any_axis || along_z) {
    const Vec3<double> axis_F = from_eigen(spec.axis.normalized());
    const int in_parent = coordinate_axis(R_PF * axis_F), in_frame = coordinate_axis(axis_F);
    if (in_parent == 2 || (in_parent >= 0 && any_axis)) {
      R_PL = Mat3<double>::identity();
      axis = in_parent;
    } else if (in_frame == 2 || (in_frame >= 0 && any_axis)) {
      axis = in_frame;
    } else {
      R_PL = R_PF * turning_z_to(axis_F);
    }
  }
  link.kind = kind_of(spec.type, axis);
  link.aligned = is_identity(R_PL);
  if (link.aligned) R_PL = Mat3<double>::identity();
  link.X_PF.R = orthonormal(R_PL);
  R_LM = orthonormal(transpose(link.X_PF.R) * R_PF);
}

void ModelCompiler::add_link(int b) {
  ModelData& m = *data_;
  BodyData& body = m.bodies[b];
  JointData& joint = m.joints[body.joint];
  const JointSpec& spec = parts_.joints[body.joint];
  const Transform<double> X_LP = joint.parent < 0 ? Transform<double>::identity() : m.bodies[joint.parent].X_LB;

  Link link;
  link.parent = joint.parent < 0 ? 0 : m.bodies[joint.parent].link;
  link.pitch = spec.pitch;
  link.q_index = joint.q_index = m.q_count;
  link.u_index = joint.u_index = m.u_count;
  link.X_PF = X_LP * from_eigen(spec.frame_in_parent);
  Mat3<double> R_LM;
  place_link(spec, link, R_LM);
  if (!is_revolute(link.kind)) link.multi_index = m.multi_count++;
  m.q_count += q_count(spec.type);
  m.u_count += u_count(spec.type);

  body.link = joint.link = static_cast<int>(m.links.size());
  body.X_LB = Transform<double>{R_LM, Vec3<double>::zero()} * inverse(from_eigen(spec.frame_in_child));
  m.links.push_back(link);
  m.rigid_inertia.push_back(RigidInertia<double>::zero());
  m.added_inertia.push_back(Inertia6<double>::zero());
  add_joint_values(spec, link);
}

void ModelCompiler::add_inertia(const BodySpec& spec, const BodyData& body) {
  ModelData& m = *data_;
  if (body.link == 0) return;
  RigidInertia<double>& total = m.rigid_inertia[body.link];
  total = total + rigid_inertia_in(body.X_LB, body.mass_properties);
  if (spec.added_inertia) m.added_inertia[body.link] += to_parent(body.X_LB, from_eigen(*spec.added_inertia));
}

void ModelCompiler::add_joint_values(const JointSpec& spec, const Link& link) {
  ModelData& m = *data_;
  const int nq = q_count(spec.type), nu = u_count(spec.type);
  const auto append = [nu](std::vector<double>& to, const std::vector<double>& from) {
    for (int k = 0; k < nu; ++k) to.push_back(joint_value(from, k));
  };
  append(m.stiffness, spec.stiffness);
  append(m.rest, spec.rest);
  append(m.damping, spec.damping);
  append(m.armature, spec.armature);
  for (double k : spec.stiffness) m.has_joint_springs = m.has_joint_springs || k > 0;
  for (int k = 0; k < nu; ++k) m.initial_u.push_back(spec.u.empty() ? 0 : spec.u[k]);
  std::vector<double> q = spec.q.empty() ? std::vector<double>(nq, 0.0) : spec.q;
  if (link.kind == LinkKind::kBall || link.kind == LinkKind::kFree) {
    double* quaternion = q.data() + nq - 4;
    if (spec.q.empty()) quaternion[0] = 1;
    normalized(Quaternion<double>::from(quaternion)).store(quaternion);
  }
  m.initial_q.insert(m.initial_q.end(), q.begin(), q.end());
}

// A joint must move some inertia in each of its directions: the composite inertia of everything it carries, at the
// initial state, projected on its motion subspace.
void ModelCompiler::check_singular() {
  ModelData& m = *data_;
  std::vector<Inertia6<double>> composite;
  for (const Link& link : m.links) composite.push_back(link.inertia);
  for (int i = static_cast<int>(m.links.size()) - 1; i > 0; --i) {
    const Link& link = m.links[i];
    visit_kind(link.kind, [&]<LinkKind kind>() {
      constexpr int n = kDof<kind>;
      const JointMotion<double> j = joint_motion<kind>(link, &m.initial_q[link.q_index], &m.initial_u[link.u_index]);
      Eigen::Matrix<double, n, n> D;
      for (int k = 0; k < n; ++k)
        for (int l = 0; l < n; ++l)
          D(k, l) = dot(j.S[k], composite[i] * j.S[l]) + (k == l ? m.armature[link.u_index + k] : 0);
      std::array<bool, n> slides;
      for (int k = 0; k < n; ++k) slides[k] = norm(j.S[k].w) == 0;
      if (!is_regular<n>(D, slides)) {
        const auto owner =
            std::find_if(m.joints.begin(), m.joints.end(), [&](const JointData& d) { return d.link == i; });
        report_massless(static_cast<int>(owner - m.joints.begin()));
      }
      composite[link.parent] += to_parent(Transform<double>(link.X_PF * j.X_FL), composite[i]);
    });
  }
}

namespace {

// " about y": the axis that a joint turns about, where it is one of its child's.
std::string about_axis(const JointSpec& joint) {
  constexpr double kAlong = 1 - 1e-9;
  if (joint.type != JointType::kRevolute) return {};
  const Eigen::Vector3d axis = joint.frame_in_child.orientation.normalized() * joint.axis.normalized();
  for (int k = 0; k < 3; ++k)
    if (std::abs(axis[k]) > kAlong) return fmt::format(" about {}", "xyz"[k]);
  return {};
}

// For a joint that carries a mass in one point: the moments that are missing, those of a disc of 0.1 m. Empty where
// nothing is missing that the body could be given.
std::string missing_moments(const JointSpec& joint, const MassProperties& body) {
  constexpr double kOfDisc = 0.1 * 0.1 / 2;  // [m^2]
  Eigen::Vector3d moments = body.inertia.diagonal();
  if (!(body.mass > 0) || moments.minCoeff() > 0) return {};
  const double usual = moments.maxCoeff() > 0 ? moments.maxCoeff() : kOfDisc * body.mass;
  moments = (moments.array() > 0).select(moments, usual);
  return fmt::format(
      "body '{}' has a mass but no inertia{}: write inertia: [{:.3g}, {:.3g}, {:.3g}], or give the mass "
      "to a shape instead",
      joint.child, about_axis(joint), moments.x(), moments.y(), moments.z());
}

}  // namespace

void ModelCompiler::report_massless(int joint) {
  const JointSpec& spec = parts_.joints[joint];
  const std::string message =
      fmt::format("joint '{}' moves nothing that has inertia in one of its directions", spec.name);
  const auto body = body_index_.find(spec.child);
  const MassProperties carried =
      body == body_index_.end() ? MassProperties() : data_->bodies[body->second].mass_properties;
  const bool is_bare = body != body_index_.end() && !(carried.mass > 0);
  const std::string of_body = is_bare ? fmt::format("body '{}' has no mass: ", spec.child) : "";
  const std::string remedy =
      of_body +
      "give the shapes of the bodies it carries a density or a mass, or the bodies a mass and an inertia, or "
      "the joint an armature";
  if (!parts_.massless_joints_allowed) {
    const std::string moments = missing_moments(spec, carried);
    return error(spec.where, message, moments.empty() ? remedy : moments);
  }
  warn(spec.where, fmt::format("{}: '{}' cannot be simulated; {}", message, spec.child, remedy));
  data_->massless_joints.push_back(joint);
}

std::vector<Transform<double>> link_poses(const ModelData& m, const double* q) {
  std::vector<Transform<double>> poses(m.links.size(), Transform<double>::identity());
  const std::vector<double> rest(m.u_count + 1, 0.0);
  for (std::size_t i = 1; i < m.links.size(); ++i) {
    const Link& link = m.links[i];
    visit_kind(link.kind, [&]<LinkKind kind>() {
      const JointMotion<double> j = joint_motion<kind>(link, q + link.q_index, rest.data() + link.u_index);
      poses[i] = poses[link.parent] * (link.X_PF * j.X_FL);
    });
  }
  return poses;
}

void ModelCompiler::find_lone_links() {
  constexpr double kBall = 1e-12, kRounding = 1e-15;  // of the inertia
  ModelData& m = *data_;
  std::vector<bool> carries(m.links.size(), false);
  for (std::size_t i = 1; i < m.links.size(); ++i) carries[m.links[i].parent] = true;
  for (std::size_t i = 1; i < m.links.size(); ++i) {
    Link& link = m.links[i];
    link.alone = link.kind == LinkKind::kFree && link.parent == 0 && !carries[i];
    link.principal = false;
    if (!link.alone || !link.rigid) continue;
    const RigidInertia<double>& rigid = m.rigid_inertia[i];
    bool loaded = false;
    for (int j = link.u_index; j < link.u_index + 6; ++j)
      loaded = loaded || m.armature[j] != 0 || m.damping[j] != 0 || m.stiffness[j] != 0;
    const double size = rigid.J(0, 0) + rigid.J(1, 1) + rigid.J(2, 2);
    const double skew = std::abs(rigid.J(0, 1)) + std::abs(rigid.J(0, 2)) + std::abs(rigid.J(1, 2));
    link.principal = squared_norm(rigid.h) == 0 && skew <= kRounding * size;
    const double uneven = std::abs(rigid.J(0, 0) - rigid.J(1, 1)) + std::abs(rigid.J(1, 1) - rigid.J(2, 2)) + skew;
    const bool ball = uneven <= kBall * size && squared_norm(rigid.h) == 0;
    if (!loaded && !ball && rigid.m > 0) m.lone_links.push_back(static_cast<int>(i));
  }
}

}  // namespace lipkin
