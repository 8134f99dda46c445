// Motions, forces, transforms and inertias against dense 6x6 matrices.
#include <gtest/gtest.h>

#include "support/dense_spatial.hpp"
#include "support/random_tree.hpp"

namespace lipkin {
namespace {

using test::dense;
using test::Matrix6;
using test::Random;
using test::Vector6;

constexpr int kRepetitions = 200;
constexpr double kRounding = 1e-13;  // a dozen operations on numbers up to 50

double largest(const Eigen::MatrixXd& A) { return A.cwiseAbs().maxCoeff(); }

TEST(Vec3AndMat3, AgreeWithEigen) {
  Random random(1);
  for (int n = 0; n < kRepetitions; ++n) {
    const Eigen::Vector3d a = random.vector(2), b = random.vector(2);
    Eigen::Matrix3d A, B;
    for (int k = 0; k < 3; ++k) A.col(k) = random.vector(2), B.col(k) = random.vector(2);
    const Vec3<double> x = from_eigen(a), y = from_eigen(b);
    const Mat3<double> P = from_eigen(A), Q = from_eigen(B);
    EXPECT_LT((to_eigen(cross(x, y)) - a.cross(b)).norm(), kRounding);
    EXPECT_NEAR(dot(x, y), a.dot(b), kRounding);
    EXPECT_NEAR(norm(x), a.norm(), kRounding);
    EXPECT_LT((to_eigen(skew(x)) * b - a.cross(b)).norm(), kRounding);
    EXPECT_LT(largest(to_eigen(P * Q) - A * B), kRounding);
    EXPECT_LT(largest(to_eigen(transpose(P)) - A.transpose()), kRounding);
    EXPECT_LT((to_eigen(P * x) - A * a).norm(), kRounding);
    EXPECT_LT((to_eigen(transpose_times(P, x)) - A.transpose() * a).norm(), kRounding);
    EXPECT_LT(largest(to_eigen(P + Q) - (A + B)), kRounding);
    EXPECT_LT(largest(to_eigen(P - Q) - (A - B)), kRounding);
  }
}

TEST(Sym3, AgreesWithEigen) {
  Random random(2);
  for (int n = 0; n < kRepetitions; ++n) {
    Sym3<double> S;
    for (double& e : S.e) e = random.uniform(-2, 2);
    const Eigen::Matrix3d A = to_eigen(full(S)), R = random.quaternion().toRotationMatrix();
    EXPECT_EQ(A, A.transpose());
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) EXPECT_EQ(S(i, j), A(i, j));
    const Eigen::Vector3d x = random.vector(1);
    EXPECT_LT((to_eigen(S * from_eigen(x)) - A * x).norm(), kRounding);
    EXPECT_LT(largest(to_eigen(full(congruence(from_eigen(R), S))) - R * A * R.transpose()), kRounding);
  }
}

TEST(Transform, ComposesAndInverts) {
  Random random(3);
  for (int n = 0; n < kRepetitions; ++n) {
    const Transform<double> X_AB = test::random_transform(random), X_BC = test::random_transform(random);
    const Eigen::Vector3d p = random.vector(2);
    const Vec3<double> p_C = from_eigen(p);
    EXPECT_LT(to_eigen((X_AB * X_BC) * p_C - X_AB * (X_BC * p_C)).norm(), kRounding);
    EXPECT_LT(largest(dense(X_AB * X_BC) - dense(X_AB) * dense(X_BC)), kRounding);
    EXPECT_LT(largest(dense(X_AB * inverse(X_AB)) - Matrix6::Identity()), kRounding);
  }
}

TEST(Transform, CarriesMotionsAndForces) {
  Random random(4);
  for (int n = 0; n < kRepetitions; ++n) {
    const Transform<double> X_AB = test::random_transform(random);
    const Matrix6 X = dense(X_AB);
    const Motion<double> m = test::random_motion(random);
    const Force<double> f = test::random_force(random);
    EXPECT_LT((dense(to_parent(X_AB, m)) - X * dense(m)).norm(), kRounding);
    EXPECT_LT((dense(to_child(X_AB, m)) - X.inverse() * dense(m)).norm(), kRounding);
    EXPECT_LT((dense(to_parent(X_AB, f)) - X.transpose().inverse() * dense(f)).norm(), kRounding);
    EXPECT_LT((dense(to_child(X_AB, f)) - X.transpose() * dense(f)).norm(), kRounding);
    // Duality: power does not depend on the frame.
    EXPECT_NEAR(dot(to_child(X_AB, m), to_child(X_AB, f)), dot(m, f), kRounding);
    EXPECT_NEAR(dot(to_parent(X_AB, m), to_parent(X_AB, f)), dot(m, f), kRounding);
  }
}

TEST(Motion, CrossProductsAreDerivativesOfTransforms) {
  Random random(5);
  for (int n = 0; n < kRepetitions; ++n) {
    const Motion<double> a = test::random_motion(random), b = test::random_motion(random);
    const Force<double> f = test::random_force(random);
    EXPECT_LT((dense(cross(a, b)) - test::motion_cross(dense(a)) * dense(b)).norm(), kRounding);
    EXPECT_LT((dense(cross(a, f)) + test::motion_cross(dense(a)).transpose() * dense(f)).norm(), kRounding);
    EXPECT_LT((dense(cross(a, b)) + dense(cross(b, a))).norm(), kRounding);
    // (a x b) . f = -b . (a x* f)
    EXPECT_NEAR(dot(cross(a, b), f), -dot(b, cross(a, f)), kRounding);
    EXPECT_NEAR(dot(a, f), dense(a).dot(dense(f)), kRounding);
  }
}

TEST(RigidInertia, IsThatOfItsParticles) {
  Random random(6);
  for (int n = 0; n < kRepetitions; ++n) {
    const MassProperties p = test::random_mass_properties(random);
    Sym3<double> J;
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j) J(i, j) = p.inertia(i, j);
    const auto I = RigidInertia<double>::about_com(p.mass, from_eigen(p.com), J);
    const Motion<double> V = test::random_motion(random);
    // Momentum from first principles: the centre of mass moves at v + w x c.
    const Eigen::Vector3d w = to_eigen(V.w), v = to_eigen(V.v) + w.cross(p.com);
    const Force<double> h = I * V;
    EXPECT_LT((to_eigen(h.f) - p.mass * v).norm(), kRounding);
    EXPECT_LT((to_eigen(h.n) - (p.inertia * w + p.mass * p.com.cross(v))).norm(), kRounding);
    EXPECT_LT((dense(Inertia6<double>::rigid(I) * V) - dense(h)).norm(), kRounding);
    EXPECT_LT((dense(Inertia6<double>::rigid(I)) * dense(V) - dense(h)).norm(), kRounding);
  }
}

