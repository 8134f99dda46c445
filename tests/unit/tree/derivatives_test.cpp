// Analytic derivatives of the accelerations against dual numbers pushed through the articulated-body pass.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "lipkin/dynamics.hpp"
#include "model/model_data.hpp"
#include "spatial/dual.hpp"
#include "support/figure.hpp"
#include "support/random_tree.hpp"
#include "tree/articulated_body.hpp"
#include "tree/kinematics.hpp"
#include "tree/local_coordinates.hpp"

namespace lipkin {
namespace {

using test::Random;
using test::RandomState;
using Number = Dual<double, 1>;

// The accelerations and their exact derivative in one direction of q, u or tau.
class DualPass {
 public:
  explicit DualPass(const ModelData& model)
      : model_(model),
        count_(static_cast<int>(model.links.size())),
        links_(model.links.size()),
        multi_(model.multi_count + 1),
        X_(model.links.size()),
        V_(model.links.size()),
        S_(model.u_count),
        external_(model.links.size()) {}

  Eigen::VectorXd derivative(const std::vector<Number>& q, const std::vector<Number>& u,
                             const std::vector<Number>& tau) {
    std::vector<Number> du(model_.u_count);
    unload_added_inertia(q, u);
    articulated_body<Number>(model_.links.data(), count_, model_.gravity, q.data(), u.data(), tau.data(),
                             model_.armature.data(), external_.data(), {links_.data(), multi_.data()}, du.data());
    Eigen::VectorXd result(model_.u_count);
    for (int k = 0; k < model_.u_count; ++k) result[k] = du[k].d[0];
    return result;
  }

  // q moved along unit velocity k at the rate 1.
  std::vector<Number> moved(const std::vector<Number>& q, int k) const {
    std::vector<Number> theta(model_.u_count), result(q.size());
    theta[k] = Number::variable(0, 0);
    retract<Number>(model_.links.data(), count_, q.data(), Number(1), theta.data(), result.data());
    return result;
  }

 private:
  void unload_added_inertia(const std::vector<Number>& q, const std::vector<Number>& u) {
    world_kinematics<Number>(model_.links.data(), count_, q.data(), u.data(), X_.data(), V_.data(), S_.data());
    for (int i = 1; i < count_; ++i) {
      external_[i] = Force<Number>::zero();
      if (model_.added_inertia.empty()) continue;
      const Vec3<Number> g = transpose_times(X_[i].R, lift<Number>(model_.gravity));
      external_[i] -= lift<Number>(model_.added_inertia[i]) * Motion<Number>{Vec3<Number>::zero(), g};
    }
  }

