// Three algorithms that share nothing but the joints' motion: articulated bodies (ABA), composite bodies (CRBA) and
// Newton-Euler (RNEA) on 1,000 random trees, on every instruction set.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <set>

#include "forces/evaluate_forces.hpp"
#include "lipkin/dynamics.hpp"
#include "model/model_data.hpp"
#include "support/figure.hpp"
#include "support/instruction_sets.hpp"
#include "support/random_tree.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {
namespace {

using test::Random;
using test::RandomState;

constexpr int kTrees = 1000;
constexpr int kMostDof = 60;

double largest(const Eigen::VectorXd& v) { return v.cwiseAbs().maxCoeff(); }

// The articulated-body pass of one instruction set with the weight of added inertia taken back.
Eigen::VectorXd articulated_body(const TreeKernels& kernels, const ModelData& model, const RandomState& s) {
  Workspace work(model);
  update_kinematics(model, s.q.data(), s.u.data(), work.kinematics);
  unload_added_inertia(model, work);
  kernels.forward_dynamics(model.links.data(), static_cast<int>(model.links.size()), model.gravity, s.q.data(),
                           s.u.data(), s.tau.data(), model.armature.data(), work.external.data(), work.tree(),
                           work.du.data());
  return Eigen::Map<Eigen::VectorXd>(work.du.data(), model.u_count);
}

// The same by the batch kernel, the state in every lane but one; the other lane holds another state.
Eigen::VectorXd batched(const TreeKernels& kernels, const ModelData& model, const RandomState& s,
                        const RandomState& other) {
  const int lanes = kernels.lanes, odd = lanes - 1;
  AlignedArray<double> q(model.q_count * lanes), u(model.u_count * lanes), tau(model.u_count * lanes),
      du(model.u_count * lanes), external(6 * model.links.size() * lanes);
  const auto spread = [&](AlignedArray<double>& to, const std::vector<double>& values,
                          const std::vector<double>& others) {
    for (std::size_t k = 0; k < values.size(); ++k)
      for (int l = 0; l < lanes; ++l) to[k * lanes + l] = l == odd ? others[k] : values[k];
  };
  spread(q, s.q, other.q);
  spread(u, s.u, other.u);
  spread(tau, s.tau, other.tau);
  Workspace work(model);
  update_kinematics(model, s.q.data(), s.u.data(), work.kinematics);
  unload_added_inertia(model, work);
  for (std::size_t i = 0; i < model.links.size(); ++i)
    for (int l = 0; l < lanes; ++l)
      for (int k = 0; k < 3; ++k) {
        external[(6 * i + k) * lanes + l] = work.external[i].n[k];
        external[(6 * i + 3 + k) * lanes + l] = work.external[i].f[k];
      }
  AlignedArray<unsigned char> links(model.links.size() * kernels.link_work_bytes),
      multi(model.multi_count * kernels.multi_work_bytes);
  kernels.batch_forward_dynamics(model.links.data(), static_cast<int>(model.links.size()), model.gravity, q.data(),
                                 u.data(), tau.data(), model.armature.data(), external.data(), links.data(),
                                 multi.data(), du.data());
  Eigen::VectorXd result(model.u_count);
  for (int k = 0; k < model.u_count; ++k) result[k] = du[k * lanes];
  return result;
}

struct Differences {
  double newton_euler = 0;  // RNEA(ABA(tau)) against tau, relative to the largest force involved
  double composite = 0;     // M a + bias against tau, relative to the largest force involved
  double acceleration = 0;  // ABA(tau) against M⁻¹ (tau - bias), relative to the largest acceleration
  void widen(const Differences& d) {
    newton_euler = std::max(newton_euler, d.newton_euler);
    composite = std::max(composite, d.composite);
    acceleration = std::max(acceleration, d.acceleration);
  }
  double worst() const { return std::max({newton_euler, composite, acceleration}); }
};

struct Dense {
  Eigen::MatrixXd M;
  Eigen::VectorXd bias, tau, a;
  double force;  // the largest that takes part
};

Dense dense_solution(Dynamics& dynamics, const RandomState& s) {
  dynamics.set(s.q, s.u);
  Dense d;
  d.M = dynamics.mass_matrix();
  d.bias = dynamics.bias();
  d.tau = Eigen::Map<const Eigen::VectorXd>(s.tau.data(), static_cast<Eigen::Index>(s.tau.size()));
  d.a = d.M.ldlt().solve(d.tau - d.bias);
  d.force = std::max({largest(d.tau), largest(d.bias), largest(d.M.cwiseAbs() * d.a.cwiseAbs())});
  return d;
}

Differences differences(Dynamics& dynamics, const Dense& d, const Eigen::VectorXd& a) {
  const Eigen::VectorXd tau = dynamics.inverse_dynamics({a.data(), static_cast<std::size_t>(a.size())});
  return {largest(tau - d.tau) / d.force, largest(d.M * a + d.bias - d.tau) / d.force, largest(a - d.a) / largest(d.a)};
}

// 1e-10: what the foundation promises; rounding alone would allow about condition number * 1e-16.
constexpr double kTolerance = 1e-10;

TEST(DynamicsAgreement, ThreeAlgorithmsOnRandomTreesOnEveryInstructionSet) {
  const auto kernels = test::available_kernels();
  std::vector<Differences> worst(kernels.size()), worst_batch(kernels.size());
  std::set<JointType> types;
  std::set<int> dofs;
  Random random(20240601);
  for (int n = 0; n < kTrees; ++n) {
    test::TreeParts parts = test::random_tree(random, 1 + n % kMostDof);
    test::shuffle(random, parts);
    const Model model = test::build(parts);
    ASSERT_EQ(model.u_count(), 1 + n % kMostDof);
    dofs.insert(model.u_count());
    for (int j = 0; j < model.joint_count(); ++j) types.insert(model.joint_type(j));
    const RandomState s = test::random_state(random, model), other = test::random_state(random, model);
    Dynamics dynamics(model);
    const Dense dense = dense_solution(dynamics, s);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const Differences d = differences(dynamics, dense, articulated_body(*kernels[k], model.data(), s));
      const Differences b = differences(dynamics, dense, batched(*kernels[k], model.data(), s, other));
      ASSERT_LT(d.worst(), kTolerance) << "tree " << n << " on " << kernels[k]->instruction_set;
      ASSERT_LT(b.worst(), kTolerance) << "tree " << n << " in a batch on " << kernels[k]->instruction_set;
      worst[k].widen(d);
      worst_batch[k].widen(b);
    }
  }
  EXPECT_EQ(types.size(), 9u);
  EXPECT_EQ(dofs.size(), static_cast<std::size_t>(kMostDof));
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const auto print = [&](const char* what, const Differences& d) {
      test::figure("worst ABA/RNEA {:.1e}, ABA/CRBA forces {:.1e}, accelerations {:.1e} over {} trees, {} {}",
                   d.newton_euler, d.composite, d.acceleration, kTrees, kernels[k]->instruction_set, what);
    };
    print("scalar", worst[k]);
    print("batch", worst_batch[k]);
  }
}

