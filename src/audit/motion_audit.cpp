#include "audit/motion_audit.hpp"

#include <fmt/format.h>

#include "audit/audited_coordinate.hpp"
#include "model/mechanism_size.hpp"
#include "model/tendon_path.hpp"

namespace lipkin {

namespace {

// A limit that is passed and goes further by less than this is being pushed back, or stands [m/s] or [rad/s].
constexpr double kPushedOut = 1e-7;
// What is pushed back comes nearer by a fifth in each step, until this is left, times the size of the mechanism or 1 m.
// What has not come nearer for so many steps cannot be pushed.
constexpr double kPushes = 0.01, kLeftPassed = 2e-5;
constexpr int kStuckSteps = 20;

bool is_axial(JointType type) {
  return type == JointType::kRevolute || type == JointType::kScrew || type == JointType::kCylindrical ||
         type == JointType::kPlanar;
}

// Two vectors at once: what a joint's place and axis take to the world.
struct Two {
  Vec3<double> first, second;
};
Two turned(const Mat3<double>& R, const Vec3<double>& a, const Vec3<double>& b) {
  using Pair = double __attribute__((vector_size(16)));
  const Pair x = {a[0], b[0]}, y = {a[1], b[1]}, z = {a[2], b[2]};
  Two r;
  for (int i = 0; i < 3; ++i) {
    const Pair sum = R(i, 0) * x + R(i, 1) * y + R(i, 2) * z;
    r.first[i] = sum[0], r.second[i] = sum[1];
  }
  return r;
}

double squared(const Vec3<double>& a) { return dot(a, a); }

// What is left of a vector across a unit axis.
Vec3<double> across(const Vec3<double>& a, const Vec3<double>& axis) { return a - dot(a, axis) * axis; }

// The rotation between two frames given by their x and z axes: the larger chord.
double chord_squared(const Vec3<double>& x_F, const Vec3<double>& z_F, const Vec3<double>& x_M,
                     const Vec3<double>& z_M) {
  return std::max(squared(x_F - x_M), squared(z_F - z_M));
}

}  // namespace

// Of the distance between two points; none where they are in one place.
double MotionAudit::rate_between(const DistanceData& d, const AuditedMotion& m) {
  const Vec3<double> r_A = m.X_WL[d.a.link].R * d.a.p_L, r_B = m.X_WL[d.b.link].R * d.b.p_L;
  const Vec3<double> way_AB = m.X_WL[d.b.link].p + r_B - m.X_WL[d.a.link].p - r_A;
  const Vec3<double> v =
      m.V_WL[d.b.link].v + cross(m.V_WL[d.b.link].w, r_B) - m.V_WL[d.a.link].v - cross(m.V_WL[d.a.link].w, r_A);
  const double length = norm(way_AB);
  return length > 0 ? dot(v, way_AB) / length : 0;
}

MotionAudit::MotionAudit(const ModelData& model) {
  for (std::size_t i = 0; i < model.closures.size(); ++i) {
    const ClosureData& c = model.closures[i];
    if (c.type == JointType::kFree || (c.link_a == 0 && c.link_b == 0)) continue;
    joints_.push_back({add(Item::Of::kClosure, static_cast<int>(i)), static_cast<int>(i), c.link_a, c.link_b, c.type,
                       c.X_AF.p, c.X_BM.p, c.X_AF.R.column(0), c.X_AF.R.column(2), c.X_BM.R.column(0),
                       c.X_BM.R.column(1), c.X_BM.R.column(2)});
  }
  const auto add_coordinate = [&](Item::Of of, What what, std::size_t index, const DofRef& dof) {
    const int i = static_cast<int>(index);
    coordinates_.push_back({add(of, i), what, i, is_length(model, dof)});
  };
  for (std::size_t i = 0; i < model.gears.size(); ++i)
    add_coordinate(Item::Of::kGear, What::kGear, i, model.gears[i].dof);
  for (std::size_t i = 0; i < model.motors.size(); ++i)
    if (prescribes(model.motors[i])) add_coordinate(Item::Of::kMotor, What::kMotor, i, model.motors[i].dof);
  for (std::size_t i = 0; i < model.limits.size(); ++i) {
    const int index = static_cast<int>(i);
    limits_.push_back({add(Item::Of::kLimit, index), index, is_length(model, model.limits[i].dof)});
  }
  for (std::size_t i = 0; i < model.distances.size(); ++i)
    ways_.push_back({add(Item::Of::kDistance, static_cast<int>(i)), static_cast<int>(i)});
  for (std::size_t i = 0; i < model.ball_limits.size(); ++i)
    turns_.push_back({add(Item::Of::kBallLimit, static_cast<int>(i)), static_cast<int>(i)});
  passed_.reserve(items_.size());
  left_passed_ = kLeftPassed * std::max(mechanism_size(model), 1.0);
}

// The gap of a joint, and its rate.
template <bool gap, bool rate>
void MotionAudit::measure_joint(const HeldJoint& j, const Transform<double>* X_WL, const Motion<double>* V_WL,
                                const double* closure_q, double pitch, AuditReport& report) {
  const Transform<double>&A = X_WL[j.link_a], &B = X_WL[j.link_b];
  const Two of_A = turned(A.R, j.z_A, j.p_AF), of_B = turned(B.R, j.z_B, j.p_BM);
  const Vec3<double>&z_F = of_A.first, &r_F = of_A.second, &z_M = of_B.first, &r_M = of_B.second;
  const Vec3<double> d = B.p + r_M - A.p - r_F;
  Vec3<double> w{}, v_M{};
  if constexpr (rate) {
    w = V_WL[j.link_b].w - V_WL[j.link_a].w;
    v_M = V_WL[j.link_b].v + cross(V_WL[j.link_b].w, r_M) - V_WL[j.link_a].v;
  }
  // Of M's origin against what the first link carries there, which along F's axes is the rate of d.
  const auto slide = [&] { return v_M - cross(V_WL[j.link_a].w, r_F + d); };
  switch (j.type) {
    case JointType::kPrismatic:
    case JointType::kCylindrical:
      if constexpr (gap) report.length.take_square(squared(across(d, z_F)), j.item);
      if constexpr (rate) report.speed.take_square(squared(across(slide(), z_F)), j.item);
      break;
    case JointType::kScrew: {
      if constexpr (gap) {
        const double along = dot(d, z_F) - pitch * closure_q[0];
        report.length.take_square(squared(across(d, z_F)) + along * along, j.item);
      }
      if constexpr (rate) {
        const Vec3<double> v = slide();
        const double along = dot(v, z_F) - pitch * dot(w, z_F);
        report.speed.take_square(squared(across(v, z_F)) + along * along, j.item);
      }
      break;
    }
    case JointType::kPlanar:
      if constexpr (gap) report.length.take(std::abs(dot(d, z_F)), j.item);
      if constexpr (rate) report.speed.take(std::abs(dot(slide(), z_F)), j.item);
      break;
    default:
      if constexpr (gap) report.length.take_square(squared(d), j.item);
      if constexpr (rate) report.speed.take_square(squared(v_M - cross(V_WL[j.link_a].w, r_F)), j.item);
  }
  if (is_axial(j.type)) {
    if constexpr (gap) report.angle.take_square(squared(z_F - z_M), j.item);
    if constexpr (rate) report.turn_rate.take_square(squared(across(w, z_M)), j.item);
  } else if (j.type == JointType::kUniversal) {
    const Vec3<double> x_F = A.R * j.x_A, y_M = B.R * j.y_B;
    if constexpr (gap) report.angle.take(std::abs(dot(x_F, y_M)), j.item);
    if constexpr (rate) report.turn_rate.take(std::abs(dot(w, cross(y_M, x_F))), j.item);
  } else if (j.type != JointType::kBall) {
    if constexpr (gap) report.angle.take_square(chord_squared(A.R * j.x_A, z_F, B.R * j.x_B, z_M), j.item);
    if constexpr (rate) report.turn_rate.take_square(squared(w), j.item);
  }
}

// Calls take(item, how far it is passed: negative within, whether that is a length).
template <class Take>
void MotionAudit::visit_limits(const ModelData& model, const Transform<double>* X_WL, const State& state,
                               const Take& take) const {
  for (const HeldLimit& c : limits_) {
    const LimitData& limit = model.limits[c.index];
    const double at = coordinate_of(limit.dof, model, state.q.data(), state.closure_q.data());
    take(c.item, std::max(at - limit.upper, limit.lower - at), c.is_length);
  }
  for (const HeldWay& way : ways_) {
    const DistanceData& d = model.distances[way.index];
    if (d.lower == d.upper) continue;
    const double length = norm(X_WL[d.b.link] * d.b.p_L - X_WL[d.a.link] * d.a.p_L);
    take(way.item, std::max(length - d.upper, d.lower - length), true);
  }
  for (const HeldWay& turn : turns_) {
    const BallLimitData& ball = model.ball_limits[turn.index];
    const Mat3<double> F = X_WL[ball.link_a].R * ball.X_AF.R, M = X_WL[ball.link_b].R * ball.X_BM.R;
    // The trace of the rotation between them is 1 + 2 cos of its angle.
    const double trace = dot(F.column(0), M.column(0)) + dot(F.column(1), M.column(1)) + dot(F.column(2), M.column(2));
    take(turn.item, std::acos(std::clamp(0.5 * (trace - 1), -1.0, 1.0)) - ball.angle, false);
  }
}

namespace {

// Walks along the limits that were passed in the order in which visit_limits() does.
class PassedBefore {
 public:
  explicit PassedBefore(const State& state) : next_(state.passed_limits.begin()), end_(state.passed_limits.end()) {}

