#include "forces/link_acceleration.hpp"

#include "model/eigen_convert.hpp"
#include "tree/closure_rows.hpp"

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

double closure_acceleration(const ModelData& model, const Workspace& work, int closure, int k) {
  const ClosureData& c = model.closures[closure];
  SpatialRows row;
  closure_coordinate_row(c, closure_frames(c, work.kinematics.X_WL.data()), work.kinematics, k, row);
  const auto of_link = [&](int link) {
    const LinkAcceleration there = link_acceleration(model, work, link, Vec3<double>::zero());
    return Motion<double>{there.alpha, there.a};
  };
  double growth;
  row.rates(of_link(c.link_a), of_link(c.link_b), &growth);
  return growth + closure_rate_change(c, work.kinematics, k);
}

// The power of what the joint exerts, for a unit of the coordinate's rate with the others at rest: along an axis, about
// one, or with a screw both. The rotor takes its part of the force, tau = Sᵀ F + a du/dt.
double closure_force(const ModelData& model, const Workspace& work, int joint, int k) {
  const int closure = model.joints[joint].closure;
  const ClosureData& c = model.closures[closure];
  SpatialRows row;
  closure_coordinate_row(c, closure_frames(c, work.kinematics.X_WL.data()), work.kinematics, k, row);
  const auto part = [&](int first) {
    constexpr int n = SpatialRows::kLanes;
    return Vec3<double>{{row.f_b[first * n], row.f_b[(first + 1) * n], row.f_b[(first + 2) * n]}};
  };
  const Vec3<double> along = part(3), about = part(0);
  const Force<double>& F = work.joint_force[joint];  // about M
  double force = squared_norm(along) > 0 ? dot(F.f, along) : dot(F.n, about);
  if (c.type == JointType::kScrew) force += c.pitch * dot(F.f, about);
  for (const RowSpringData& spring : model.row_springs)
    if (spring.armature > 0 && spring.dof.closure == closure && spring.dof.k == k)
      force += spring.armature * closure_acceleration(model, work, closure, k);
  return force;
}

}  // namespace lipkin
