#include "forces/link_acceleration.hpp"

#include "model/eigen_convert.hpp"

namespace lipkin {

// From the articulated-body pass: its spatial acceleration holds minus gravity and the frame's own motion (Featherstone
// 2008, section 2.11).
LinkAcceleration link_acceleration(const ModelData& model, const Workspace& work, int link, const Vec3<double>& r_W) {
  if (link == 0) return {Vec3<double>::zero(), Vec3<double>::zero()};
  const Mat3<double>& R = work.kinematics.X_WL[link].R;
  const Vec3<double>& w = work.kinematics.V_WL[link].w;
  const LinkWork<double>& body = work.links[link];
  const Vec3<double> alpha = R * body.a.w;
  const Vec3<double> origin = R * body.a.v + model.gravity + cross(w, work.kinematics.V_WL[link].v);
  return {alpha, origin + cross(alpha, r_W) + cross(w, cross(w, r_W))};
}

Vec3<double> center_of_body(const ModelData& model, const KinematicsWork& kinematics, int index) {
  const BodyData& body = model.bodies[index];
  return kinematics.X_WL[body.link] * (body.X_LB * from_eigen(body.mass_properties.com));
}

Vec3<double> body_spin(const ModelData& model, const KinematicsWork& kinematics, int index, const Vec3<double>& w_W) {
  const BodyData& body = model.bodies[index];
  const Mat3<double> R_WB = kinematics.X_WL[body.link].R * body.X_LB.R;
  return R_WB * (from_eigen(body.mass_properties.inertia) * transpose_times(R_WB, w_W));
}

Force<double> body_load(const ModelData& model, const Workspace& work, int index) {
  const BodyData& body = model.bodies[index];
  const KinematicsWork& k = work.kinematics;
  const Vec3<double> r = center_of_body(model, k, index) - k.X_WL[body.link].p;
  const LinkAcceleration acceleration = link_acceleration(model, work, body.link, r);
  const Vec3<double>& w = k.V_WL[body.link].w;
  return {body_spin(model, k, index, acceleration.alpha) + cross(w, body_spin(model, k, index, w)),
          body.mass_properties.mass * acceleration.a};
}

}  // namespace lipkin
