#include "planar_mechanism.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>
#include <stdexcept>

namespace lipkin::bench {
namespace {

Rod rod_between(std::string name, const Point& from, const Point& to, double width, double mass) {
  Rod rod;
  rod.name = std::move(name);
  rod.length = std::hypot(to[0] - from[0], to[1] - from[1]);
  rod.width = width;
  rod.mass = mass;
  rod.com = {(from[0] + to[0]) / 2, (from[1] + to[1]) / 2};
  rod.angle = std::atan2(to[1] - from[1], to[0] - from[0]);
  return rod;
}

Pin pin_to_ground(int rod, double at, const Point& ground) { return {.b = rod, .at_b = at, .ground = ground}; }
Pin pin_between(int a, double at_a, int b, double at_b) { return {.a = a, .b = b, .at_a = at_a, .at_b = at_b}; }
Pin loop_between(int a, double at_a, int b, double at_b) {
  return {.a = a, .b = b, .at_a = at_a, .at_b = at_b, .closes_loop = true};
}

PlanarMechanism five_link_chain() {
  constexpr double kLength = 0.4, kWidth = 0.06, kMass = 1;
  constexpr std::array kFrictions{5.0, 3.0, 1.5, 0.6, 0.15};  // [N m]
  PlanarMechanism chain{.name = "five-link-chain", .duration = 12, .rods = {}, .pins = {}};
  for (int i = 0; i < 5; ++i) {
    chain.rods.push_back(
        rod_between("link" + std::to_string(i + 1), {i * kLength, 0}, {(i + 1) * kLength, 0}, kWidth, kMass));
    Pin pin = i == 0 ? pin_to_ground(0, -kLength / 2, {0, 0}) : pin_between(i - 1, kLength / 2, i, -kLength / 2);
    pin.friction = kFrictions[static_cast<std::size_t>(i)];
    chain.pins.push_back(pin);
  }
  return chain;
}

// O and Q stand still, A and B are the ends of the long arms, C that of the crank; D runs on x = 0.525.
PlanarMechanism peaucellier() {
  constexpr double kArm = 0.5, kSide = 0.2, kCrank = 0.2, kWidth = 0.02;  // rods of 1 kg/m
  const Point O{0, 0}, Q{kCrank, 0};
  const double start = drive_angle(0);
  const Point C{Q[0] + kCrank * std::cos(start), kCrank * std::sin(start)};
  const double c_distance = std::hypot(C[0], C[1]), direction = std::atan2(C[1], C[0]);
  const double d_distance = (kArm * kArm - kSide * kSide) / c_distance;  // OC * OD = arm^2 - side^2
  const double half_angle = std::acos((c_distance + d_distance) / (2 * kArm));
  const auto polar = [](double radius, double angle) {
    return Point{radius * std::cos(angle), radius * std::sin(angle)};
  };
  const Point A = polar(kArm, direction + half_angle), B = polar(kArm, direction - half_angle);
  const Point D = polar(d_distance, direction);

  enum { kQC, kOA, kOB, kAC, kBC, kAD, kBD };
  constexpr double a = kArm / 2, s = kSide / 2, c = kCrank / 2;
  PlanarMechanism linkage{.name = "peaucellier", .duration = 10, .rods = {}, .pins = {}};
  linkage.rods = {rod_between("crank", Q, C, kWidth, kCrank), rod_between("OA", O, A, kWidth, kArm),
                  rod_between("OB", O, B, kWidth, kArm),      rod_between("AC", A, C, kWidth, kSide),
                  rod_between("BC", B, C, kWidth, kSide),     rod_between("AD", A, D, kWidth, kSide),
                  rod_between("BD", B, D, kWidth, kSide)};
  linkage.pins = {pin_to_ground(kQC, -c, Q),    pin_to_ground(kOA, -a, O),    pin_to_ground(kOB, -a, O),
                  pin_between(kOA, a, kAC, -s), pin_between(kOB, a, kBC, -s), pin_between(kOA, a, kAD, -s),
                  pin_between(kOB, a, kBD, -s), loop_between(kQC, c, kAC, s), loop_between(kQC, c, kBC, s),
                  loop_between(kAD, s, kBD, s)};
  linkage.pins.front().driven = true;
  return linkage;
}

PlanarMechanism slider_crank() {
  constexpr double kCrank = 0.2, kRod = 0.5, kWidth = 0.03, kSlider = 0.1, kMass = 1, kSpeed = 15;  // [rad/s]
  PlanarMechanism mechanism{.name = "slider-crank", .duration = 10, .rods = {}, .pins = {}};
  Rod crank = rod_between("crank", {0, 0}, {kCrank, 0}, kWidth, kMass);
  Rod rod = rod_between("rod", {kCrank, 0}, {kCrank + kRod, 0}, kWidth, kMass);
  const Rod slider =
      rod_between("slider", {kCrank + kRod - kSlider / 2, 0}, {kCrank + kRod + kSlider / 2, 0}, kSlider, kMass);
  crank.rate = kSpeed;
  crank.velocity = {0, kSpeed * kCrank / 2};
  rod.rate = -kSpeed * kCrank / kRod;
  rod.velocity = {0, kSpeed * kCrank / 2};
  mechanism.rods = {crank, rod, slider};
  Pin slide = pin_to_ground(2, 0, {kCrank + kRod, 0});
  slide.slides = true;
  mechanism.pins = {pin_to_ground(0, -kCrank / 2, {0, 0}), pin_between(0, kCrank / 2, 1, -kRod / 2), slide,
                    loop_between(1, kRod / 2, 2, 0)};
  return mechanism;
}

}  // namespace

bool is_planar_mechanism(std::string_view name) {
  return name == "five-link-chain" || name == "peaucellier" || name == "slider-crank";
}

PlanarMechanism planar_mechanism(std::string_view name) {
  if (name == "five-link-chain") return five_link_chain();
  if (name == "peaucellier") return peaucellier();
  if (name == "slider-crank") return slider_crank();
  throw std::out_of_range("no mechanism " + std::string(name));
}

double drive_angle(double t) { return -std::numbers::pi / 3 * std::cos(std::numbers::pi * t); }

std::vector<RodState> initial_states(const PlanarMechanism& mechanism) {
  std::vector<RodState> states;
  for (const Rod& rod : mechanism.rods) {
    states.push_back({.com = {rod.com[0], rod.com[1], 0},
                      .axis = {std::cos(rod.angle), std::sin(rod.angle), 0},
                      .velocity = {rod.velocity[0], rod.velocity[1], 0},
                      .rate = rod.rate});
  }
  return states;
}

}  // namespace lipkin::bench
