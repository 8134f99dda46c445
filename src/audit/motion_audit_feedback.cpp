// Rates where gaps are fed back into them (J. Baumgarte, Stabilization of constraints and integrals of motion in
// dynamical systems, Comput. Methods Appl. Mech. Eng. 1 (1972) 1, of first order): a gap g with the rate g' is to obey
// g' + k g = 0. Two laws that contradict each other cannot both do so, and the more their gaps grow the less.
#include "audit/motion_audit.hpp"
#include "model/tendon_path.hpp"

namespace lipkin {

// d is the way from F to M. Joints that hold a point hold d along the world's axes, the others along those of F.
void MotionAudit::measure_lengths_fed_back(const HeldJoint& j, const AuditedMotion& m, double turned, double pitch,
                                           double k, AuditReport& report) {
  const Transform<double>&A = m.X_WL[j.link_a], &B = m.X_WL[j.link_b];
  const Motion<double>&V_a = m.V_WL[j.link_a], &V_b = m.V_WL[j.link_b];
  const Vec3<double> z_F = A.R * j.z_A, r_F = A.R * j.p_AF, r_M = B.R * j.p_BM, d = B.p + r_M - A.p - r_F;
  const Vec3<double> in_world = V_b.v + cross(V_b.w, r_M) - V_a.v - cross(V_a.w, r_F) + k * d;
  const Vec3<double> in_F = in_world - cross(V_a.w, d);
  const double along = dot(in_F, z_F), across = squared_norm(in_F) - along * along;
  switch (j.type) {
    case JointType::kPrismatic:
    case JointType::kCylindrical:
      return report.speed.take_square(across, j.item);
    case JointType::kScrew: {
      const double advance = along - pitch * (dot(V_b.w - V_a.w, z_F) + k * turned);
      return report.speed.take_square(across + advance * advance, j.item);
    }
    case JointType::kPlanar:
      return report.speed.take(std::abs(along), j.item);
    default:
      report.speed.take_square(squared_norm(in_world), j.item);
  }
}

// Joints hold axes e_F of the one frame at a right angle to axes e_M of the other: e_F · e_M is the gap, and
// w · (e_M x e_F) its rate.
void MotionAudit::measure_angles_fed_back(const HeldJoint& j, const AuditedMotion& m, double k, AuditReport& report) {
  const Mat3<double>&A = m.X_WL[j.link_a].R, &B = m.X_WL[j.link_b].R;
  const Vec3<double> w = m.V_WL[j.link_b].w - m.V_WL[j.link_a].w;
  const Vec3<double> x_F = A * j.x_A, z_F = A * j.z_A, y_F = cross(z_F, x_F);
  const Vec3<double> x_M = B * j.x_B, y_M = B * j.y_B, z_M = B * j.z_B;
  const auto off = [&](const Vec3<double>& e_F, const Vec3<double>& e_M) {
    const double rate = dot(w, cross(e_M, e_F)) + k * dot(e_F, e_M);
    return rate * rate;
  };
  switch (j.type) {
    case JointType::kBall:
      return;
    case JointType::kUniversal:
      return report.turn_rate.take_square(off(x_F, y_M), j.item);
    case JointType::kPrismatic:
    case JointType::kFixed:
      return report.turn_rate.take_square(off(y_F, z_M) + off(z_F, x_M) + off(x_F, y_M), j.item);
    default:
      report.turn_rate.take_square(off(x_F, z_M) + off(y_F, z_M), j.item);
  }
}

void MotionAudit::measure_fed_back(const ModelData& model, const AuditedMotion& motion, const State& state,
                                   const MotorSignals::View& motors, double feedback, bool ahead,
                                   AuditReport& report) const {
  for (const HeldJoint& j : joints_) {
    const ClosureData& c = model.closures[j.closure];
    const double turned = c.type == JointType::kScrew ? state.closure_q[c.coordinate_index] : 0;
    measure_lengths_fed_back(j, motion, turned, c.pitch, feedback, report);
    measure_angles_fed_back(j, motion, feedback, report);
  }
  for (const HeldCoordinate& c : coordinates_) {
    const bool has_gap = c.what != What::kMotor || !ahead;
    const double gap = has_gap ? gap_of(model, c, state, motors) : 0;
    const double rate = rate_of_gap(model, c, motion, state, motors) + feedback * gap;
    (c.is_length ? report.speed : report.turn_rate).take(std::abs(rate), c.item);
  }
  for (const HeldWay& way : ways_) {
    const DistanceData& d = model.distances[way.index];
    if (d.lower != d.upper) continue;
    const double length = norm(motion.X_WL[d.b.link] * d.b.p_L - motion.X_WL[d.a.link] * d.a.p_L);
    report.speed.take(std::abs(rate_between(d, motion) + feedback * (length - d.upper)), way.item);
  }
}

}  // namespace lipkin
