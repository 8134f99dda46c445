#include "forces/point_values.hpp"

#include <Eigen/Geometry>

#include "forces/carried_load.hpp"
#include "forces/link_acceleration.hpp"
#include "forces/touch.hpp"
#include "model/eigen_convert.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

// Velocity of a point and angular velocity of its axes, along world axes.
Motion<double> point_motion(const ModelData& model, const KinematicsWork& k, int point, const Vec3<double>& p_W) {
  if (point < 0) return Motion<double>::zero();
  const int link = model.points[point].link;
  return {k.V_WL[link].w, point_velocity(k, link, p_W)};
}

double axis_component(const Mat3<double>& R, int component) { return R(component % 3, component / 3); }

double point_acceleration(const ModelData& model, const Workspace& work, const Transform<double>& X, const Channel& c) {
  const int link = model.points[c.index].link;
  const LinkAcceleration there = link_acceleration(model, work, link, X.p - work.kinematics.X_WL[link].p);
  switch (c.kind) {
    case ChannelKind::kPointAcceleration:
      return there.a[c.component];
    case ChannelKind::kPointAccelerationLocal:
      return transpose_times(X.R, there.a)[c.component];
    case ChannelKind::kPointAngularAcceleration:
      return there.alpha[c.component];
    case ChannelKind::kPointAngularAccelerationLocal:
      return transpose_times(X.R, there.alpha)[c.component];
    default:
      return transpose_times(X.R, there.a - model.gravity)[c.component];
  }
}

}  // namespace

double quaternion_component(const Mat3<double>& R, int component) {
  const Eigen::Quaterniond q(to_eigen(R));
  const double sign = q.w() < 0 ? -1 : 1;
  const double values[] = {q.w(), q.x(), q.y(), q.z()};
  return sign * values[component];
}

Transform<double> point_pose(const ModelData& model, const KinematicsWork& k, int point) {
  if (point < 0) return Transform<double>::identity();
  const PointData& p = model.points[point];
  return k.X_WL[p.link] * Transform<double>{p.R_L, p.p_L};
}

double point_value(const ModelData& model, const State& state, const Workspace& work, const Channel& c) {
  const Transform<double> X = point_pose(model, work.kinematics, c.index);
  const Motion<double> V = point_motion(model, work.kinematics, c.index, X.p);
  switch (c.kind) {
    case ChannelKind::kPointPosition:
      return X.p[c.component];
    case ChannelKind::kPointVelocity:
      return V.v[c.component];
    case ChannelKind::kPointVelocityLocal:
      return transpose_times(X.R, V.v)[c.component];
    case ChannelKind::kPointQuaternion:
      return quaternion_component(X.R, c.component);
    case ChannelKind::kPointAxis:
      return axis_component(X.R, c.component);
    case ChannelKind::kPointAngularVelocity:
      return V.w[c.component];
    case ChannelKind::kPointAngularVelocityLocal:
      return transpose_times(X.R, V.w)[c.component];
    case ChannelKind::kPointLoad: {
      const Force<double> load = carried_load(model, state, work, model.points[c.index].body, X.p);
      return transpose_times(X.R, c.component < 3 ? load.f : load.n)[c.component % 3];
    }
    case ChannelKind::kPointTouch:
      return touch_force(model, state, model.points[c.index], X);
    case ChannelKind::kPointRange:
      return ray_range(model, work.kinematics, model.points[c.index], X);
    default:
      return point_acceleration(model, work, X, c);
  }
}

// An observer that turns with the other point sees v - v_o - ω_o × r.
double relative_value(const ModelData& model, const KinematicsWork& k, const Channel& c) {
  const Transform<double> X = point_pose(model, k, c.index), O = point_pose(model, k, c.other);
  const Vec3<double> r = X.p - O.p;
  if (c.kind == ChannelKind::kRelativePosition) return transpose_times(O.R, r)[c.component];
  if (c.kind == ChannelKind::kRelativeQuaternion) return quaternion_component(transpose(O.R) * X.R, c.component);
  if (c.kind == ChannelKind::kRelativeAxis) return axis_component(transpose(O.R) * X.R, c.component);
  const Motion<double> V = point_motion(model, k, c.index, X.p), V_o = point_motion(model, k, c.other, O.p);
  if (c.kind == ChannelKind::kRelativeAngularVelocity) return transpose_times(O.R, V.w - V_o.w)[c.component];
  return transpose_times(O.R, V.v - V_o.v - cross(V_o.w, r))[c.component];
}

bool is_carried_by(const ModelData& model, int body, int root) {
  while (body >= 0 && body != root) body = model.joints[model.bodies[body].carrier].parent;
  return body == root;
}

double subtree_value(const ModelData& model, const KinematicsWork& k, const Channel& c) {
  double mass = 0;
  Vec3<double> moment = Vec3<double>::zero(), momentum = Vec3<double>::zero(), spin = Vec3<double>::zero();
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    if (!is_carried_by(model, b, c.index)) continue;
    const int link = model.bodies[b].link;
    const double m = model.bodies[b].mass_properties.mass;
    const Vec3<double> p = center_of_body(model, k, b), mv = m * point_velocity(k, link, p);
    mass += m;
    moment += m * p;
    momentum += mv;
    spin += body_spin(model, k, b, k.V_WL[link].w) + cross(p, mv);
  }
  if (c.kind == ChannelKind::kSubtreeMass) return mass;
  const double per_mass = mass > 0 ? 1 / mass : 0;
  if (c.kind == ChannelKind::kSubtreeCenter) return per_mass * moment[c.component];
  if (c.kind == ChannelKind::kSubtreeVelocity) return per_mass * momentum[c.component];
  return (spin - cross(per_mass * moment, momentum))[c.component];
}

}  // namespace lipkin
