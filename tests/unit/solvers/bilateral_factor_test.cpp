// BilateralFactor against Eigen's singular values and pseudo-inverses, and against statics.
#include "solvers/bilateral_factor.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "support/random.hpp"

namespace lipkin {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

RowMatrix random_matrix(test::Random& random, int rows, int columns) {
  RowMatrix A(rows, columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) A(i, j) = random.uniform(-1, 1);
  return A;
}

// Rows of very different scale, as metres and radians are.
RowMatrix random_rows(test::Random& random, int m, int n, int rank) {
  RowMatrix Y = random_matrix(random, m, rank) * random_matrix(random, rank, n);
  for (int i = 0; i < m; ++i) Y.row(i) *= std::pow(10.0, random.uniform(-2, 2));
  return Y;
}

BilateralFactor factored(const RowMatrix& Y, const Eigen::VectorXd& compliance = {}) {
  BilateralFactor factor;
  factor.factor(Y.data(), static_cast<int>(Y.rows()), static_cast<int>(Y.cols()), static_cast<int>(Y.outerStride()),
                compliance.size() ? compliance.data() : nullptr);
  return factor;
}

struct Shape {
  int m, n, rank;
};

const Shape kShapes[] = {{1, 1, 1},    {1, 8, 1},   {3, 5, 2},    {16, 8, 7},    {6, 6, 6},      {9, 4, 4},
                         {24, 32, 20}, {40, 17, 9}, {70, 90, 64}, {200, 60, 60}, {130, 250, 120}};

// Random factors of these sizes are conditioned to about 1e4; 1e-9 leaves five digits of what the data can give.
constexpr double kTolerance = 1e-9;

TEST(BilateralFactor, FindsTheRank) {
  test::Random random(1);
  for (const Shape& s : kShapes) EXPECT_EQ(factored(random_rows(random, s.m, s.n, s.rank)).rank(), s.rank);
}

TEST(BilateralFactor, GivesTheShortestZ) {
  test::Random random(2);
  for (const Shape& s : kShapes) {
    const RowMatrix Y = random_rows(random, s.m, s.n, s.rank);
    const Eigen::VectorXd rhs = Y * random.values(s.n, 1);
    Eigen::VectorXd z(s.n);
    factored(Y).solve_z(rhs.data(), z.data());
    // Rows scaled to length one: the pseudo-inverse sees the same equations.
    const Eigen::VectorXd lengths = Y.rowwise().norm();
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> cod;
    cod.setThreshold(1e-8);
    cod.compute(lengths.cwiseInverse().asDiagonal() * Y);
    const Eigen::VectorXd expected = cod.solve(lengths.cwiseInverse().cwiseProduct(rhs));
    EXPECT_LE((z - expected).norm(), kTolerance * expected.norm()) << s.m << " x " << s.n;
  }
}

TEST(BilateralFactor, GivesTheShortestLambda) {
  test::Random random(3);
  for (const Shape& s : kShapes) {
    const RowMatrix Y = random_matrix(random, s.m, s.rank) * random_matrix(random, s.rank, s.n);
    const Eigen::MatrixXd G = Y * Y.transpose();
    const Eigen::VectorXd rhs = G * random.values(s.m, 1);
    Eigen::VectorXd lambda(s.m);
    BilateralFactor factor = factored(Y);
    factor.solve_lambda(rhs.data(), lambda.data());
    // G's pseudo-inverse squares the condition; Y's, applied twice, does not.
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> cod;
    cod.setThreshold(1e-8);
    cod.compute(Y);
    const Eigen::MatrixXd pseudo_inverse = cod.pseudoInverse();
    const Eigen::VectorXd expected = pseudo_inverse.transpose() * (pseudo_inverse * rhs);
    EXPECT_LE((lambda - expected).norm(), 1e-8 * expected.norm()) << s.m << " x " << s.n;
    EXPECT_LE((G * lambda - rhs).norm(), kTolerance * rhs.norm()) << s.m << " x " << s.n;
  }
}

TEST(BilateralFactor, ProjectsOutToTheSchurComplement) {
  test::Random random(4);
  for (const bool compliant : {false, true}) {
    for (const Shape& s : kShapes) {
      const RowMatrix Y = random_rows(random, s.m, s.n, s.rank), others = random_matrix(random, 3, s.n);
      Eigen::VectorXd compliance = Eigen::VectorXd::Zero(s.m);
      if (compliant)
        for (int i = 0; i < s.m; i += 2) compliance[i] = random.uniform(0.1, 1) * Y.row(i).squaredNorm();
      const BilateralFactor factor = factored(Y, compliance);
      RowMatrix projected = RowMatrix::Zero(3, factor.width());
      projected.leftCols(s.n) = others;
      for (int i = 0; i < 3; ++i) factor.project_out(projected.row(i).data());

      Eigen::VectorXd scale = (Y.rowwise().squaredNorm() + compliance).cwiseSqrt().cwiseInverse();
      const RowMatrix scaled = scale.asDiagonal() * Y;
      Eigen::MatrixXd G = scaled * scaled.transpose();
      G.diagonal() += scale.cwiseAbs2().cwiseProduct(compliance);
      Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> cod;
      cod.setThreshold(1e-12);
      cod.compute(G);
      const Eigen::MatrixXd coupling = scaled * others.transpose();
      const Eigen::MatrixXd expected = others * others.transpose() - coupling.transpose() * cod.solve(coupling);
      // The reference squares the condition (about 1e4) of the scaled rows.
      EXPECT_LE((projected * projected.transpose() - expected).norm(), 1e-8 * others.squaredNorm()) << s.m;
    }
  }
}

TEST(BilateralFactor, SolvesWithCompliance) {
  test::Random random(5);
  for (const Shape& s : kShapes) {
    const RowMatrix Y = random_matrix(random, s.m, s.rank) * random_matrix(random, s.rank, s.n);
    Eigen::VectorXd compliance(s.m);
    for (int i = 0; i < s.m; ++i) compliance[i] = random.uniform(0.1, 2);
    Eigen::MatrixXd G = Y * Y.transpose();
    G.diagonal() += compliance;
    const Eigen::VectorXd rhs = random.values(s.m, 1);
    const Eigen::VectorXd expected = G.ldlt().solve(rhs);
    BilateralFactor factor = factored(Y, compliance);
    Eigen::VectorXd lambda(s.m), z(s.n);
    factor.solve_lambda(rhs.data(), lambda.data());
    factor.solve_z(rhs.data(), z.data());
    EXPECT_EQ(factor.rank(), s.m);
    EXPECT_LE((lambda - expected).norm(), kTolerance * expected.norm());
    EXPECT_LE((z - Y.transpose() * expected).norm(), kTolerance * expected.norm() * Y.norm());
  }
}

// In an orthogonal basis of the rows' span the products with it give the rows' products with each other: y_i . y_j is
// the sum of c_ik c_jk / D_k, and the pivot of k has c_k = D_k.
TEST(BilateralFactor, KnowsItsRowsInItsBasis) {
  test::Random random(12);
  for (const Shape& s : kShapes) {
    const RowMatrix Y = random_matrix(random, s.m, s.rank) * random_matrix(random, s.rank, s.n);
    const BilateralFactor factor = factored(Y);
    RowMatrix c(factor.rank(), s.m);
    factor.basis_times_own_rows(c.data(), s.m);
    Eigen::VectorXd D(factor.rank());
    for (int k = 0; k < factor.rank(); ++k) D[k] = c(k, factor.pivots()[k]);
    const Eigen::MatrixXd G = Y * Y.transpose();
    EXPECT_LE((c.transpose() * D.cwiseInverse().asDiagonal() * c - G).norm(), kTolerance * G.norm());
  }
}

// A rigid table, m = 1 and inertias as of a plate, held at four corners in height: whitened rows of one corner are
// [1/sqrt(m), y/sqrt(Ix), -x/sqrt(Iy)].
TEST(BilateralFactor, FourLegsCarryAQuarterEach) {
  const double width = 0.7, depth = 0.45, mass = 13, g_dt = 9.81e-3;
  const double Ix = mass * depth * depth / 3, Iy = mass * width * width / 3;
  RowMatrix Y = RowMatrix::Zero(4, 8);
  const double corners[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  for (int i = 0; i < 4; ++i) {
    Y(i, 2) = 1 / std::sqrt(mass);
    Y(i, 3) = corners[i][1] * depth / 2 / std::sqrt(Ix);
    Y(i, 4) = -corners[i][0] * width / 2 / std::sqrt(Iy);
  }
  BilateralFactor factor = factored(Y);
  EXPECT_EQ(factor.rank(), 3);
  const Eigen::Vector4d rhs = Eigen::Vector4d::Constant(g_dt);
  Eigen::Vector4d lambda;
  factor.solve_lambda(rhs.data(), lambda.data());
  const double quarter = mass * g_dt / 4;
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(lambda[i], quarter, 1e-12 * quarter);
}

// A row may lie within 1e-5 of the span of others and still count: its square is ten times above the tolerance.
TEST(BilateralFactor, NearlyRedundantRowsStayAccurate) {
  test::Random random(6);
  for (const double distance : {1e-1, 1e-3, 1e-5}) {
    RowMatrix Y = random_matrix(random, 4, 8);
    for (int i = 0; i < 4; ++i) Y.row(i).normalize();
    Eigen::RowVectorXd outside = random_matrix(random, 1, 8);
    for (int pass = 0; pass < 2; ++pass) {
      const Eigen::MatrixXd others = Y.topRows(3);
      outside -= outside * others.transpose() * (others * others.transpose()).inverse() * others;
    }
    Y.row(3) = 0.3 * Y.row(0) + 0.5 * Y.row(1) + 0.4 * Y.row(2) + distance * outside.normalized();
    const BilateralFactor factor = factored(Y);
    ASSERT_EQ(factor.rank(), 4);
    const Eigen::VectorXd rhs = Y * random.values(8, 1);
    Eigen::VectorXd z(8);
    factor.solve_z(rhs.data(), z.data());
    EXPECT_LE((Y * z - rhs).norm(), 1e-15 * 10 * (1 + z.norm()));
    // Orthogonal to rounding also where little remained: what is projected out stays out.
    RowMatrix row = RowMatrix::Zero(1, factor.width());
    row.leftCols(8) = random_matrix(random, 1, 8);
    factor.project_out(row.data());
    EXPECT_LE((Y * row.leftCols(8).transpose()).norm(), 1e-14);
  }
}

TEST(BilateralFactor, DropsRowsBelowTheTolerance) {
  RowMatrix Y = RowMatrix::Zero(3, 8);
  Y(0, 0) = 1;
  Y(1, 0) = 1;
  Y(1, 1) = 1e-6;  // its square, 1e-12, is below the tolerance of 1e-11
  EXPECT_EQ(factored(Y).rank(), 1);
  BilateralFactor fine;
  fine.set_rank_tolerance(1e-13);
  fine.factor(Y.data(), 3, 8, 8, nullptr);
  EXPECT_EQ(fine.rank(), 2);
  Y *= 1e-9;  // relative to the rows' own scale, nothing changed
  EXPECT_EQ(factored(Y).rank(), 1);
}

TEST(BilateralFactor, NothingToDoIsFine) {
  BilateralFactor factor;
  factor.factor(nullptr, 0, 8, 8, nullptr);
  EXPECT_EQ(factor.rank(), 0);
  const RowMatrix zeros = RowMatrix::Zero(2, 8);
  factor.factor(zeros.data(), 2, 8, 8, nullptr);
  EXPECT_EQ(factor.rank(), 0);
  double z[8] = {1, 1, 1, 1, 1, 1, 1, 1}, lambda[2] = {1, 1};
  const double rhs[2] = {0, 0};
  factor.solve_z(rhs, z);
  factor.solve_lambda(rhs, lambda);
  for (const double x : z) EXPECT_EQ(x, 0);
  for (const double x : lambda) EXPECT_EQ(x, 0);
}

// What was factored before leaves nothing behind, not even where it was not finite.
TEST(BilateralFactor, SameInputSameBitsAlsoAfterOthers) {
  test::Random random(7);
  RowMatrix big = random_rows(random, 40, 30, 25);
  big(3, 3) = NAN;
  for (const Shape& s : kShapes) {
    const RowMatrix Y = random_rows(random, s.m, s.n, s.rank);
    const Eigen::VectorXd rhs = Y * random.values(s.n, 1);
    BilateralFactor first, second;
    second.factor(big.data(), 40, 30, 30, nullptr);
    second.factor(random_matrix(random, 50, 50).data(), 50, 50, 50, nullptr);
    for (BilateralFactor* factor : {&first, &second}) factor->factor(Y.data(), s.m, s.n, s.n, nullptr);
    Eigen::VectorXd a(s.m), b(s.m), za(s.n), zb(s.n);
    first.solve_lambda(rhs.data(), a.data());
    second.solve_lambda(rhs.data(), b.data());
    EXPECT_EQ(a, b);
    first.solve_z(rhs.data(), za.data());
    second.solve_z(rhs.data(), zb.data());
    EXPECT_EQ(za, zb);
  }
}

}  // namespace
}  // namespace lipkin
