// BilateralTree against Eigen's pseudo-inverses on random trees of nodes with loops and redundant rows.
#include "solvers/bilateral_tree.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <limits>
#include <numeric>

#include "support/random.hpp"

namespace lipkin {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Rows of one group, over z.
struct GroupRows {
  BilateralGroup group;
  RowMatrix Y;
};

struct System {
  int z_count = 0, row_count = 0;
  std::vector<int> columns;  // per node
  std::vector<GroupRows> groups;

  RowMatrix matrix() const {
    RowMatrix Y = RowMatrix::Zero(row_count, z_count);
    for (const GroupRows& g : groups) Y.middleRows(g.group.row_begin, g.group.row_count) = g.Y;
    return Y;
  }
  int add(std::vector<int> nodes, bool is_joint, const RowMatrix& Y) {
    GroupRows g{{row_count, static_cast<int>(Y.rows()), std::move(nodes), is_joint, -1}, Y};
    row_count += static_cast<int>(Y.rows());
    groups.push_back(std::move(g));
    return static_cast<int>(groups.size()) - 1;
  }
};

// Rows over the nodes' columns alone; lengths and angles differ by the scale.
RowMatrix random_rows(test::Random& random, const System& s, const std::vector<int>& nodes, int rows) {
  RowMatrix Y = RowMatrix::Zero(rows, s.z_count);
  for (int r = 0; r < rows; ++r) {
    const double scale = std::pow(10.0, random.uniform(-1, 1));
    for (const int i : nodes)
      for (int k = 0; k < kTreeNode; ++k) Y(r, s.columns[i] + k) = scale * random.uniform(-1, 1);
  }
  return Y;
}

RowMatrix mixed(test::Random& random, const RowMatrix& rows, int count) {
  RowMatrix mix(count, rows.rows());
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < rows.rows(); ++j) mix(i, j) = random.uniform(-1, 1);
  return mix * rows;
}

int pick(test::Random& random, int count) { return random.integer(0, count - 1); }

struct Shape {
  int nodes, loops, redundant;
  bool flies;  // some parts do not reach what stands still
};

// A tree of joints, shuffled columns with gaps between them, loops of two to four nodes, and groups whose rows repeat
// what others say.
System random_system(test::Random& random, const Shape& shape) {
  System s;
  std::vector<int> place(shape.nodes);
  std::iota(place.begin(), place.end(), 0);
  for (int i = shape.nodes - 1; i > 0; --i) std::swap(place[i], place[pick(random, i + 1)]);
  s.columns.resize(shape.nodes);
  for (const int i : place) s.columns[i] = s.z_count, s.z_count += kTreeNode + pick(random, 3);
  s.z_count = (s.z_count + 7) / 8 * 8;
  for (int i = 0; i < shape.nodes; ++i) {
    const int parent = i == 0 ? -1 : pick(random, i + 1) - 1;
    if (parent < 0 && shape.flies && i % 2 == 0) continue;
    std::vector<int> nodes = {i};
    if (parent >= 0) nodes.insert(pick(random, 2) ? nodes.begin() : nodes.end(), parent);
    const int rows = 1 + pick(random, 5);
    const int joint = s.add(nodes, true, random_rows(random, s, nodes, rows));
    if (pick(random, 3) > 0) continue;
    const int more = s.add(nodes, false, random_rows(random, s, nodes, 1));
    s.groups[more].group.completes = joint;
  }
  for (int i = 0; i < shape.loops; ++i) {
    std::vector<int> nodes;
    for (int k = 2 + pick(random, 3); k > 0; --k) {
      const int node = pick(random, shape.nodes);
      if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
    }
    s.add(nodes, nodes.size() <= 2, random_rows(random, s, nodes, 1 + pick(random, 3)));
  }
  for (int i = 0; i < shape.redundant; ++i) {
    const GroupRows &a = s.groups[pick(random, static_cast<int>(s.groups.size()))],
                    &b = s.groups[pick(random, static_cast<int>(s.groups.size()))];
    std::vector<int> nodes = a.group.nodes;
    for (const int node : b.group.nodes)
      if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
    RowMatrix both(a.Y.rows() + b.Y.rows(), s.z_count);
    both << a.Y, b.Y;
    s.add(nodes, false, mixed(random, both, 2));
  }
  return s;
}

BilateralTree tree_of(const System& s) {
  std::vector<BilateralGroup> groups;
  for (const GroupRows& g : s.groups) groups.push_back(g.group);
  BilateralTreePlan plan = plan_bilateral_tree(s.columns, groups);
  BilateralTree tree(std::move(plan), groups, s.z_count);
  tree.clear_rows();
  for (std::size_t g = 0; g < s.groups.size(); ++g) {
    double* to = tree.rows_of(static_cast<int>(g));
    for (int r = 0; r < groups[g].row_count; ++r)
      for (const int i : groups[g].nodes) {
        for (int k = 0; k < kTreeNode; ++k) to[k] = s.groups[g].Y(r, s.columns[i] + k);
        to += kTreeLane;
      }
  }
  return tree;
}