  const ModelData& model_;
  int count_;
  std::vector<LinkWork<Number>> links_;
  std::vector<MultiWork<Number>> multi_;
  std::vector<Transform<Number>> X_;
  std::vector<Motion<Number>> V_, S_;
  std::vector<Force<Number>> external_;
};

AccelerationDerivatives by_duals(const Model& model, const RandomState& s) {
  DualPass pass(model.data());
  const int n = model.u_count();
  const std::vector<Number> q(s.q.begin(), s.q.end()), u(s.u.begin(), s.u.end()), tau(s.tau.begin(), s.tau.end());
  AccelerationDerivatives d{Eigen::MatrixXd(n, n), Eigen::MatrixXd(n, n), Eigen::MatrixXd(n, n)};
  for (int k = 0; k < n; ++k) {
    std::vector<Number> u_k = u, tau_k = tau;
    u_k[k].d[0] = 1;
    tau_k[k].d[0] = 1;
    d.by_q.col(k) = pass.derivative(pass.moved(q, k), u, tau);
    d.by_u.col(k) = pass.derivative(q, u_k, tau);
    d.by_tau.col(k) = pass.derivative(q, u, tau_k);
  }
  return d;
}

// Of the largest entry. Where that is next to nothing (prismatic joints alone know neither q nor u) of 0.1: the
// accelerations themselves are about 10.
double relative_difference(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return (a - b).cwiseAbs().maxCoeff() / std::max(0.1, b.cwiseAbs().maxCoeff());
}

struct Worst {
  double by_q = 0, by_u = 0, by_tau = 0;
};

void compare(Random& random, const Model& model, Worst& worst) {
  const RandomState s = test::random_state(random, model);
  Dynamics dynamics(model);
  dynamics.set(s.q, s.u);
  const AccelerationDerivatives analytic = dynamics.acceleration_derivatives(s.tau);
  const AccelerationDerivatives dual = by_duals(model, s);
  worst.by_q = std::max(worst.by_q, relative_difference(analytic.by_q, dual.by_q));
  worst.by_u = std::max(worst.by_u, relative_difference(analytic.by_u, dual.by_u));
  worst.by_tau = std::max(worst.by_tau, relative_difference(analytic.by_tau, dual.by_tau));
}

// 1e-12 of the largest entry: what the foundation promises.
constexpr double kTolerance = 1e-12;

TEST(Derivatives, MatchDualNumbersForEveryJointType) {
  Random random(11);
  for (const JointType type : test::TreeOptions{}.types) {
    Worst worst;
    for (int n = 0; n < 20; ++n) {
      test::TreeOptions options;
      options.types = {type};
      const int joints = 2 + n % 3;
      compare(random, test::build(test::random_tree(random, joints * u_count(type), options)), worst);
    }
    EXPECT_LT(worst.by_q, kTolerance) << name_of(type);
    EXPECT_LT(worst.by_u, kTolerance) << name_of(type);
    EXPECT_LT(worst.by_tau, kTolerance) << name_of(type);
    test::figure("derivatives against duals, {:11}: by q {:.1e}, by u {:.1e}, by tau {:.1e}", name_of(type), worst.by_q,
                 worst.by_u, worst.by_tau);
  }
}

TEST(Derivatives, MatchDualNumbersOnMixedTrees) {
  Random random(12);
  Worst worst;
  for (int n = 0; n < 200; ++n) {
    test::TreeParts parts = test::random_tree(random, 1 + n % 40);
    test::shuffle(random, parts);
    compare(random, test::build(parts), worst);
  }
  EXPECT_LT(worst.by_q, kTolerance);
  EXPECT_LT(worst.by_u, kTolerance);
  EXPECT_LT(worst.by_tau, kTolerance);
  test::figure("derivatives against duals, 200 mixed trees of 1 to 40 dof: by q {:.1e}, by u {:.1e}, by tau {:.1e}",
               worst.by_q, worst.by_u, worst.by_tau);
}

// Nothing may depend on where in the world a mechanism stands.
TEST(Derivatives, MatchDualNumbersFarFromTheOrigin) {
  Random random(14);
  Worst worst;
  for (int n = 0; n < 40; ++n) {
    test::TreeParts parts = test::random_tree(random, 1 + n % 20);
    for (JointSpec& joint : parts.joints)
      if (joint.parent == kWorldName) joint.frame_in_parent.position += Eigen::Vector3d(1000, -2000, 500);
    compare(random, test::build(parts), worst);
  }
  EXPECT_LT(worst.by_q, kTolerance);
  EXPECT_LT(worst.by_u, kTolerance);
  EXPECT_LT(worst.by_tau, kTolerance);
  test::figure("derivatives against duals, 2 km from the origin: by q {:.1e}, by u {:.1e}, by tau {:.1e}", worst.by_q,
               worst.by_u, worst.by_tau);
}

// Duals and formulas could share a mistake in what "along the velocities" means: central differences of the
// accelerations along states that a simulation would pass.
TEST(Derivatives, MatchDifferencesOfAccelerations) {
  Random random(13);
  for (int n = 0; n < 20; ++n) {
    const Model model = test::build(test::random_tree(random, 2 + n));
    const RandomState s = test::random_state(random, model);
    Dynamics dynamics(model);
    dynamics.set(s.q, s.u);
    const AccelerationDerivatives d = dynamics.acceleration_derivatives(s.tau);
    const Eigen::VectorXd direction = random.values(model.u_count(), 1);
    const ModelData& data = model.data();
    const auto at = [&](double h) {
      std::vector<double> q(s.q.size());
      retract<double>(data.links.data(), static_cast<int>(data.links.size()), s.q.data(), h, direction.data(),
                      q.data());
      dynamics.set(q, s.u);
      return dynamics.accelerations(s.tau);
    };
    constexpr double kStep = 1e-4;  // error h^4 / 30 of the fifth derivative, and 1e-16 / h of rounding
    const Eigen::VectorXd numeric = (8 * (at(kStep) - at(-kStep)) - (at(2 * kStep) - at(-2 * kStep))) / (12 * kStep);
    const Eigen::VectorXd analytic = d.by_q * direction;
    EXPECT_LT((numeric - analytic).cwiseAbs().maxCoeff(), 1e-7 * d.by_q.cwiseAbs().maxCoeff());
  }
}

}  // namespace
}  // namespace lipkin
