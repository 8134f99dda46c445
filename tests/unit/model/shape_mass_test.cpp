// Mass properties of shapes against integration over their slices.
#include "model/shape_mass.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "lipkin/model_builder.hpp"
#include "support/random_tree.hpp"

namespace lipkin {
namespace {

using test::Random;

constexpr double kPi = std::numbers::pi;

double integral(const std::function<double(double)>& f, double low, double high) {
  constexpr int kIntervals =
      2000;  // Simpson's rule is exact for cubics; the profiles below are polynomials of degree 4
  const double h = (high - low) / kIntervals;
  double sum = f(low) + f(high);
  for (int n = 1; n < kIntervals; ++n) sum += (n % 2 ? 4 : 2) * f(low + n * h);
  return sum * h / 3;
}

// A solid of revolution about z from the square of its radius over z.
MassProperties revolved(const std::function<double(double)>& squared_radius, double low, double high, double density) {
  const auto over_slices = [&](const std::function<double(double, double)>& f) {
    return density * integral([&](double z) { return f(z, squared_radius(z)); }, low, high);
  };
  MassProperties m;
  m.mass = over_slices([](double, double r2) { return kPi * r2; });
  m.com.z() = over_slices([](double z, double r2) { return kPi * r2 * z; }) / m.mass;
  const double axial = over_slices([](double, double r2) { return kPi * r2 * r2 / 2; });
  const double across = over_slices(
      [&](double z, double r2) { return kPi * r2 * r2 / 4 + kPi * r2 * (z - m.com.z()) * (z - m.com.z()); });
  m.inertia = Eigen::Vector3d(across, across, axial).asDiagonal();
  return m;
}

void expect_same(const MassProperties& a, const MassProperties& truth) {
  EXPECT_NEAR(a.mass, truth.mass, 1e-10 * truth.mass);
  EXPECT_LT((a.com - truth.com).norm(), 1e-10);
  EXPECT_LT((a.inertia - truth.inertia).norm(), 1e-9 * truth.inertia.norm());
}

ShapeSpec shape_of(decltype(ShapeSpec::geometry) geometry, double density) {
  ShapeSpec shape;
  shape.geometry = std::move(geometry);
  shape.density = density;
  return shape;
}

TEST(ShapeMass, Sphere) {
  expect_same(mass_properties_of({shape_of(ShapeSphere{0.7}, 3)}),
              revolved([](double z) { return 0.49 - z * z; }, -0.7, 0.7, 3));
}

TEST(ShapeMass, Cylinder) {
  expect_same(mass_properties_of({shape_of(ShapeCylinder{0.3, 1.7}, 3)}),
              revolved([](double) { return 0.09; }, -0.85, 0.85, 3));
}

TEST(ShapeMass, Capsule) {
  const double r = 0.3, l = 1.1;
  const MassProperties caps_and_shaft = [&] {
    const auto bottom = revolved([&](double z) { return r * r - (z + l / 2) * (z + l / 2); }, -l / 2 - r, -l / 2, 2);
    const auto middle = revolved([&](double) { return r * r; }, -l / 2, l / 2, 2);
    const auto top = revolved([&](double z) { return r * r - (z - l / 2) * (z - l / 2); }, l / 2, l / 2 + r, 2);
    return combined(combined(bottom, middle), top);
  }();
  expect_same(mass_properties_of({shape_of(ShapeCapsule{r, l}, 2)}), caps_and_shaft);
}

TEST(ShapeMass, Frustum) {
  for (const auto& [bottom, top] : {std::pair{0.5, 0.2}, {0.2, 0.5}, {0.4, 0.0}, {0.0, 0.4}, {0.3, 0.3}}) {
    const double a = bottom, b = top, h = 0.9;
    expect_same(mass_properties_of({shape_of(ShapeFrustum{a, b, h}, 5)}),
                revolved([&](double z) { return std::pow(a + (b - a) * z / h, 2); }, 0, h, 5));
  }
}

TEST(ShapeMass, Box) {
  const MassProperties m = mass_properties_of({shape_of(ShapeBox{{2, 3, 4}}, 0.5)});
  EXPECT_DOUBLE_EQ(m.mass, 12);
  EXPECT_LT((m.inertia - Eigen::Matrix3d(Eigen::Vector3d(25, 20, 13).asDiagonal())).norm(), 1e-13);
}

TEST(ShapeMass, GivenByMassInsteadOfDensity) {
  ShapeSpec shape = shape_of(ShapeSphere{0.5}, 1);
  shape.density.reset();
  shape.mass = 10;
  const MassProperties m = mass_properties_of({shape});
  EXPECT_DOUBLE_EQ(m.mass, 10);
  EXPECT_NEAR(m.inertia(0, 0), 0.4 * 10 * 0.25, 1e-15);
  shape.mass.reset();
  EXPECT_EQ(mass_properties_of({shape}).mass, 0);  // for the eye only
}

// A box cut in two at any place is still the box, wherever it stands.
TEST(ShapeMass, PartsAddUp) {
  Random random(1);
  for (int n = 0; n < 20; ++n) {
    const Pose pose = test::random_pose(random, 2);
    const double cut = random.uniform(0.2, 1.8);
    const auto placed = [&](const Eigen::Vector3d& size, const Eigen::Vector3d& centre) {
      ShapeSpec shape = shape_of(ShapeBox{size}, 7);
      shape.pose.orientation = pose.orientation;
      shape.pose.position = pose.position + pose.orientation * centre;
      return shape;
    };
    const MassProperties whole = mass_properties_of({placed({2, 0.3, 0.4}, {1, 0, 0})});
    const MassProperties parts = mass_properties_of(
        {placed({cut, 0.3, 0.4}, {cut / 2, 0, 0}), placed({2 - cut, 0.3, 0.4}, {1 + cut / 2, 0, 0})});
    EXPECT_NEAR(parts.mass, whole.mass, 1e-14);
    EXPECT_LT((parts.com - whole.com).norm(), 1e-14);
    EXPECT_LT((parts.inertia - whole.inertia).norm(), 1e-14);
  }
}

TEST(ShapeMass, BecomesTheBodysMass) {
  ModelBuilder builder;
  BodySpec body;
  body.name = "dumbbell";
  for (const double x : {-0.5, 0.5}) {
    ShapeSpec ball = shape_of(ShapeSphere{0.1}, 1000);
    ball.pose.position.x() = x;
    body.shapes.push_back(ball);
  }
  builder.add(body);
  JointSpec joint;
  joint.name = "joint";
  joint.child = "dumbbell";
  builder.add(joint);
  const Model model = builder.build();
  const double mass = 2000 * 4.0 / 3 * kPi * 1e-3;
  EXPECT_NEAR(model.body_mass(0), mass, 1e-12);
  EXPECT_LT(model.body_com(0).norm(), 1e-15);
  EXPECT_NEAR(model.body_inertia(0)(2, 2), mass * (0.4 * 0.01 + 0.25), 1e-12);
  EXPECT_NEAR(model.body_inertia(0)(0, 0), mass * 0.4 * 0.01, 1e-12);
}

}  // namespace
}  // namespace lipkin
