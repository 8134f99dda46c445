#include "forces/elements.hpp"

#include <cmath>

#include "model/tendon_path.hpp"
#include "tree/local_coordinates.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

double half_square_sum(const Vec3<double>& k, const Vec3<double>& x) {
  return 0.5 * (k[0] * x[0] * x[0] + k[1] * x[1] * x[1] + k[2] * x[2] * x[2]);
}

Quaternion<double> quaternion_of(const Mat3<double>& R) {
  Eigen::Matrix3d M;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) M(i, j) = R(i, j);
  const Eigen::Quaterniond q(M);
  return {q.w(), q.x(), q.y(), q.z()};
}

// Displacement of every velocity direction of a link from the springs' rest: coordinates, or the rotation vector.
void displacements(const ModelData& model, const Link& link, const double* q, double* x) {
  const JointCoordinates c = coordinates_of(link.kind);
  for (int k = 0; k < c.scalars; ++k) x[k] = q[link.q_index + k] - model.rest[link.u_index + k];
  if (c.rotation) {
    const Vec3<double> angle = rotation_vector(Quaternion<double>::from(q + link.q_index + c.scalars));
    for (int k = 0; k < 3; ++k) x[c.scalars + k] = angle[k] - model.rest[link.u_index + c.scalars + k];
  }
}

int dof_of(const Link& link) {
  const JointCoordinates c = coordinates_of(link.kind);
  return c.scalars + (c.rotation ? 3 : 0);
}

}  // namespace

Vec3<double> rotation_vector(const Quaternion<double>& q) {
  const double sign = q.w < 0 ? -1 : 1;
  const Vec3<double> v = {{sign * q.x, sign * q.y, sign * q.z}};
  const double n = norm(v);
  const double scale = n > 1e-12 ? 2 * std::atan2(n, sign * q.w) / n : 2;
  return scale * v;
}

Vec3<double> rotation_vector(const Mat3<double>& R) { return rotation_vector(quaternion_of(R)); }

SpringState spring_state(const SpringDamperData& spring, const KinematicsWork& k) {
  SpringState s;
  s.p_a = k.X_WL[spring.a.link] * spring.a.p_L;
  s.p_b = k.X_WL[spring.b.link] * spring.b.p_L;
  const Vec3<double> d = s.p_b - s.p_a;
  s.length = norm(d);
  s.direction = s.length > 0 ? (1 / s.length) * d : Vec3<double>::zero();
  s.rate = dot(s.direction, point_velocity(k, spring.b.link, s.p_b) - point_velocity(k, spring.a.link, s.p_a));
  s.tension = spring.stiffness * (s.length - spring.rest_length) + spring.damping * s.rate;
  return s;
}

BushingState bushing_state(const BushingData& b, const KinematicsWork& k) {
  BushingState s;
  const Transform<double> X_WP = k.X_WL[b.link_a] * b.X_AP, X_WQ = k.X_WL[b.link_b] * b.X_BQ;
  s.R_WP = X_WP.R;
  s.p_Q = X_WQ.p;
  s.offset = transpose_times(X_WP.R, X_WQ.p - X_WP.p);
  s.angle = rotation_vector(transpose(X_WP.R) * X_WQ.R);
  // Seen from P: the point of body a that coincides with Q moves along with P.
  s.velocity = transpose_times(X_WP.R, point_velocity(k, b.link_b, X_WQ.p) - point_velocity(k, b.link_a, X_WQ.p));
  s.rate = transpose_times(X_WP.R, k.V_WL[b.link_b].w - k.V_WL[b.link_a].w);
  // The torque that does the work of the springs: angle is a rotation vector, whose rate is dexp⁻¹ of the angular
  // velocity; its transpose maps the moment of the springs to a torque.
  const Vec3<double> moment = {
      {b.angular_stiffness[0] * s.angle[0], b.angular_stiffness[1] * s.angle[1], b.angular_stiffness[2] * s.angle[2]}};
  const Vec3<double> elastic = rotation_vector_rate(s.angle, moment);
  for (int i = 0; i < 3; ++i) {
    s.force[i] = -b.stiffness[i] * s.offset[i] - b.damping[i] * s.velocity[i];
    s.torque[i] = -elastic[i] - b.angular_damping[i] * s.rate[i];
  }
  return s;
}

