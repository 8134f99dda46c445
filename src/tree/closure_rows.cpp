#include "tree/closure_rows.hpp"

#include <cmath>
#include <numbers>

#include "spatial/quaternion.hpp"

namespace lipkin {

namespace {

// What a joint type holds. Displacements p_M - p_F: all three along the world's axes, or some along F's. Directions:
// each a pair of axes, one of F and one of M, kept at a right angle.
struct Held {
  bool point = false;                     // all three displacements
  bool along[3] = {false, false, false};  // displacement along x, y, z of F
  bool advance = false;                   // screw: displacement along z minus pitch times angle
  int direction_count = 0;
  int axis_F[3] = {0, 0, 0}, axis_M[3] = {0, 0, 0};
};

Held held_by(JointType type) {
  Held h;
  const auto keep = [&](int f, int m) {
    h.axis_F[h.direction_count] = f;
    h.axis_M[h.direction_count++] = m;
  };
  switch (type) {
    case JointType::kRevolute:
      h.point = true;
      keep(0, 2), keep(1, 2);
      break;
    case JointType::kScrew:
      h.along[0] = h.along[1] = h.advance = true;
      keep(0, 2), keep(1, 2);
      break;
    case JointType::kCylindrical:
      h.along[0] = h.along[1] = true;
      keep(0, 2), keep(1, 2);
      break;
    case JointType::kPrismatic:
      h.along[0] = h.along[1] = true;
      keep(1, 2), keep(2, 0), keep(0, 1);
      break;
    case JointType::kUniversal:
      h.point = true;
      keep(0, 1);
      break;
    case JointType::kPlanar:
      h.along[2] = true;
      keep(0, 2), keep(1, 2);
      break;
    case JointType::kBall:
      h.point = true;
      break;
    case JointType::kFixed:
      h.point = true;
      keep(1, 2), keep(2, 0), keep(0, 1);
      break;
    case JointType::kFree:
      break;
  }
  return h;
}

double unwound(double angle, double before) {
  constexpr double kTurn = 2 * std::numbers::pi;
  return angle + kTurn * std::round((before - angle) / kTurn);
}

double angle_about_z(const ClosureFrames& f) {
  const Vec3<double> x_M = f.X_WM.R.column(0);
  return std::atan2(dot(x_M, f.X_WF.R.column(1)), dot(x_M, f.X_WF.R.column(0)));
}

// Rotation vector from F to M, at most pi long.
void put_rotation_vector(const Mat3<double>& F, const Mat3<double>& M, double* q) {
  const Mat3<double> R = transpose(F) * M;
  const Vec3<double> s = {{R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)}};  // 2 sin times the axis
  const double sine = norm(s), angle = std::atan2(sine, R(0, 0) + R(1, 1) + R(2, 2) - 1);
  const double scale = sine > 0 ? angle / sine : 0.5;
  for (int k = 0; k < 3; ++k) q[k] = scale * s[k];
}

Mat3<double> turned_by(const Vec3<double>& rotation_vector) { return rotation(quaternion_exp(rotation_vector)); }

// The axis of a rotation by pi: the longest column of R + 1.
Vec3<double> axis_of_half_turn(const Mat3<double>& R) {
  Vec3<double> longest = Vec3<double>::zero();
  for (int k = 0; k < 3; ++k) {
    const Vec3<double> column = R.column(k) + Vec3<double>::unit(k);
    if (norm(column) > norm(longest)) longest = column;
  }
  return (1 / norm(longest)) * longest;
}

}  // namespace

ClosureFrames closure_frames(const ClosureData& closure, const Transform<double>* X_WL) {
  return {X_WL[closure.link_a] * closure.X_AF, X_WL[closure.link_b] * closure.X_BM};
}

int closure_length_count(JointType type) {
  const Held h = held_by(type);
  return h.point ? 3 : h.along[0] + h.along[1] + h.along[2] + h.advance;
}

int closure_row_count(JointType type) { return closure_length_count(type) + held_by(type).direction_count; }

void closure_gaps(const ClosureData& closure, const ClosureFrames& frames, const double* q, double* gaps) {
  const Held h = held_by(closure.type);
  const Vec3<double> d = frames.X_WM.p - frames.X_WF.p;
  int n = 0;
  if (h.point)
    for (int k = 0; k < 3; ++k) gaps[n++] = d[k];
  for (int k = 0; k < 3; ++k)
    if (h.along[k]) gaps[n++] = dot(frames.X_WF.R.column(k), d);
  if (h.advance) gaps[n++] = dot(frames.X_WF.R.column(2), d) - closure.pitch * unwound(angle_about_z(frames), q[0]);
  for (int k = 0; k < h.direction_count; ++k)
    gaps[n++] = dot(frames.X_WF.R.column(h.axis_F[k]), frames.X_WM.R.column(h.axis_M[k]));
}

