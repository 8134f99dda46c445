#include "support/newton_oracle.hpp"

#include <cmath>
#include <map>

namespace lipkin::test {

namespace {

using Real = NewtonOracle::Real;
using Vector3 = NewtonOracle::Vector3;
using Matrix3 = NewtonOracle::Matrix3;
using Quaternion = NewtonOracle::Quaternion;
using Frame = NewtonOracle::Frame;

// Central differences of order 8 (Fornberg 1988): of odd and even parts at 1 to 4 steps.
constexpr Real kFirst[4] = {4 / Real(5), -1 / Real(5), 4 / Real(105), -1 / Real(280)};
constexpr Real kSecond[5] = {-205 / Real(72), 8 / Real(5), -1 / Real(5), 8 / Real(315), -1 / Real(560)};
// Truncation (w h)^8 w^2 / 3000 and rounding 1e-19 / h^2 both stay below 1e-13 for rates w up to 15 rad/s.
constexpr Real kStep = Real(1) / 512;

Frame operator*(const Frame& A, const Frame& B) { return {A.R * B.R, A.p + A.R * B.p}; }

Frame inverse(const Frame& A) { return {A.R.transpose(), -(A.R.transpose() * A.p)}; }

Frame frame_of(const Pose& pose) {
  return {pose.orientation.cast<Real>().normalized().toRotationMatrix(), pose.position.cast<Real>()};
}

Matrix3 turn(const Vector3& axis, Real angle) { return Eigen::AngleAxis<Real>(angle, axis).toRotationMatrix(); }

// The rotation by the vector theta.
Quaternion turn_by(const Vector3& theta) {
  const Real angle = theta.norm();
  if (angle == 0) return Quaternion::Identity();
  const Vector3 v = std::sin(angle / 2) / angle * theta;
  return {std::cos(angle / 2), v.x(), v.y(), v.z()};
}

Vector3 axis_of_skew(const Matrix3& A) { return Vector3(A(2, 1) - A(1, 2), A(0, 2) - A(2, 0), A(1, 0) - A(0, 1)) / 2; }

Vector3 unit(int axis) { return Vector3::Unit(axis); }

}  // namespace

NewtonOracle::NewtonOracle(const TreeParts& parts, const Model& model)
    : parts_(parts), u_count_(model.u_count()), parent_(parts.bodies.size(), -1), joint_of_(parts.bodies.size(), -1) {
  std::map<std::string, int> body_index;
  for (std::size_t b = 0; b < parts.bodies.size(); ++b) body_index[parts.bodies[b].name] = static_cast<int>(b);
  for (std::size_t j = 0; j < parts.joints.size(); ++j) {
    const JointSpec& joint = parts.joints[j];
    const int child = body_index.at(joint.child);
    joint_of_[child] = static_cast<int>(j);
    parent_[child] = joint.parent == kWorldName ? -1 : body_index.at(joint.parent);
    const int in_model = model.joint(joint.name);
    first_q_.push_back(model.joint_q(in_model));
    first_u_.push_back(model.joint_u(in_model));
  }
  std::vector<bool> placed(parts.bodies.size(), false);
  while (order_.size() < parts.bodies.size()) {
    for (std::size_t b = 0; b < parts.bodies.size(); ++b) {
      if (placed[b] || (parent_[b] >= 0 && !placed[parent_[b]])) continue;
      placed[b] = true;
      order_.push_back(static_cast<int>(b));
    }
  }
}

Frame NewtonOracle::joint_pose(const JointSpec& joint, const double* q, const double* u, const double* du,
                               Real s) const {
  const auto moved = [&](int k) { return Real(q[k]) + s * Real(u[k]) + s * s / 2 * Real(du[k]); };
  const auto turned = [&](int first_q, int first_u) {
    const Quaternion start = Quaternion(q[first_q], q[first_q + 1], q[first_q + 2], q[first_q + 3]).normalized();
    Vector3 theta;
    for (int k = 0; k < 3; ++k) theta[k] = s * Real(u[first_u + k]) + s * s / 2 * Real(du[first_u + k]);
    return (start * turn_by(theta)).toRotationMatrix();
  };
  const Vector3 axis = joint.axis.cast<Real>().normalized();
  switch (joint.type) {
    case JointType::kRevolute:
      return {turn(axis, moved(0)), Vector3::Zero()};
    case JointType::kPrismatic:
      return {Matrix3::Identity(), moved(0) * axis};
    case JointType::kScrew:
      return {turn(axis, moved(0)), Real(joint.pitch) * moved(0) * axis};
    case JointType::kCylindrical:
      return {turn(axis, moved(0)), moved(1) * axis};
    case JointType::kUniversal:
      return {turn(unit(0), moved(0)) * turn(unit(1), moved(1)), Vector3::Zero()};
    case JointType::kPlanar:
      return {turn(unit(2), moved(2)), Vector3(moved(0), moved(1), 0)};
    case JointType::kBall:
      return {turned(0, 0), Vector3::Zero()};
    case JointType::kFree:
      return {turned(3, 3), Vector3(moved(0), moved(1), moved(2))};
    case JointType::kFixed:
      break;
  }
  return {};
}

std::vector<Frame> NewtonOracle::poses(std::span<const double> q, const Eigen::VectorXd& u, const Eigen::VectorXd& du,
                                       Real s) const {
  std::vector<Frame> X(parts_.bodies.size());
  for (const int b : order_) {
    const int j = joint_of_[b];
    const JointSpec& joint = parts_.joints[j];
    const bool fixed = joint.type == JointType::kFixed;
    const Frame motion =
        fixed ? Frame{} : joint_pose(joint, q.data() + first_q_[j], u.data() + first_u_[j], du.data() + first_u_[j], s);
    const Frame above = parent_[b] < 0 ? Frame{} : X[parent_[b]];
    X[b] = above * frame_of(joint.frame_in_parent) * motion * inverse(frame_of(joint.frame_in_child));
  }
  return X;
}

std::vector<NewtonOracle::Motion> NewtonOracle::motions(std::span<const double> q, const Eigen::VectorXd& u,
                                                        const Eigen::VectorXd& du) const {
  const std::vector<Frame> X0 = poses(q, u, du, 0);
  std::vector<Matrix3> R1(X0.size(), Matrix3::Zero()), R2;
  std::vector<Vector3> p1(X0.size(), Vector3::Zero()), p2;
  for (const Frame& X : X0) R2.push_back(kSecond[0] * X.R), p2.push_back(kSecond[0] * X.p);
  for (int n = 1; n <= 4; ++n) {
    const std::vector<Frame> after = poses(q, u, du, n * kStep), before = poses(q, u, du, -n * kStep);
    for (std::size_t b = 0; b < X0.size(); ++b) {
      R1[b] += kFirst[n - 1] * (after[b].R - before[b].R);
      p1[b] += kFirst[n - 1] * (after[b].p - before[b].p);
      R2[b] += kSecond[n] * (after[b].R + before[b].R);
      p2[b] += kSecond[n] * (after[b].p + before[b].p);
    }
  }
  std::vector<Motion> result;
  for (std::size_t b = 0; b < X0.size(); ++b) {
    // dR/dt Rᵀ = [omega]; d²R/dt² Rᵀ = [alpha] + [omega]², whose second part is symmetric.
    const Matrix3 Rt = X0[b].R.transpose();
    result.push_back({X0[b], axis_of_skew(R1[b] * Rt) / kStep, p1[b] / kStep,
                      axis_of_skew(R2[b] * Rt) / (kStep * kStep), p2[b] / (kStep * kStep)});
  }
  return result;
}

std::vector<Eigen::MatrixXd> NewtonOracle::jacobians(std::span<const double> q) const {
  std::vector<Eigen::MatrixXd> J(parts_.bodies.size(), Eigen::MatrixXd::Zero(6, u_count_));
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(u_count_);
  for (int k = 0; k < u_count_; ++k) {
    const std::vector<Motion> m = motions(q, Eigen::VectorXd::Unit(u_count_, k), zero);
    for (std::size_t b = 0; b < m.size(); ++b) J[b].col(k) << m[b].omega.cast<double>(), m[b].v.cast<double>();
  }
  return J;
}

// Newton and Euler at the centre of mass; Kirchhoff's equations for added inertia. Moment about the body frame's
// origin, then force, world axes.
Eigen::Matrix<Real, 6, 1> NewtonOracle::force_for(const BodySpec& body, const Motion& m) const {
  const MassProperties& mass = *body.mass_properties;
  const Vector3 c = m.X.R * mass.com.cast<Real>();
  const Matrix3 I = m.X.R * mass.inertia.cast<Real>() * m.X.R.transpose();
  const Vector3 a_com = m.a + m.alpha.cross(c) + m.omega.cross(m.omega.cross(c));
  Vector3 force = Real(mass.mass) * (a_com - parts_.gravity.cast<Real>());
  Vector3 moment = I * m.alpha + m.omega.cross(I * m.omega) + c.cross(force);
  if (body.added_inertia) {
    const Eigen::Matrix<Real, 6, 6> A = body.added_inertia->cast<Real>();
    const Matrix3 Rt = m.X.R.transpose();
    const Vector3 w = Rt * m.omega, v = Rt * m.v;
    Eigen::Matrix<Real, 6, 1> V, dV;
    V << w, v;
    dV << Rt * m.alpha, Rt * (m.a - m.omega.cross(m.v));
    const Eigen::Matrix<Real, 6, 1> h = A * V, dh = A * dV;
    const Vector3 L = h.head<3>(), p = h.tail<3>();
    moment += m.X.R * (Vector3(dh.head<3>()) + w.cross(L) + v.cross(p));
    force += m.X.R * (Vector3(dh.tail<3>()) + w.cross(p));
  }
  Eigen::Matrix<Real, 6, 1> F;
  F << moment, force;
  return F;
}

Eigen::VectorXd NewtonOracle::inverse_dynamics(std::span<const double> q, const Eigen::VectorXd& u,
                                               const Eigen::VectorXd& du) const {
  const std::vector<Eigen::MatrixXd> J = jacobians(q);
  const std::vector<Motion> m = motions(q, u, du);
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(u_count_);
  for (std::size_t b = 0; b < m.size(); ++b) tau += J[b].transpose() * force_for(parts_.bodies[b], m[b]).cast<double>();
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    const std::vector<double>& armature = parts_.joints[j].armature;
    for (std::size_t k = 0; k < armature.size(); ++k) tau[first_u_[j] + k] += armature[k] * du[first_u_[j] + k];
  }
  return tau;
}