  bool has_none() const { return next_ == end_; }
  PassedLimit of(int item) { return next_ != end_ && next_->item == item ? *next_++ : PassedLimit{item}; }

 private:
  std::vector<PassedLimit>::const_iterator next_, end_;
};

}  // namespace

// Nothing is passed, nor was: most of the time, and soon seen where limits are all there is.
bool MotionAudit::is_within_limits(const ModelData& model, const State& state) const {
  if (!ways_.empty() || !turns_.empty() || !state.passed_limits.empty()) return false;
  for (const HeldLimit& c : limits_) {
    const LimitData& limit = model.limits[c.index];
    if (!limit.dof.is_in_tree() || limit.dof.q_index < 0) return false;
    const double at = state.q[limit.dof.q_index];
    if (!(at >= limit.lower && at <= limit.upper)) return false;
  }
  return true;
}

void MotionAudit::begin_step(const ModelData& model, const Transform<double>* X_WL, State& state) {
  if (is_within_limits(model, state)) return;
  PassedBefore last(state);
  passed_.clear();
  visit_limits(model, X_WL, state, [&](int item, double passed, bool) {
    if (passed <= 0 && last.has_none()) return;
    const PassedLimit was = last.of(item);
    const bool stays = passed > left_passed_ && was.before > 0 && passed > (1 - kPushes) * was.before;
    if (passed > 0 || was.before > 0)
      passed_.push_back({item, stays ? was.steps + 1 : 0, std::max(passed, 0.0), was.before});
  });
  state.passed_limits.swap(passed_);
}

void MotionAudit::measure(const ModelData& model, const KinematicsWork& kinematics, const Motion<double>* V_WL,
                          const State& state, const MotorSignals::View& motors, double h, bool ahead,
                          AuditReport& report) const {
  const Transform<double>* X_WL = kinematics.X_WL.data();
  for (const HeldJoint& j : joints_) {
    const ClosureData& c = model.closures[j.closure];
    measure_joint<true, true>(j, X_WL, V_WL, state.closure_q.data() + c.coordinate_index, c.pitch, report);
  }
  measure_other_gaps(model, X_WL, state, motors, h, ahead, report);
  measure_other_rates(model, X_WL, V_WL, state, state.u.data(), motors, report);
}

void MotionAudit::measure_rates(const ModelData& model, const Transform<double>* X_WL, const Motion<double>* V_WL,
                                const State& state, const double* u, const MotorSignals::View& motors,
                                AuditReport& report) const {
  for (const HeldJoint& j : joints_)
    measure_joint<false, true>(j, X_WL, V_WL, nullptr, model.closures[j.closure].pitch, report);
  measure_other_rates(model, X_WL, V_WL, state, u, motors, report);
}

double MotionAudit::gap_of(const ModelData& model, const HeldCoordinate& c, const State& state,
                           const MotorSignals::View& motors) {
  const double *q = state.q.data(), *closure_q = state.closure_q.data();
  if (c.what == What::kGear) {
    const GearData& gear = model.gears[c.index];
    return coordinate_of(gear.dof, model, q, closure_q) - gear.value(coordinate_of(gear.of, model, q, closure_q));
  }
  if (c.what == What::kMotor && model.motors[c.index].kind == MotorKind::kPosition)
    return coordinate_of(model.motors[c.index].dof, model, q, closure_q) - motors.value[c.index];
  return 0;
}

double MotionAudit::rate_of_gap(const ModelData& model, const HeldCoordinate& c, const AuditedMotion& motion,
                                const State& state, const MotorSignals::View& motors) {
  if (c.what == What::kMotor) return rate_of(model, model.motors[c.index].dof, motion) - motors.rate[c.index];
  const GearData& gear = model.gears[c.index];
  const double slope = gear.slope(coordinate_of(gear.of, model, state.q.data(), state.closure_q.data()));
  return rate_of(model, gear.dof, motion) - slope * rate_of(model, gear.of, motion);
}

void MotionAudit::measure_other_gaps(const ModelData& model, const Transform<double>* X_WL, const State& state,
                                     const MotorSignals::View& motors, double h, bool ahead,
                                     AuditReport& report) const {
  for (const HeldCoordinate& c : coordinates_)
    (c.is_length ? report.length : report.angle).take(std::abs(gap_of(model, c, state, motors)), c.item);
  for (const HeldWay& way : ways_) {
    const DistanceData& d = model.distances[way.index];
    if (d.lower == d.upper)
      report.length.take(std::abs(norm(X_WL[d.b.link] * d.b.p_L - X_WL[d.a.link] * d.a.p_L) - d.upper), way.item);
  }
  if (is_within_limits(model, state)) return;
  PassedBefore last(state);
  visit_limits(model, X_WL, state, [&](int item, double passed, bool is_length) {
    if (passed <= 0 && last.has_none()) return;
    const PassedLimit was = last.of(item);
    (is_length ? report.limit_length : report.limit_angle).take(passed, item);
    // Where the positions come first, a limit acts in the step after the one in which it was passed, or moved.
    const bool acted = ahead || (was.before > 0 && was.earlier > 0);
    if ((acted && passed > was.before + kPushedOut * h) || was.steps >= kStuckSteps)
      (is_length ? report.passed_length : report.passed_angle).take(passed, item);
  });
}

void MotionAudit::measure_other_rates(const ModelData& model, const Transform<double>* X_WL, const Motion<double>* V_WL,
                                      const State& state, const double* u, const MotorSignals::View& motors,
                                      AuditReport& report) const {
  const AuditedMotion motion = {X_WL, V_WL, u};
  for (const HeldCoordinate& c : coordinates_) {
    const double rate = rate_of_gap(model, c, motion, state, motors);
    (c.is_length ? report.speed : report.turn_rate).take(std::abs(rate), c.item);
  }
  for (const HeldWay& way : ways_) {
    const DistanceData& d = model.distances[way.index];
    if (d.lower == d.upper) report.speed.take(std::abs(rate_between(d, motion)), way.item);
  }
}

std::vector<MotionAudit::Speed> MotionAudit::speeds(const ModelData& model) const {
  std::vector<Speed> found;
  for (const HeldCoordinate& c : coordinates_)
    if (c.what == What::kMotor && model.motors[c.index].kind == MotorKind::kVelocity)
      found.push_back({c.item, c.index, c.is_length});
  return found;
}

std::string MotionAudit::name_of(const ModelData& model, int item) const {
  const Item& it = items_[item];
  switch (it.of) {
    case Item::Of::kClosure: {
      const std::string& name = model.closures[it.index].name;
      const auto carries = [&](const BodyData& body) {
        return body.carrier >= 0 && model.joints[body.carrier].name == name;
      };
      const bool is_joint = std::any_of(model.bodies.begin(), model.bodies.end(), carries);
      return fmt::format("{} '{}'", is_joint ? "joint" : "loop", name);
    }
    case Item::Of::kGear:
      return fmt::format("gear '{}'", model.gears[it.index].name);
    case Item::Of::kMotor:
      return fmt::format("motor '{}'", model.motors[it.index].name);
    case Item::Of::kLimit:
      return "a limit of " + owner_of(model, model.limits[it.index].joint, model.limits[it.index].dof);
    case Item::Of::kBallLimit:
      return fmt::format("the limit of joint '{}'", model.joints[model.ball_limits[it.index].joint].name);
    case Item::Of::kDistance:
      return fmt::format("distance '{}'", model.distances[it.index].name);
  }
  return {};
}

}  // namespace lipkin
