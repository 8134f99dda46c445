// The closed loops of the reference cases, through their scenes: at the order of the stepper, or exactly where geometry
// alone decides.
#include <gtest/gtest.h>

#include <string>

#include "convergence.hpp"

namespace lipkin {
namespace {

using test::Compared;
using test::figure;
using test::ReferenceCase;

struct Case {
  const char* reference;
  const char* scene;
  std::vector<Compared> quantities;
  double until;  // [s]
  double dt;     // largest step [s]
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.scene; }

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"slider_crank_inline_free",
       "slider-crank-inline",
       {{"crank_angle", 0}, {"crank_rate", 1}, {"slider_x", 2}, {"slider_vx", 3}},
       0.3,
       1e-4},
      // Through the horizontal position, in which each window could fold another way.
      {"iftomm_A02_n_four_bar_N2",
       "four-bar",
       {{"B0_x", 0}, {"B0_y", 1}, {"B0_vx", 2}, {"B0_vy", 3}, {"phi", 4}},
       2,
       1e-3},
      {"andrews_squeezer",
       "andrews-squeezer",
       {{"beta", 0},
        {"Theta", 1},
        {"gamma", 2},
        {"Phi", 3},
        {"delta", 4},
        {"Omega", 5},
        {"epsilon", 6},
        {"beta_rate", 7},
        {"Theta_rate", 8},
        {"gamma_rate", 9},
        {"Phi_rate", 10},
        {"delta_rate", 11},
        {"Omega_rate", 12},
        {"epsilon_rate", 13},
        {"F_x", 14},
        {"F_y", 15}},
       0.0125,
       4e-6},
      {"iftomm_A05_flyball_governor",
       "flyball-governor",
       {{"s", 0}, {"s_rate", 1}, {"alpha", 2}, {"alpha_rate", 3}, {"spin_rate", 4}, {"spin_angle", 5}},
       0.5,
       4e-5},
      {"car_axis",
       "car-axis",
       {{"xl", 0}, {"yl", 1}, {"xr", 2}, {"yr", 3}, {"vxl", 4}, {"vyl", 5}, {"vxr", 6}, {"vyr", 7}},
       1,
       5e-4},
      {"rolling_disc_wobbling",
       "rolling-disc",
       {{"wx", 0}, {"wy", 1}, {"wz", 2}, {"gamma_z", 3}, {"height", 4}},
       1,
       5e-4},
  };
  return all;
}

// Those whose bodies have inertia about every axis.
std::vector<Case> cases_with_inertia() {
  std::vector<Case> some;
  for (const Case& c : cases())
    if (std::string(c.scene) != "car-axis") some.push_back(c);
  return some;
}

class Loop : public testing::TestWithParam<std::tuple<Case, StepperKind, CoordinateKind>> {};

TEST_P(Loop, ConvergesAtFirstOrder) {
  const auto& [c, stepper, coordinates] = GetParam();
  const ReferenceCase reference = test::read_reference(c.reference);
  const auto error_at = [&, &scene = c, kind = stepper, cut = coordinates](double dt) {
    Simulation simulation(load_scene(scene.scene));
    simulation.set_stepper(kind);
    simulation.set_coordinates(cut);
    simulation.set_dt(dt);
    return test::run_error(simulation, reference, scene.quantities, scene.until).all;
  };
  const test::Falling falling = test::falling(c.dt, 3, error_at);
  const std::string what = fmt::format("{}, {}, {}", c.scene, name_of(stepper), name_of(coordinates));
  test::print_order(what.c_str(), c.dt, falling);
  // First order: 2, up to what the second order adds.
  EXPECT_NEAR(falling.ratio(0), 2, 0.3);
  EXPECT_NEAR(falling.ratio(1), 2, 0.15);
}

std::string test_name(const testing::TestParamInfo<Loop::ParamType>& info) {
  std::string name = fmt::format("{}_{}_{}", std::get<0>(info.param).scene, name_of(std::get<1>(info.param)),
                                 name_of(std::get<2>(info.param)));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Reference, Loop,
                         testing::Combine(testing::ValuesIn(cases()),
                                          testing::Values(StepperKind::kEuler, StepperKind::kMoreau),
                                          testing::Values(CoordinateKind::kGeneralized)),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Cut, Loop,
                         testing::Combine(testing::ValuesIn(cases_with_inertia()),
                                          testing::Values(StepperKind::kEuler, StepperKind::kMoreau),
                                          testing::Values(CoordinateKind::kMaximal)),
                         test_name);