Real NewtonOracle::kinetic_of(const BodySpec& body, const Motion& m) const {
  const MassProperties& mass = *body.mass_properties;
  const Vector3 v_com = m.v + m.omega.cross(m.X.R * mass.com.cast<Real>());
  const Vector3 w = m.X.R.transpose() * m.omega;
  Real energy = (Real(mass.mass) * v_com.squaredNorm() + w.dot(mass.inertia.cast<Real>() * w)) / 2;
  if (body.added_inertia) {
    Eigen::Matrix<Real, 6, 1> V;
    V << w, m.X.R.transpose() * m.v;
    energy += V.dot(body.added_inertia->cast<Real>() * V) / 2;
  }
  return energy;
}

double NewtonOracle::kinetic_energy(std::span<const double> q, const Eigen::VectorXd& u) const {
  const std::vector<Motion> m = motions(q, u, Eigen::VectorXd::Zero(u_count_));
  Real energy = 0;
  for (std::size_t b = 0; b < m.size(); ++b) energy += kinetic_of(parts_.bodies[b], m[b]);
  for (std::size_t j = 0; j < parts_.joints.size(); ++j) {
    const std::vector<double>& armature = parts_.joints[j].armature;
    for (std::size_t k = 0; k < armature.size(); ++k)
      energy += Real(armature[k]) * u[first_u_[j] + k] * u[first_u_[j] + k] / 2;
  }
  return static_cast<double>(energy);
}

