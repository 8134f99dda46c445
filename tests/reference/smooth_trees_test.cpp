// Every smooth tree of the reference cases, through its scene: by DOPRI5 to the trusted digits, by Euler at its order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lipkin/scene.hpp"
#include "lipkin/simulation.hpp"
#include "support/figure.hpp"
#include "support/reference_case.hpp"

namespace lipkin {
namespace {

using test::figure;
using test::ReferenceCase;

enum class Compare {
  kPlain,
  kAngle,       // up to full turns
  kQuaternion,  // one of four components, up to a common sign
  kEnergy       // relative to the energy that goes back and forth
};

struct Quantity {
  const char* output;
  Compare compare = Compare::kPlain;
};

struct Case {
  const char* reference;
  const char* scene;
  std::vector<Quantity> quantities;
  double early;         // time at which Euler is measured [s]
  double euler_dt;      // its largest step [s]
  double energy_scale;  // [J]
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.scene; }

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"iftomm_A01_simple_pendulum", "simple-pendulum", {{"x"}, {"y"}, {"vx"}, {"vy"}}, 0.5, 1e-3, 0},
      {"double_pendulum_rods",
       "double-pendulum",
       {{"q1"}, {"q2"}, {"tip_x"}, {"tip_y"}, {"energy", Compare::kEnergy}},
       0.5,
       1e-3,
       9.81 * (0.5 + 1.5)},
      {"five_link_chain_viscous",
       "five-link-chain-viscous",
       {{"q1"}, {"q2"}, {"q3"}, {"q4"}, {"q5"}, {"tip_x"}, {"tip_y"}, {"energy"}},
       0.5,
       1e-3,
       0},
      {"torque_free_top",
       "torque-free-top",
       {{"omega_x"},
        {"omega_y"},
        {"omega_z"},
        {"qw", Compare::kQuaternion},
        {"qx", Compare::kQuaternion},
        {"qy", Compare::kQuaternion},
        {"qz", Compare::kQuaternion},
        {"lx"},
        {"ly"},
        {"lz"}},
       1,
       1e-3,
       0},
      {"lagrange_top_cuspidal",
       "lagrange-top",
       {{"theta"},
        {"phi", Compare::kAngle},
        {"psi", Compare::kAngle},
        {"theta_rate"},
        {"phi_rate"},
        {"com_x"},
        {"com_y"},
        {"com_z"},
        {"energy"}},
       0.1,
       1e-5,
       0},
      {"spherical_pendulum",
       "spherical-pendulum",
       {{"x"}, {"y"}, {"z"}, {"theta"}, {"phi", Compare::kAngle}, {"energy"}},
       0.5,
       1e-3,
       0}};
  return all;
}

// Errors of all quantities at time number n; the simulation stands there.
std::vector<double> errors(const Case& c, const ReferenceCase& reference, std::size_t n, const Simulation& simulation) {
  double same_side = 0;
  for (std::size_t k = 0; k < c.quantities.size(); ++k)
    if (c.quantities[k].compare == Compare::kQuaternion)
      same_side += simulation.output(c.quantities[k].output) * reference.values[n][k];
  std::vector<double> result;
  for (std::size_t k = 0; k < c.quantities.size(); ++k) {
    const Quantity& quantity = c.quantities[k];
    double value = simulation.output(quantity.output);
    if (quantity.compare == Compare::kQuaternion && same_side < 0) value = -value;
    double error = value - reference.values[n][k];
    if (quantity.compare == Compare::kAngle) error = std::remainder(error, 2 * std::numbers::pi);
    result.push_back(std::abs(error));
  }
  return result;
}

// Trusted digits or 1e-10 relative, whichever is less strict. Where the reference is exact (the start), rounding.
double tolerance(const Case& c, const ReferenceCase& reference, std::size_t n, std::size_t k) {
  const bool energy = c.quantities[k].compare == Compare::kEnergy;
  const double size = energy ? c.energy_scale : std::abs(reference.values[n][k]);
  return std::max({reference.trusted[n], 1e-10 * size, 1e-15});
}

class SmoothTree : public testing::TestWithParam<Case> {};