const Shape kShapes[] = {{1, 0, 0, false},  {2, 0, 0, true},  {2, 1, 0, false},  {5, 0, 0, false},  {8, 2, 1, true},
                         {12, 0, 3, false}, {20, 4, 4, true}, {40, 6, 0, false}, {60, 8, 5, false}, {100, 3, 6, true}};

// The reference squares nothing, but rows of all scales condition these systems to some 1e4.
constexpr double kTolerance = 1e-8;

Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposed(const Eigen::MatrixXd& A) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> cod;
  cod.setThreshold(1e-9);
  cod.compute(A);
  return cod;
}

// (1 - Y⁺ Y): what the rows leave of a z.
Eigen::MatrixXd left_by(const RowMatrix& Y) {
  return Eigen::MatrixXd::Identity(Y.cols(), Y.cols()) - decomposed(Y).pseudoInverse() * Y;
}

class EveryTree : public testing::TestWithParam<int> {
 protected:
  System make(int seed) const {
    test::Random random(static_cast<unsigned>(100 * GetParam() + seed));
    return random_system(random, kShapes[GetParam()]);
  }
  static constexpr int kSeeds = 4;
};

TEST_P(EveryTree, HasTheRowsThatWereWritten) {
  const System s = make(0);
  const BilateralTree tree = tree_of(s);
  const RowMatrix Y = s.matrix();
  RowMatrix dense = RowMatrix::Zero(s.row_count, s.z_count);
  tree.write_dense(dense.data(), s.z_count);
  EXPECT_EQ((dense - Y).cwiseAbs().maxCoeff(), 0);
  test::Random random(7);
  const Eigen::VectorXd z = random.values(s.z_count, 1), impulses = random.values(s.row_count, 1);
  Eigen::VectorXd rates(s.row_count), pushed = z;
  tree.rates_of(z.data(), rates.data());
  tree.push(impulses.data(), pushed.data());
  EXPECT_LE((rates - Y * z).norm(), 1e-13 * rates.norm());
  EXPECT_LE((pushed - z - Y.transpose() * impulses).norm(), 1e-13 * pushed.norm());
}

TEST_P(EveryTree, GivesTheShortestZ) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    const System s = make(seed);
    BilateralTree tree = tree_of(s);
    ASSERT_TRUE(tree.factor());
    const RowMatrix Y = s.matrix();
    test::Random random(8);
    const Eigen::VectorXd rhs = Y * random.values(s.z_count, 1);
    Eigen::VectorXd z = Eigen::VectorXd::Constant(s.z_count, 9);
    tree.solve(rhs.data(), z.data());
    const Eigen::VectorXd shortest = decomposed(Y).solve(rhs);
    EXPECT_LE((z - shortest).norm(), kTolerance * shortest.norm()) << "seed " << seed;
    EXPECT_LE((Y * z - rhs).norm(), 1e-10 * rhs.norm());
  }
}

TEST_P(EveryTree, GivesTheShortestImpulses) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    const System s = make(seed);
    BilateralTree tree = tree_of(s);
    ASSERT_TRUE(tree.factor());
    const RowMatrix Y = s.matrix();
    test::Random random(9);
    const Eigen::VectorXd z = Y.transpose() * random.values(s.row_count, 1), rhs = Y * z;
    Eigen::VectorXd lambda(s.row_count);
    tree.solve_impulses(rhs.data(), lambda.data());
    // Yᵀ lambda = z has all solutions of G lambda = Y z, without squaring the condition.
    const Eigen::VectorXd shortest = decomposed(Y.transpose()).solve(z);
    EXPECT_LE((lambda - shortest).norm(), 100 * kTolerance * shortest.norm()) << "seed " << seed;
  }
}

TEST_P(EveryTree, ReducesRowsToTheSchurComplement) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    const System s = make(seed);
    BilateralTree tree = tree_of(s);
    ASSERT_TRUE(tree.factor());
    const Eigen::MatrixXd left = left_by(s.matrix());
    test::Random random(10);
    constexpr int kRows = 3;
    const int node_count = kShapes[GetParam()].nodes, width = tree.reduced_width();
    RowMatrix all(2 * kRows, s.z_count), reduced(2 * kRows, width);
    for (int block = 0; block < 2; ++block) {
      std::vector<int> touched = {pick(random, node_count)};
      if (const int other = pick(random, node_count); other != touched.front()) touched.push_back(other);
      const RowMatrix rows = random_rows(random, s, touched, kRows);
      all.middleRows(block * kRows, kRows) = rows;
      std::vector<double> psi(touched.size() * kRows * kTreeLane, 0.0);
      std::vector<int> nodes;
      for (std::size_t i = 0; i < touched.size(); ++i) {
        nodes.push_back(tree.place_of(touched[i]));
        for (int r = 0; r < kRows; ++r)
          for (int k = 0; k < kTreeNode; ++k) psi[(i * kRows + r) * kTreeLane + k] = rows(r, s.columns[touched[i]] + k);
      }
      tree.reduce(nodes.data(), static_cast<int>(nodes.size()), psi.data(), kRows,
                  reduced.data() + block * kRows * width, width);
    }
    // Of z that no node has the tree knows nothing; no row pushes there.
    const Eigen::MatrixXd schur = all * left * all.transpose(), found = reduced * reduced.transpose();
    EXPECT_LE((found - schur).norm(), kTolerance * all.squaredNorm()) << "seed " << seed;
    for (int r = 0; r < 2 * kRows; ++r) {
      Eigen::VectorXd z = Eigen::VectorXd::Zero(s.z_count), projected = all.row(r);
      z.head(width) = reduced.row(r);
      tree.expand(z.data());
      EXPECT_LE((z - left * all.row(r).transpose()).norm(), kTolerance * all.row(r).norm()) << "row " << r;
      tree.project_out(projected.data());
      EXPECT_LE((z - projected).norm(), kTolerance * all.row(r).norm()) << "row " << r;
    }
  }
}