// The bias of RNEA must not depend on how accelerations are given, and is linear in them with the matrix of CRBA.
TEST(DynamicsAgreement, InverseDynamicsIsLinearInAccelerations) {
  Random random(7);
  for (int n = 0; n < 50; ++n) {
    const Model model = test::build(test::random_tree(random, 1 + n));
    const RandomState s = test::random_state(random, model);
    Dynamics dynamics(model);
    dynamics.set(s.q, s.u);
    const Eigen::VectorXd a = random.values(model.u_count(), 3);
    const Eigen::MatrixXd M = dynamics.mass_matrix();
    const Eigen::VectorXd tau = dynamics.inverse_dynamics({a.data(), static_cast<std::size_t>(a.size())});
    const Eigen::VectorXd expected = M * a + dynamics.bias();
    EXPECT_LT(largest(tau - expected), 1e-13 * (largest(expected) + largest(M.cwiseAbs() * a.cwiseAbs())));
    EXPECT_LT((M - M.transpose()).cwiseAbs().maxCoeff(), 1e-15 * M.cwiseAbs().maxCoeff());
    EXPECT_GT(M.selfadjointView<Eigen::Lower>().ldlt().vectorD().minCoeff(), 0);
  }
}

// A free joint passes nothing on but its own force: a light arm must not notice how heavy the body is that floats above
// it. Closed form: g m c / (J + m c²).
TEST(DynamicsAgreement, LightLinkBelowAHeavyFreeBody) {
  for (const double mass : {1.0, 1e3, 1e6, 1e9}) {
    ModelBuilder builder;
    BodySpec arm, ship;
    arm.name = "arm";
    arm.mass_properties = MassProperties{1e-3, {0.1, 0, 0}, 1e-6 * Eigen::Matrix3d::Identity()};
    ship.name = "ship";
    ship.mass_properties = MassProperties{mass, {0.3, 1, 2}, mass * Eigen::Matrix3d::Identity()};
    JointSpec hinge, free;
    hinge.name = "hinge";
    hinge.child = "arm";
    hinge.axis = {0, 1, 0};
    free.name = "free";
    free.type = JointType::kFree;
    free.parent = "arm";
    free.child = "ship";
    free.q = {1, 2, 3, 0.5, 0.5, 0.5, 0.5};
    free.u = {1, 2, 3, 4, 5, 6};
    builder.add(arm), builder.add(ship), builder.add(hinge), builder.add(free);
    Dynamics dynamics(builder.build());
    const double expected = 9.81 * 1e-3 * 0.1 / (1e-6 + 1e-3 * 0.01);
    EXPECT_NEAR(dynamics.accelerations()[0], expected, 1e-14 * expected) << mass;
    const Eigen::VectorXd blow = dynamics.impulse_response(0, {1, 0, 0}, {0, 0, -1}, Eigen::Vector3d::Zero());
    EXPECT_NEAR(blow[0], 1 / (1e-6 + 1e-3 * 0.01), 1e-14 / (1e-6 + 1e-3 * 0.01)) << mass;
  }
}

}  // namespace
}  // namespace lipkin