Inertia6<double> random_inertia(Random& random) { return from_eigen(test::random_added_inertia(random)); }

TEST(Inertia6, ChangesFramesLikeItsMatrix) {
  Random random(7);
  for (int n = 0; n < kRepetitions; ++n) {
    const Inertia6<double> I = random_inertia(random), K = random_inertia(random);
    const Transform<double> X_PC = test::random_transform(random);
    const Matrix6 to_child_matrix = dense(X_PC).inverse();
    EXPECT_LT(largest(dense(to_parent(X_PC, I)) - to_child_matrix.transpose() * dense(I) * to_child_matrix), kRounding);
    EXPECT_LT(largest(dense(I + K) - dense(I) - dense(K)), kRounding);
    const Motion<double> m = test::random_motion(random);
    EXPECT_LT((dense(I * m) - dense(I) * dense(m)).norm(), kRounding);
    // Kinetic energy does not depend on the frame.
    const Motion<double> in_parent = to_parent(X_PC, m);
    EXPECT_NEAR(dot(in_parent, to_parent(X_PC, I) * in_parent), dot(m, I * m), kRounding * 10);
  }
}

// The same formulas in single precision and on packs.
template <class T>
void expect_same_inertia(double tolerance) {
  Random random(8);
  for (int n = 0; n < 20; ++n) {
    const Inertia6<double> I = random_inertia(random);
    const Transform<double> X = test::random_transform(random);
    const Motion<double> m = test::random_motion(random);
    const Force<double> expected = to_parent(X, I) * m;
    const Force<T> f = to_parent(lift<T>(X), lift<T>(I)) * lift<T>(m);
    for (int k = 0; k < 3; ++k) {
      const T d_n = f.n[k] - constant<T>(expected.n[k]), d_f = f.f[k] - constant<T>(expected.f[k]);
      const T bound = constant<T>(tolerance);
      EXPECT_EQ(select(d_n < bound, constant<T>(0), d_n) + select(-d_n < bound, constant<T>(0), d_n), T(0));
      EXPECT_EQ(select(d_f < bound, constant<T>(0), d_f) + select(-d_f < bound, constant<T>(0), d_f), T(0));
    }
  }
}

TEST(Inertia6, WorksInSinglePrecision) { expect_same_inertia<float>(1e-4); }

}  // namespace
}  // namespace lipkin