TEST_P(EveryTree, SameInputSameBits) {
  const System s = make(1);
  BilateralTree tree = tree_of(s), other = tree_of(s);
  test::Random random(11);
  const Eigen::VectorXd rhs = s.matrix() * random.values(s.z_count, 1);
  Eigen::VectorXd first(s.row_count), second(s.row_count);
  ASSERT_TRUE(tree.factor() && other.factor());
  tree.solve_impulses(rhs.data(), first.data());
  other.solve_impulses(random.values(s.row_count, 1).eval().data(), second.data());
  ASSERT_TRUE(other.factor());
  other.solve_impulses(rhs.data(), second.data());
  EXPECT_EQ(first, second);
}

INSTANTIATE_TEST_SUITE_P(Shapes, EveryTree, testing::Range(0, static_cast<int>(std::size(kShapes))));

TEST(BilateralTree, SaysWhereAnEdgesRowsDependOnEachOther) {
  test::Random random(12);
  System s;
  s.columns = {0, 8};
  s.z_count = 16;
  s.add({0}, true, random_rows(random, s, {0}, 3));
  RowMatrix rows = random_rows(random, s, {0, 1}, 3);
  rows.row(2) = rows.row(0) - 2 * rows.row(1);
  s.add({0, 1}, true, rows);
  EXPECT_FALSE(tree_of(s).factor());
  s.groups[1].Y(2, 10) += 0.1;
  EXPECT_TRUE(tree_of(s).factor());
}

// What is not a number is for the step to find in the velocities; no rank falls for it.
TEST(BilateralTree, PassesOnWhatIsNotANumber) {
  test::Random random(13);
  System s;
  s.columns = {0, 8};
  s.z_count = 16;
  s.add({0}, true, random_rows(random, s, {0}, 5));
  s.add({0, 1}, true, random_rows(random, s, {0, 1}, 5));
  s.groups[1].Y(2, 10) = std::numeric_limits<double>::quiet_NaN();
  BilateralTree tree = tree_of(s);
  EXPECT_TRUE(tree.factor());
  Eigen::VectorXd z(s.z_count);
  const Eigen::VectorXd rhs = Eigen::VectorXd::Ones(s.row_count);
  tree.solve(rhs.data(), z.data());
  EXPECT_TRUE(z.hasNaN());
}

TEST(BilateralTreePlan, KeepsTheJointsWithMostRows) {
  // A ring of three and what stands still: the ball joint closes it, a drive completes the hinge that it turns.
  std::vector<BilateralGroup> groups = {{0, 3, {0}, true, -1},     {3, 5, {0, 1}, true, -1},  {8, 5, {2, 1}, true, -1},
                                        {13, 5, {2}, true, -1},    {18, 1, {0, 1}, false, 1}, {19, 1, {0}, false, 0},
                                        {20, 1, {0, 2}, false, -1}};
  const BilateralTreePlan plan = plan_bilateral_tree({0, 6, 12}, groups);
  EXPECT_EQ(plan.loops, (std::vector<int>{0, 5, 6}));
  EXPECT_EQ(plan.edge_row_count, 16);
  EXPECT_EQ(plan.loop_row_count, 5);
  EXPECT_EQ(plan.reduced_count, 18 - 16);
  EXPECT_EQ(plan.place, (std::vector<int>{2, 1, 0}));  // from what stands still
  EXPECT_EQ(plan.nodes[2].rows, 6);
  EXPECT_EQ(plan.nodes[2].parent, 1);
}

TEST(BilateralTreePlan, PaysForManyRowsOfWhichFewCloseLoops) {
  BilateralTreePlan plan;
  plan.edge_row_count = kTreeRowsLeast - 1;
  EXPECT_FALSE(tree_pays(plan));
  plan.loop_row_count = 1;
  EXPECT_TRUE(tree_pays(plan));
  plan.loop_row_count = plan.edge_row_count + 1;
  EXPECT_FALSE(tree_pays(plan));
}

}  // namespace
}  // namespace lipkin