TEST_P(SmoothTree, Dopri5ReachesTheTrustedDigits) {
  const Case& c = GetParam();
  const ReferenceCase reference = test::read_reference(c.reference);
  ASSERT_EQ(reference.values[0].size(), c.quantities.size());
  Scene scene = load_scene(c.scene);
  ASSERT_EQ(scene.experiment.stepper, StepperKind::kDopri5);
  ASSERT_GE(scene.experiment.duration, reference.times.back());
  Simulation simulation(std::move(scene));
  double worst = 0, largest = 0;
  for (std::size_t n = 0; n < reference.times.size(); ++n) {
    simulation.run(reference.times[n] - simulation.state().t);
    ASSERT_EQ(simulation.state().t, reference.times[n]);
    const std::vector<double> error = errors(c, reference, n, simulation);
    for (std::size_t k = 0; k < error.size(); ++k) {
      EXPECT_LE(error[k], tolerance(c, reference, n, k)) << c.quantities[k].output << " at " << reference.times[n];
      worst = std::max(worst, error[k] / tolerance(c, reference, n, k));
      largest = std::max(largest, error[k]);
    }
  }
  figure("{}: largest error {:.1e} to t = {} s, worst {:.2f} of its tolerance, {} steps", c.scene, largest,
         reference.times.back(), worst, simulation.statistics().steps);
}

// The same values looked up within steps of any length: the continuous extension has order 4, the steps 5.
TEST_P(SmoothTree, DenseOutputReachesThemToo) {
  const Case& c = GetParam();
  const ReferenceCase reference = test::read_reference(c.reference);
  Simulation simulation(load_scene(c.scene));
  const double every = reference.times[1] - reference.times[0];
  std::size_t n = 0;
  double largest = 0;
  simulation.run(reference.times.back(), every, [&](const Simulation& sampled) {
    EXPECT_NEAR(sampled.sample_time(), reference.times.at(n), 1e-12);
    const std::vector<double> error = errors(c, reference, n, sampled);
    for (std::size_t k = 0; k < error.size(); ++k) {
      EXPECT_LE(error[k], 10 * tolerance(c, reference, n, k)) << c.quantities[k].output << " at " << reference.times[n];
      largest = std::max(largest, error[k]);
    }
    return ++n < reference.times.size();
  });
  EXPECT_EQ(n, reference.times.size());
  figure("{}: largest error of the dense output {:.1e}", c.scene, largest);
}

double euler_error(const Case& c, const ReferenceCase& reference, std::size_t n, double dt) {
  Simulation simulation(load_scene(c.scene));
  simulation.set_stepper(StepperKind::kEuler);
  simulation.set_dt(dt);
  simulation.run(reference.times[n]);
  double sum = 0;
  for (const double e : errors(c, reference, n, simulation)) sum += e * e;
  return std::sqrt(sum);
}

TEST_P(SmoothTree, EulerConvergesAtItsOrder) {
  const Case& c = GetParam();
  const ReferenceCase reference = test::read_reference(c.reference);
  const auto early = std::find(reference.times.begin(), reference.times.end(), c.early);
  ASSERT_NE(early, reference.times.end());
  const std::size_t n = static_cast<std::size_t>(early - reference.times.begin());
  const double coarse = euler_error(c, reference, n, c.euler_dt);
  const double middle = euler_error(c, reference, n, c.euler_dt / 2);
  const double fine = euler_error(c, reference, n, c.euler_dt / 4);
  figure("{}: error of Euler at t = {} s with dt = {:g}, halved twice: {:.2e} {:.2e} {:.2e}, ratios {:.2f} {:.2f}",
         c.scene, c.early, c.euler_dt, coarse, middle, fine, coarse / middle, middle / fine);
  // First order: 2, up to what the second order adds.
  EXPECT_NEAR(coarse / middle, 2, 0.2);
  EXPECT_NEAR(middle / fine, 2, 0.1);
}

std::string test_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.scene;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Reference, SmoothTree, testing::ValuesIn(cases()), test_name);

}  // namespace
}  // namespace lipkin