// A point mass in its joint gets next to no inertia where it stands alone; the motion is that of the tree.
TEST(CarAxis, IsCutIntoPointMasses) {
  double worst[2] = {};
  for (int half = 0; half < 2; ++half) {
    Simulation tree(load_scene("car-axis")), cut(load_scene("car-axis"));
    cut.set_coordinates(CoordinateKind::kMaximal);
    for (Simulation* s : {&tree, &cut}) {
      s->set_dt(half == 0 ? 1e-3 : 5e-4);
      s->run(0.5);
    }
    for (int i = 0; i < tree.model().output_count(); ++i)
      worst[half] = std::max(worst[half], std::abs(tree.outputs()[i] - cut.outputs()[i]));
  }
  figure("car axis cut into point masses: {:.2e} and {:.2e} m or m/s beside the tree at 1 and 0.5 ms", worst[0],
         worst[1]);
  EXPECT_LT(worst[0], 1e-3);
  EXPECT_NEAR(worst[1] / worst[0], 0.5, 0.15);  // both are of first order
}

// Angle, place and speed follow from the prescribed angle alone, at any step; what they cost does not.
TEST(PeaucellierDriven, MovesExactlyAndAsksForTheRightTorque) {
  const ReferenceCase reference = test::read_reference("peaucellier_lipkin_driven");
  const std::vector<Compared> motion = {{"phi", 0}, {"D_x", 1}, {"D_y", 2}, {"D_vy", 3}, {"A_x", 5}, {"A_y", 6}};
  for (const CoordinateKind coordinates : {CoordinateKind::kGeneralized, CoordinateKind::kMaximal}) {
    for (const double dt : {0.01, 0.001}) {
      Simulation simulation(load_scene("peaucellier-driven"));
      simulation.set_coordinates(coordinates);
      simulation.set_dt(dt);
      const test::RunError error = test::run_error(simulation, reference, motion, 3.1);
      for (std::size_t k = 0; k < motion.size(); ++k)  // positions and speeds are corrected to 1e-12 or so
        EXPECT_LE(error.largest[k], 1e-10) << motion[k].output << " at dt = " << dt;
      figure("peaucellier-driven, {}, dt = {} s: largest error of the motion {:.1e}", name_of(coordinates), dt,
             *std::max_element(error.largest.begin(), error.largest.end()));
    }
  }
}

class PeaucellierForces : public testing::TestWithParam<Compared> {};

TEST_P(PeaucellierForces, ConvergeAtFirstOrder) {
  const ReferenceCase reference = test::read_reference("peaucellier_lipkin_driven");
  const auto error_at = [&](double dt) {
    Simulation simulation(load_scene("peaucellier-driven"));
    simulation.set_dt(dt);
    return test::run_error(simulation, reference, {GetParam()}, 3.1).all;
  };
  const test::Falling falling = test::falling(2e-3, 3, error_at);
  test::print_order(fmt::format("peaucellier-driven, {}", GetParam().output).c_str(), 2e-3, falling);
  EXPECT_NEAR(falling.ratio(0), 2, 0.3);
  EXPECT_NEAR(falling.ratio(1), 2, 0.15);
}

INSTANTIATE_TEST_SUITE_P(Reference, PeaucellierForces, testing::Values(Compared{"torque", 7}, Compared{"D_ay", 4}),
                         [](const testing::TestParamInfo<Compared>& chosen) {
                           return std::string(chosen.param.output);
                         });

// The velocities it starts with are made to fit the drive at load; that is no torque.
TEST(PeaucellierDriven, KnowsItsTorqueBeforeTheFirstStep) {
  const ReferenceCase reference = test::read_reference("peaucellier_lipkin_driven");
  Simulation simulation(load_scene("peaucellier-driven"));
  simulation.set_dt(1e-4);
  const double error = std::abs(simulation.output("torque") - reference.values[0][7]);
  figure("peaucellier-driven: error of the torque at the start {:.1e} N m", error);
  EXPECT_LE(error, 1e-3 * std::abs(reference.values[0][7]));  // first order, as in the steps that follow
}

// The stiff governor is a tree with springs: the scene's own stepper reaches the trusted digits.
TEST(FlyballGovernor, ReachesTheTrustedDigits) {
  const ReferenceCase reference = test::read_reference("iftomm_A05_flyball_governor");
  Simulation simulation(load_scene("flyball-governor"));
  const std::vector<Compared> all = {{"s", 0},          {"s_rate", 1},    {"alpha", 2},
                                     {"alpha_rate", 3}, {"spin_rate", 4}, {"spin_angle", 5}};
  const test::RunError error = test::run_error(simulation, reference, all, 2);
  for (std::size_t k = 0; k < all.size(); ++k)
    EXPECT_LE(error.largest[k], std::max(reference.trusted[0], 1e-10 * test::size_of(reference, k, 2)))
        << all[k].output;
  figure("flyball-governor, dopri5: largest error {:.1e} to t = 2 s",
         *std::max_element(error.largest.begin(), error.largest.end()));
}

}  // namespace
}  // namespace lipkin
