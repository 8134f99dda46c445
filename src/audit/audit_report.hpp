// What a check after the step has found.
#pragma once

#include <algorithm>
#include <cmath>

namespace lipkin {

// The largest of some values and whose it is.
struct Worst {
  double value = 0;
  int item = -1;  // -1: all are zero

  // NaN is the worst, and stays.
  void take(double x, int of) {
    if (std::isnan(value) || x <= value) return;
    value = x;
    item = of;
  }
  void take(const Worst& other) { take(other.value, other.item); }
  // The same for the square of a value: most are smaller, and need no root.
  void take_square(double x, int of) {
    if (!(x <= value * value)) take(std::sqrt(x), of);
  }
};

// The larger one; what is not a number is larger than all that is one.
inline double worse(double a, double b) { return a > b || std::isnan(a) ? a : b; }

struct AuditReport {
  Worst length;     // gap of a joint, loop, rod, gear or drive [m]
  Worst angle;      // likewise [rad]
  Worst speed;      // its rate [m/s]
  Worst turn_rate;  // likewise [rad/s]
  // The same right after the solve, where nothing makes the velocities fit later; where gaps are fed back, how far the
  // rates are from what that asks for.
  Worst solved_speed, solved_turn_rate;
  Worst limit_length, limit_angle;    // how far a limit or rope is passed [m], [rad]
  Worst passed_length, passed_angle;  // likewise, of those that were passed further in the step
  Worst jump;  // of the length of a tendon, beyond what the velocities explain [m]; its item is the tendon
  // Sliding that a law does not allow with the impulse that was found, or an impulse beyond what the law allows over
  // the bound, times the sliding or 1 m/s where nothing slides [m/s] or [rad/s].
  Worst law;  // its item: see LawAudit
  // What friction, a motor with a limited force, or a contact holds slips at the end of the step, behind the projection
  // onto the rows there [m/s] or [rad/s]; items likewise.
  Worst held;
  Worst held_contact;  // its item: the contact's place in the state

  double position() const {
    return worse(worse(length.value, angle.value), worse(limit_length.value, limit_angle.value));
  }
  double velocity() const { return worse(speed.value, turn_rate.value); }

  void take(const AuditReport& other) {
    length.take(other.length);
    angle.take(other.angle);
    speed.take(other.speed);
    turn_rate.take(other.turn_rate);
    solved_speed.take(other.solved_speed);
    solved_turn_rate.take(other.solved_turn_rate);
    limit_length.take(other.limit_length);
    limit_angle.take(other.limit_angle);
    passed_length.take(other.passed_length);
    passed_angle.take(other.passed_angle);
    jump.take(other.jump);
    law.take(other.law);
    held.take(other.held);
    held_contact.take(other.held_contact);
  }
};

}  // namespace lipkin
