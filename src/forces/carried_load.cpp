#include "forces/carried_load.hpp"

#include "forces/channel_values.hpp"
#include "forces/elements.hpp"
#include "forces/link_acceleration.hpp"
#include "forces/point_values.hpp"
#include "model/eigen_convert.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

// Sums forces on the bodies that are carried by a body and move with it.
class WeldLoad {
 public:
  WeldLoad(const ModelData& model, const Workspace& work, int root, const Vec3<double>& p)
      : model_(model), work_(work), root_(root), p_(p) {}

  // What moves the bodies themselves, and what they carry by joints.
  void add_bodies() {
    for (int b = 0; b < static_cast<int>(model_.bodies.size()); ++b) {
      const BodyData& body = model_.bodies[b];
      if (is_part(b)) {
        const Force<double> load = body_load(model_, work_, b);
        const Vec3<double> weight = body.mass_properties.mass * model_.gravity;
        add(center_of_body(model_, work_.kinematics, b), {load.n, load.f - weight});
      } else if (is_part(model_.joints[body.carrier].parent)) {
        const Force<double> load = carried_by_joint(model_, work_, b);
        add(work_.kinematics.X_WL[body.link].p, load);
      }
    }
  }

  // What acts on them from outside does not go through the weld.
  void take_contacts(const State& state) {
    if (state.impulse_step <= 0) return;
    for (const ContactMemory& m : state.contacts) {
      const Vec3<double> force =
          (1 / state.impulse_step) * from_eigen(Eigen::Vector3d(m.normal * m.direction + m.tangential));
      const Vec3<double> torque =
          (1 / state.impulse_step) * from_eigen(Eigen::Vector3d(m.spin * m.direction + m.rolling));
      take(model_.contact_shapes[m.shape_b].body, from_eigen(m.point), {torque, force});
      take(model_.contact_shapes[m.shape_a].body, from_eigen(m.point), {-torque, -force});
    }
  }

  void take_springs() {
    for (const SpringDamperData& spring : model_.springs) {
      const SpringState s = spring_state(spring, work_.kinematics);
      const Vec3<double> pull = s.tension * s.direction;
      take(spring.a.body, s.p_a, {Vec3<double>::zero(), pull});
      take(spring.b.body, s.p_b, {Vec3<double>::zero(), -pull});
    }
  }

  void take_pushes(const State& state) {
    for (const ActivePush& push : state.pushes) {
      const BodyData& body = model_.bodies[push.body];
      const Transform<double> X = work_.kinematics.X_WL[body.link] * body.X_LB;
      Vec3<double> force = push.share * from_eigen(push.force), torque = push.share * from_eigen(push.torque);
      if (push.along_body) force = X.R * force, torque = X.R * torque;
      take(push.body, X * from_eigen(push.point), {torque, force});
    }
    for (const ActiveDrag& drag : state.drags) {
      const BodyData& body = model_.bodies[drag.body];
      const Vec3<double> p = work_.kinematics.X_WL[body.link] * (body.X_LB * from_eigen(drag.point));
      const Eigen::Vector3d v = to_eigen(point_velocity(work_.kinematics, body.link, p));
      const Eigen::Vector3d force = drag.stiffness * (drag.target - to_eigen(p)) - drag.damping * v;
      take(drag.body, p, {Vec3<double>::zero(), from_eigen(force)});
    }
  }

  void take_forces(const State& state) {
    for (const BodyForceData& f : model_.body_forces) {
      const Transform<double>& X = work_.kinematics.X_WL[f.at.link];
      Vec3<double> force, torque;
      for (int k = 0; k < 3; ++k) force[k] = value(state, f.force[k]), torque[k] = value(state, f.torque[k]);
      if (f.frame == ForceFrame::kBody) force = X.R * (f.R_LB * force), torque = X.R * (f.R_LB * torque);
      take(f.at.body, X * f.at.p_L, {torque, force});
    }
  }

  // Joints that carry a body, as rows, are among those of the bodies.
  void take_loops() {
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      const JointData& joint = model_.joints[j];
      if (joint.closure < 0 || (joint.child >= 0 && model_.bodies[joint.child].carrier == static_cast<int>(j)))
        continue;
      const ClosureData& closure = model_.closures[joint.closure];
      const Vec3<double> at = work_.kinematics.X_WL[closure.link_b] * closure.X_BM.p;
      take(joint.child, at, work_.joint_force[j]);
      take(joint.parent, at, -work_.joint_force[j]);
    }
  }

  const Force<double>& sum() const { return sum_; }

  // About the origin of the body's link.
  static Force<double> carried_by_joint(const ModelData& model, const Workspace& work, int body) {
    const BodyData& b = model.bodies[body];
    const JointData& carrier = model.joints[b.carrier];
    if (carrier.closure < 0) return work.link_force[b.link];
    const Force<double>& f = work.joint_force[b.carrier];  // about M
    return {f.n + cross(work.kinematics.X_WL[b.link].R * model.closures[carrier.closure].X_BM.p, f.f), f.f};
  }

 private:
  bool is_part(int body) const {
    return body >= 0 && model_.bodies[body].link == model_.bodies[root_].link && is_carried_by(model_, body, root_);
  }

  // Without the slots of the workspace, in which the expression that asks is being worked out.
  double value(const State& state, const SignalData& signal) const {
    if (const double* number = std::get_if<double>(&signal)) return *number;
    if (const Table* table = std::get_if<Table>(&signal)) return table_value(*table, state.t);
    const auto& e = std::get<ChannelExpression>(signal);
    std::vector<double> slots;
    for (const Channel& channel : e.channels) slots.push_back(channel_value(model_, state, work_, channel));
    return e.expression.evaluate(slots);
  }

  void add(const Vec3<double>& at, const Force<double>& f) { sum_ += {f.n + cross(at - p_, f.f), f.f}; }
  void take(int body, const Vec3<double>& at, const Force<double>& f) {
    if (is_part(body)) add(at, -f);
  }

  const ModelData& model_;
  const Workspace& work_;
  int root_;
  Vec3<double> p_;
  Force<double> sum_ = Force<double>::zero();
};

}  // namespace

Force<double> carried_load(const ModelData& model, const State& state, const Workspace& work, int body,
                           const Vec3<double>& p) {
  if (body < 0) return Force<double>::zero();
  if (model.joints[model.bodies[body].carrier].type != JointType::kFixed) {
    const Force<double> load = WeldLoad::carried_by_joint(model, work, body);
    return {load.n + cross(work.kinematics.X_WL[model.bodies[body].link].p - p, load.f), load.f};
  }
  WeldLoad load(model, work, body, p);
  load.add_bodies();
  load.take_contacts(state);
  load.take_springs();
  load.take_forces(state);
  load.take_pushes(state);
  load.take_loops();
  return load.sum();
}

}  // namespace lipkin