double elastic_energy(const ModelData& model, const double* q, const double* closure_q,
                      const KinematicsWork& kinematics) {
  double energy = 0;
  if (model.has_joint_springs) {
    for (std::size_t i = 1; i < model.links.size(); ++i) {
      double x[6];
      displacements(model, model.links[i], q, x);
      for (int k = 0; k < dof_of(model.links[i]); ++k)
        energy += 0.5 * model.stiffness[model.links[i].u_index + k] * x[k] * x[k];
    }
  }
  for (const RowSpringData& s : model.row_springs) {
    const double x = s.stretch(coordinate_of(s.dof, model, q, closure_q));
    energy += 0.5 * s.stiffness * x * x;
  }
  for (const SpringDamperData& spring : model.springs) {
    const double stretch = spring_state(spring, kinematics).length - spring.rest_length;
    energy += 0.5 * spring.stiffness * stretch * stretch;
  }
  for (const BushingData& bushing : model.bushings) {
    const BushingState s = bushing_state(bushing, kinematics);
    energy += half_square_sum(bushing.stiffness, s.offset) + half_square_sum(bushing.angular_stiffness, s.angle);
  }
  return energy;
}

namespace {

// The first of the three springs about the axes of a rotation that this one is part of; null: it is of no rotation.
const RowSpringData* springs_of_rotation(const ModelData& model, const RowSpringData& spring) {
  if (spring.dof.closure < 0) return nullptr;
  const JointType type = model.closures[spring.dof.closure].type;
  const int before = type == JointType::kFree ? 3 : 0;  // its translations
  if ((type != JointType::kBall && type != JointType::kFree) || spring.dof.k < before) return nullptr;
  const RowSpringData* first = &spring - (spring.dof.k - before);
  const RowSpringData* begin = model.row_springs.data();
  const RowSpringData* end = begin + model.row_springs.size();
  const auto is_part = [&](const RowSpringData* s, int k) {
    return s >= begin && s < end && s->dof.closure == spring.dof.closure && s->dof.k == before + k;
  };
  return is_part(first, 0) && is_part(first + 1, 1) && is_part(first + 2, 2) ? first : nullptr;
}

}  // namespace

// Springs about the three axes of a rotation act together, as in add_joint_forces: the torque along the child's axes is
// dexp⁻ᵀ K (theta - rest), theta the rotation vector; it grows by dexp⁻ᵀ K dexp⁻¹ with the way, and by what follows
// from the turning of dexp, which is left to the next step.
RowElasticity row_elasticity(const ModelData& model, int spring, double q, const double* closure_q) {
  const RowSpringData& s = model.row_springs[spring];
  const RowSpringData* axes = springs_of_rotation(model, s);
  if (!axes) {
    const double stretch = s.stretch(q), stiffness = s.play > 0 && stretch == 0 ? 0 : s.stiffness;
    return {stiffness * stretch, stiffness};
  }
  const int k = static_cast<int>(&s - axes);
  const double* at = closure_q + model.closures[s.dof.closure].coordinate_index + (s.dof.k - k);
  const Vec3<double> theta = {{at[0], at[1], at[2]}};
  const Vec3<double> way = rotation_vector_rate(theta, Vec3<double>::unit(k));
  RowElasticity result;
  for (int j = 0; j < 3; ++j) {
    result.force += way[j] * axes[j].stiffness * (theta[j] - axes[j].rest);
    result.stiffness += way[j] * axes[j].stiffness * way[j];
  }
  return result;
}

void add_joint_forces(const ModelData& model, const double* q, const double* u, double ahead, double* tau) {
  for (int j = 0; j < model.u_count; ++j) tau[j] -= (model.damping[j] + ahead * model.stiffness[j]) * u[j];
  if (!model.has_joint_springs) return;
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    const Link& link = model.links[i];
    double x[6];
    displacements(model, link, q, x);
    const JointCoordinates c = coordinates_of(link.kind);
    const double* stiffness = &model.stiffness[link.u_index];
    for (int k = 0; k < c.scalars; ++k) tau[link.u_index + k] -= stiffness[k] * x[k];
    if (c.rotation) {
      const double* s = stiffness + c.scalars;
      const double* r = x + c.scalars;
      const Vec3<double> angle = rotation_vector(Quaternion<double>::from(q + link.q_index + c.scalars));
      const Vec3<double> moment = {{s[0] * r[0], s[1] * r[1], s[2] * r[2]}};
      // Transpose of the map from angular velocity (child's axes) to the rate of the rotation vector.
      const Vec3<double> torque = rotation_vector_rate(-angle, moment);
      for (int k = 0; k < 3; ++k) tau[link.u_index + c.scalars + k] -= torque[k];
    }
  }
}

}  // namespace lipkin