// d/dt (e_F · e_M) = (w_b - w_a) · (e_M x e_F); d/dt (e_F · d) = e_F · (v_b - v_a), both velocities at M's origin.
void closure_rows(const ClosureData& closure, const ClosureFrames& frames, const KinematicsWork& kinematics,
                  SpatialRows& rows) {
  const Held h = held_by(closure.type);
  rows.clear(closure.link_a, closure.link_b);
  const Vec3<double>&p_F = frames.X_WF.p, &p_M = frames.X_WM.p;
  if (h.point)
    for (int k = 0; k < 3; ++k) rows.add_linear(kinematics, Vec3<double>::unit(k), p_F, p_M);
  for (int k = 0; k < 3; ++k)
    if (h.along[k]) rows.add_linear(kinematics, frames.X_WF.R.column(k), p_M, p_M);
  if (h.advance) {
    const Vec3<double> z = frames.X_WF.R.column(2);
    rows.add_linear(kinematics, z, p_M, p_M);
    rows.add_to_last(-closure.pitch, z);
  }
  for (int k = 0; k < h.direction_count; ++k)
    rows.add_angular(cross(frames.X_WM.R.column(h.axis_M[k]), frames.X_WF.R.column(h.axis_F[k])));
}

void closure_coordinates(const ClosureData& closure, const ClosureFrames& frames, double* q) {
  const Mat3<double>&F = frames.X_WF.R, &M = frames.X_WM.R;
  const Vec3<double> d = frames.X_WM.p - frames.X_WF.p;
  switch (closure.type) {
    case JointType::kRevolute:
    case JointType::kScrew:
      q[0] = unwound(angle_about_z(frames), q[0]);
      break;
    case JointType::kPrismatic:
      q[0] = dot(F.column(2), d);
      break;
    case JointType::kCylindrical:
      q[0] = unwound(angle_about_z(frames), q[0]);
      q[1] = dot(F.column(2), d);
      break;
    case JointType::kUniversal:
      q[0] = unwound(std::atan2(dot(M.column(1), F.column(2)), dot(M.column(1), F.column(1))), q[0]);
      q[1] = unwound(std::atan2(dot(M.column(2), F.column(0)), dot(M.column(0), F.column(0))), q[1]);
      break;
    case JointType::kPlanar:
      q[0] = dot(F.column(0), d);
      q[1] = dot(F.column(1), d);
      q[2] = unwound(angle_about_z(frames), q[2]);
      break;
    case JointType::kBall:
      put_rotation_vector(F, M, q);
      break;
    case JointType::kFree:
      for (int k = 0; k < 3; ++k) q[k] = dot(F.column(k), d);
      put_rotation_vector(F, M, q + 3);
      break;
    case JointType::kFixed:
      break;
  }
}

bool keeps_turns(JointType type, int k) {
  switch (type) {
    case JointType::kRevolute:
    case JointType::kScrew:
    case JointType::kCylindrical:
      return k == 0;
    case JointType::kUniversal:
      return true;
    case JointType::kPlanar:
      return k == 2;
    default:
      return false;
  }
}

double closure_advance(const ClosureFrames& frames) {
  return dot(frames.X_WF.R.column(2), frames.X_WM.p - frames.X_WF.p);
}

void closure_coordinate_row(const ClosureData& closure, const ClosureFrames& frames, const KinematicsWork& kinematics,
                            int k, SpatialRows& rows) {
  const Mat3<double>&F = frames.X_WF.R, &M = frames.X_WM.R;
  const Vec3<double>& p = frames.X_WM.p;
  rows.clear(closure.link_a, closure.link_b);
  switch (closure.type) {
    case JointType::kPrismatic:
      return rows.add_linear(kinematics, F.column(2), p, p);
    case JointType::kCylindrical:
      if (k == 1) return rows.add_linear(kinematics, F.column(2), p, p);
      return rows.add_angular(F.column(2));
    case JointType::kUniversal:
      return rows.add_angular(k == 0 ? F.column(0) : M.column(1));
    case JointType::kPlanar:
      if (k < 2) return rows.add_linear(kinematics, F.column(k), p, p);
      return rows.add_angular(F.column(2));
    case JointType::kFree:
      if (k < 3) return rows.add_linear(kinematics, F.column(k), p, p);
      return rows.add_angular(M.column(k - 3));
    case JointType::kBall:
      return rows.add_angular(M.column(k));
    default:
      return rows.add_angular(F.column(2));
  }
}

