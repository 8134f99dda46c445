// Whitened rows against dense algebra: y yᵀ = w M⁻¹ wᵀ, and the way back.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>

#include "constraints/whitener.hpp"
#include "lipkin/dynamics.hpp"
#include "support/figure.hpp"
#include "support/random_tree.hpp"
#include "support/sample_models.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {
namespace {

using test::figure;
using test::Random;
using test::RandomState;

// A mechanism at one state with everything that makes whitened rows of it, and dense algebra beside it.
struct Fixture {
  Fixture(Random& random, int dof, const test::TreeOptions& options, bool joined)
      : Fixture(random, test::build(test::random_tree(random, dof, options)), joined) {}
  Fixture(Random& random, Model built, bool joined)
      : model(std::move(built)),
        data(model.data()),
        state(test::random_state(random, model)),
        layout(data, joined ? every_link(data) : std::vector<std::pair<int, int>>{}),
        whitener(data, layout),
        work(data),
        dynamics(model),
        dense(joined) {
    work.diag = data.armature;
    update_kinematics(data, state.q.data(), state.u.data(), work.kinematics);
    whitener.factor(data, state.q.data(), work);
    dynamics.set(state.q, state.u);
    M = dynamics.mass_matrix();
  }

  static std::vector<std::pair<int, int>> every_link(const ModelData& model) {
    std::vector<std::pair<int, int>> pairs;
    for (int i = 1; i < static_cast<int>(model.links.size()); ++i) pairs.push_back({0, i});
    return pairs;
  }