// T is quadratic in u: M_kl = T(e_k + e_l) - T(e_k) - T(e_l).
Eigen::MatrixXd NewtonOracle::mass_matrix(std::span<const double> q) const {
  Eigen::MatrixXd M(u_count_, u_count_);
  const auto unit_vector = [this](int k) { return Eigen::VectorXd(Eigen::VectorXd::Unit(u_count_, k)); };
  Eigen::VectorXd single(u_count_);
  for (int k = 0; k < u_count_; ++k) single[k] = kinetic_energy(q, unit_vector(k));
  for (int k = 0; k < u_count_; ++k) {
    M(k, k) = 2 * single[k];
    for (int l = 0; l < k; ++l)
      M(k, l) = M(l, k) = kinetic_energy(q, unit_vector(k) + unit_vector(l)) - single[k] - single[l];
  }
  return M;
}

Real NewtonOracle::potential_of(const std::vector<Frame>& X) const {
  Real energy = 0;
  for (std::size_t b = 0; b < X.size(); ++b) {
    const MassProperties& mass = *parts_.bodies[b].mass_properties;
    energy -= Real(mass.mass) * parts_.gravity.cast<Real>().dot(X[b].p + X[b].R * mass.com.cast<Real>());
  }
  return energy;
}

double NewtonOracle::potential_energy(std::span<const double> q) const {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(u_count_);
  return static_cast<double>(potential_of(poses(q, zero, zero, 0)));
}

Eigen::VectorXd NewtonOracle::potential_gradient(std::span<const double> q) const {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(u_count_);
  Eigen::VectorXd gradient(u_count_);
  for (int k = 0; k < u_count_; ++k) {
    const Eigen::VectorXd along = Eigen::VectorXd::Unit(u_count_, k);
    Real sum = 0;
    for (int n = 1; n <= 4; ++n)
      sum += kFirst[n - 1] *
             (potential_of(poses(q, along, zero, n * kStep)) - potential_of(poses(q, along, zero, -n * kStep)));
    gradient[k] = static_cast<double>(sum / kStep);
  }
  return gradient;
}

}  // namespace lipkin::test