double closure_rate(const ModelData& model, const KinematicsWork& kinematics, int closure, int k) {
  const ClosureData& c = model.closures[closure];
  SpatialRows rows;
  closure_coordinate_row(c, closure_frames(c, kinematics.X_WL.data()), kinematics, k, rows);
  double rate;
  rows.rates(kinematics.V_WL[c.link_a], kinematics.V_WL[c.link_b], &rate);
  return rate;
}

double closure_rate_change(const ClosureData& c, const KinematicsWork& kinematics, int k) {
  const ClosureFrames frames = closure_frames(c, kinematics.X_WL.data());
  const Mat3<double>&F = frames.X_WF.R, &M = frames.X_WM.R;
  const Motion<double>&V_a = kinematics.V_WL[c.link_a], &V_b = kinematics.V_WL[c.link_b];
  const auto along_F = [&](int axis) {  // e · (v_b - v_a) at M's origin, e turning with a
    const Vec3<double> e = F.column(axis), p = frames.X_WM.p;
    const Vec3<double> r_b = p - kinematics.X_WL[c.link_b].p, r_a = p - kinematics.X_WL[c.link_a].p;
    const Vec3<double> v_M = V_b.v + cross(V_b.w, r_b);
    const Vec3<double> slide = v_M - V_a.v - cross(V_a.w, r_a);
    return dot(cross(V_a.w, e), slide) + dot(e, cross(V_b.w, cross(V_b.w, r_b)) - cross(V_a.w, v_M - V_a.v));
  };
  const auto about_F = [&](int axis) { return dot(cross(V_a.w, F.column(axis)), V_b.w); };
  const auto about_M = [&](int axis) { return -dot(cross(V_b.w, M.column(axis)), V_a.w); };
  switch (c.type) {
    case JointType::kPrismatic:
      return along_F(2);
    case JointType::kCylindrical:
      return k == 1 ? along_F(2) : about_F(2);
    case JointType::kUniversal:
      return k == 0 ? about_F(0) : about_M(1);
    case JointType::kPlanar:
      return k < 2 ? along_F(k) : about_F(2);
    case JointType::kFree:
      return k < 3 ? along_F(k) : about_M(k - 3);
    case JointType::kBall:
      return about_M(k);
    default:
      return about_F(2);
  }
}

Vec3<double> closure_turn(const ClosureData& closure, const ClosureFrames& frames) {
  const Mat3<double> R = transpose(frames.X_WF.R) * frames.X_WM.R;
  constexpr double kHalfTurn = 1e-6;  // nearer to pi the axis is lost in rounding
  switch (closure.type) {
    case JointType::kPrismatic:
    case JointType::kFixed: {
      double turn[3];
      put_rotation_vector(Mat3<double>::identity(), R, turn);
      const bool is_half = R(0, 0) + R(1, 1) + R(2, 2) < -1 + kHalfTurn * kHalfTurn;
      return is_half ? std::numbers::pi * axis_of_half_turn(R) : Vec3<double>{{turn[0], turn[1], turn[2]}};
    }
    case JointType::kRevolute:
    case JointType::kScrew:
    case JointType::kCylindrical:
    case JointType::kPlanar: {
      const Vec3<double> z = Vec3<double>::unit(2), z_M = R.column(2), axis = cross(z, z_M);
      const double sine = norm(axis);
      if (sine > kHalfTurn) return (std::atan2(sine, z_M[2]) / sine) * axis;
      return z_M[2] > 0 ? axis : std::numbers::pi * Vec3<double>::unit(0);
    }
    default:
      return Vec3<double>::zero();
  }
}

ClosureData partly_turned(const ClosureData& closure, const ClosureFrames& frames, double left) {
  const Vec3<double> turn = closure_turn(closure, frames);
  // F to M is E R, R the part that the joint leaves free; with the part `left` of E it would be E' R.
  const Mat3<double> free = transpose(turned_by(turn)) * (transpose(frames.X_WF.R) * frames.X_WM.R);
  ClosureData result = closure;
  result.X_BM.R = closure.X_BM.R * (transpose(turned_by(left * turn) * free) * free);
  return result;
}

bool closure_upright(const ClosureData& closure, const ClosureFrames& frames) {
  const Mat3<double>&F = frames.X_WF.R, &M = frames.X_WM.R;
  switch (closure.type) {
    case JointType::kPrismatic:
    case JointType::kFixed:
      return dot(F.column(0), M.column(0)) > 0 && dot(F.column(1), M.column(1)) > 0 &&
             dot(F.column(2), M.column(2)) > 0;
    case JointType::kBall:
    case JointType::kFree:
    case JointType::kUniversal:
      return true;
    default:
      return dot(F.column(2), M.column(2)) > 0;
  }
}

}  // namespace lipkin