  Model model;
  const ModelData& data;
  RandomState state;
  ZLayout layout;
  Whitener whitener;
  Workspace work;
  Dynamics dynamics;
  bool dense;
  Eigen::MatrixXd M;
};

// Generalized row of an impulse on the link of a body: moment about L's origin, then force, world axes.
Eigen::RowVectorXd generalized(Fixture& f, int body, const Eigen::Matrix<double, 6, 1>& wrench) {
  const Vec3<double>& p = f.work.kinematics.X_WL[f.data.bodies[body].link].p;
  const Pose pose = f.dynamics.body_motion(body).pose;
  const Eigen::Vector3d in_body = pose.orientation.conjugate() * (Eigen::Vector3d(p[0], p[1], p[2]) - pose.position);
  return wrench.head<3>().transpose() * f.dynamics.body_jacobian(body).topRows(3) +
         wrench.tail<3>().transpose() * f.dynamics.point_jacobian(body, in_body);
}

// Rows over a path or a cluster, spread over all of z.
Eigen::MatrixXd spread(const Fixture& f, const std::vector<double>& y, int rows, int stride, int link) {
  Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(rows, f.layout.z_count());
  for (int r = 0; r < rows; ++r) {
    if (f.dense) {
      const ZRange& range = f.layout.cluster(f.layout.cluster_of_link(link));
      for (int k = 0; k < range.count; ++k) Y(r, range.begin + k) = y[r * stride + k];
      continue;
    }
    int column = 0;
    for (const Run* run = f.layout.path_begin(link); run != f.layout.path_end(link); ++run)
      for (int k = 0; k < run->length; ++k) Y(r, run->begin + k) = y[r * stride + column++];
  }
  return Y;
}

// Whitened and generalized rows of a few random impulses on one body.
struct Rows {
  Eigen::MatrixXd Y, W;
};

Rows random_rows(Random& random, Fixture& f, int body, int lanes) {
  const int link = f.data.bodies[body].link, count = random.integer(1, lanes);
  const int stride = f.dense ? f.layout.z_count() : f.layout.path_width(link);
  std::vector<double> y(static_cast<std::size_t>(count) * stride, 0.0);
  alignas(64) double impulses[6 * 8] = {};
  Rows rows;
  rows.W.resize(count, f.M.cols());
  for (int r = 0; r < count; ++r) {
    Eigen::Matrix<double, 6, 1> wrench;
    wrench << random.vector(1), random.vector(1);
    for (int k = 0; k < 6; ++k) impulses[k * lanes + r] = wrench[k];
    rows.W.row(r) = generalized(f, body, wrench);
  }
  f.whitener.add(f.data, f.work, impulses, lanes, count, link, f.dense, stride, y.data());
  rows.Y = spread(f, y, count, stride, link);
  return rows;
}

Rows joint_row(Random& random, Fixture& f) {
  const int u_index = random.integer(0, f.model.u_count() - 1), link = f.layout.link_of_dof(u_index);
  const int stride = f.dense ? f.layout.z_count() : f.layout.path_width(link);
  std::vector<double> y(stride, 0.0);
  const double impulse = random.uniform(0.5, 2);
  f.whitener.add_joint(f.data, f.work, u_index, impulse, f.dense, y.data());
  return {spread(f, y, 1, stride, link), impulse * Eigen::RowVectorXd::Unit(f.model.u_count(), u_index)};
}

double worst_over(Random& random, Fixture& f) {
  double worst = 0;
  const Eigen::LDLT<Eigen::MatrixXd> M(f.M);
  const auto check = [&](const Rows& a, const Rows& b) {
    // Relative to the sizes of the rows, since those of bodies far apart may have nothing to do with each other.
    const Eigen::MatrixXd truth = a.W * M.solve(b.W.transpose());
    const double size = a.Y.norm() * b.Y.norm();
    if (size > 0) worst = std::max(worst, (a.Y * b.Y.transpose() - truth).cwiseAbs().maxCoeff() / size);
    // And back: du = M⁻¹ Wᵀ p.
    const Eigen::VectorXd p = random.values(a.W.rows(), 1), du_truth = M.solve(a.W.transpose() * p);
    const Eigen::VectorXd z = a.Y.transpose() * p;
    Eigen::VectorXd du(f.model.u_count());
    f.whitener.velocities(f.data, f.work, z.data(), du.data());
    if (du_truth.norm() > 0) worst = std::max(worst, (du - du_truth).norm() / du_truth.norm());
  };
  for (int n = 0; n < 4; ++n) {
    int body[2];
    for (int& b : body) {
      do b = random.integer(0, f.model.body_count() - 1);
      while (f.data.bodies[b].link == 0);
    }
    const Rows a = random_rows(random, f, body[0], 8), b = random_rows(random, f, body[1], 4), c = joint_row(random, f);
    check(a, a);
    check(a, b);
    check(b, c);
    check(c, c);
  }
  return worst;
}

TEST(WhitenedImpulse, IsTheRootOfTheInverseMass) {
  for (const bool joined : {false, true}) {
    Random random(71);
    double worst = 0;
    for (int n = 0; n < 300; ++n) {
      Fixture f(random, 1 + n % 40, {}, joined);
      worst = std::max(worst, worst_over(random, f));
      ASSERT_LT(worst, 1e-9) << "tree " << n;  // rounding times the condition of M
    }
    figure("whitened rows over {}: worst {:.1e} over 300 trees", joined ? "clusters" : "paths", worst);
  }
}

class WhitenedJoint : public testing::TestWithParam<JointType> {};

TEST_P(WhitenedJoint, OfOneKind) {
  Random random(72);
  test::TreeOptions options;
  options.types = {GetParam()};
  double worst = 0;
  for (int n = 0; n < 40; ++n) {
    Fixture f(random, u_count(GetParam()) * (1 + n % 6), options, n % 2 == 1);
    worst = std::max(worst, worst_over(random, f));
  }
  figure("whitened rows of {} joints: worst {:.1e}", name_of(GetParam()), worst);
  EXPECT_LT(worst, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Types, WhitenedJoint, testing::ValuesIn(test::TreeOptions{}.types),
                         [](const testing::TestParamInfo<JointType>& chosen) {
                           return std::string(name_of(chosen.param));
                         });

// The factors are those of M with what the stepper adds to its diagonal.
TEST(WhitenedImpulse, CountsWhatStandsOnTheDiagonal) {
  Random random(73);
  for (int n = 0; n < 30; ++n) {
    Fixture f(random, 1 + n, {}, false);
    for (int k = 0; k < f.model.u_count(); ++k) {
      const double more = random.uniform(0, 2);
      f.work.diag[k] += more;
      f.M(k, k) += more;
    }
    f.whitener.factor(f.data, f.state.q.data(), f.work);
    EXPECT_LT(worst_over(random, f), 1e-10);
  }
}

// Bodies on their own with the frame in the centre of mass along principal axes, where the equations fall apart.
Model principal_bodies(Random& random) {
  ModelBuilder builder;
  for (const std::string name : {"straight", "skew", "heavy"}) {
    JointSpec joint = test::joint_of(name + " joint", JointType::kFree, kWorldName, name);
    joint.frame_in_parent = test::random_pose(random, 1);
    if (name == "straight") joint.frame_in_parent.orientation.setIdentity();
    if (name == "heavy") joint.armature = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    const Eigen::Vector3d moments(random.uniform(2, 3), random.uniform(2, 3), random.uniform(2, 3));
    builder.add(test::body_with(name, random.uniform(1, 5), Eigen::Vector3d::Zero(), moments));
    builder.add(joint);
  }
  return builder.build();
}

TEST(PrincipalLinks, AreWhitenedLikeAnyOther) {
  Random random(75);
  for (int n = 0; n < 20; ++n) {
    Fixture f(random, principal_bodies(random), n % 2 == 1);
    for (std::size_t i = 1; i < f.data.links.size(); ++i) ASSERT_TRUE(f.data.links[i].principal);
    EXPECT_LT(worst_over(random, f), 1e-13);
  }
}

// By the halves that steps use, beside the whole pass.
TEST(PrincipalLinks, AreAcceleratedLikeAnyOther) {
  Random random(76);
  for (int n = 0; n < 20; ++n) {
    Fixture f(random, principal_bodies(random), false);
    const int links = static_cast<int>(f.data.links.size());
    std::vector<Force<double>> external(f.data.links.size(), Force<double>::zero());
    for (Force<double>& force : external)
      for (int k = 0; k < 3; ++k) force.n[k] = random.uniform(-1, 1), force.f[k] = random.uniform(-1, 1);
    Eigen::VectorXd du(f.model.u_count()), whole(f.model.u_count());
    kernels().acceleration(f.data.links.data(), links, f.data.gravity, f.state.q.data(), f.state.u.data(),
                           f.state.tau.data(), external.data(), f.work.tree(), du.data());
    kernels().forward_dynamics(f.data.links.data(), links, f.data.gravity, f.state.q.data(), f.state.u.data(),
                               f.state.tau.data(), f.work.diag.data(), external.data(), f.work.tree(), whole.data());
    EXPECT_LT((du - whole).norm(), 1e-13 * whole.norm());
  }
}

TEST(LinkVelocities, AreJacobiansTimesVelocities) {
  Random random(74);
  for (int n = 0; n < 50; ++n) {
    Fixture f(random, 1 + n, {}, false);
    const Eigen::VectorXd u = random.values(f.model.u_count(), 3);
    std::vector<Motion<double>> V(f.data.links.size());
    kernels().link_velocities(f.data.links.data(), static_cast<int>(f.data.links.size()), f.work.kinematics.X_WL.data(),
                              f.work.kinematics.S_W.data(), u.data(), V.data());
    for (int body = 0; body < f.model.body_count(); ++body) {
      const Motion<double>& v = V[f.data.bodies[body].link];
      for (int k = 0; k < 3; ++k) {
        Eigen::Matrix<double, 6, 1> angular = Eigen::Matrix<double, 6, 1>::Unit(k),
                                    linear = Eigen::Matrix<double, 6, 1>::Unit(3 + k);
        EXPECT_NEAR(v.w[k], generalized(f, body, angular).dot(u), 1e-11);
        EXPECT_NEAR(v.v[k], generalized(f, body, linear).dot(u), 1e-11);
      }
    }
  }
}

}  // namespace
}  // namespace lipkin
