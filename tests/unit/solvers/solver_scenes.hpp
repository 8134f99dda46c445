// Constraint problems of free bodies for the tests of the solvers, and the laws checked independently of them.
#pragma once

#include <Eigen/Dense>
#include <limits>
#include <vector>

#include "solvers/problem.hpp"
#include "support/random.hpp"

namespace lipkin::test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A rigid body whose principal axes are those of the world.
struct FreeBody {
  double mass = 1;
  Eigen::Vector3d inertia = Eigen::Vector3d::Ones();
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero(), spin = Eigen::Vector3d::Zero();
};

inline FreeBody box(double mass, const Eigen::Vector3d& size, const Eigen::Vector3d& position) {
  const Eigen::Vector3d s = size.cwiseAbs2() * mass / 12;
  return {mass, {s[1] + s[2], s[0] + s[2], s[0] + s[1]}, position, {0, 0, 0}, {0, 0, 0}};
}

// Bodies have eight values of z each, six of them used: velocities times the roots of mass and inertia.
class ProblemMaker {
 public:
  int add(const FreeBody& body) {
    bodies_.push_back(body);
    problem.z_count = 8 * static_cast<int>(bodies_.size());
    return static_cast<int>(bodies_.size()) - 1;
  }
  FreeBody& body(int index) { return bodies_[static_cast<std::size_t>(index)]; }

  // One row's vector: the velocity of a point of body B along `direction`, minus that of A; -1 is the world.
  struct Direction {
    Eigen::Vector3d linear, angular;  // a row may be a rotation instead
  };

  Block& contact(int A, int B, const Eigen::Vector3d& point, const Eigen::Vector3d& normal, double mu, int rows = 3) {
    const Eigen::Vector3d n = normal.normalized();
    const Eigen::Vector3d t1 = n.unitOrthogonal(), t2 = n.cross(t1), zero = Eigen::Vector3d::Zero();
    std::vector<Direction> directions = {{n, zero}, {t1, zero}, {t2, zero}, {zero, n}, {zero, t1}, {zero, t2}};
    directions.resize(static_cast<std::size_t>(rows));
    Block& block = add_block(LawKind::kContact, A, B, point, directions);
    block.mu = mu;
    return block;
  }
  Block& bilateral(int A, int B, const Eigen::Vector3d& point, const std::vector<Direction>& directions) {
    return add_block(LawKind::kBilateral, A, B, point, directions);
  }
  Block& interval(int A, int B, const Eigen::Vector3d& point, const Direction& direction, double lo, double hi) {
    Block& block = add_block(LawKind::kInterval, A, B, point, {direction});
    block.lo = lo;
    block.hi = hi;
    return block;
  }

  Problem problem;

 private:
  Block& add_block(LawKind law, int A, int B, const Eigen::Vector3d& point, const std::vector<Direction>& directions) {
    Block block;
    block.law = law;
    block.row_begin = static_cast<int>(problem.b.size());
    block.row_count = static_cast<int>(directions.size());
    block.run_begin = static_cast<int>(problem.runs.size());
    block.y_begin = problem.y.size();
    for (const int body : {A, B}) {
      if (body >= 0) problem.runs.push_back({8 * body, 8});
    }
    block.run_count = static_cast<int>(problem.runs.size()) - block.run_begin;
    block.width = 8 * block.run_count;
    for (const Direction& d : directions) {
      double gamma = 0;
      for (const int index : {A, B}) {
        if (index < 0) continue;
        const FreeBody& body = bodies_[static_cast<std::size_t>(index)];
        const double sign = index == B ? 1 : -1;
        const Eigen::Vector3d angular = (point - body.position).cross(d.linear) + d.angular;
        for (int k = 0; k < 3; ++k) problem.y.push_back(sign * d.linear[k] / std::sqrt(body.mass));
        for (int k = 0; k < 3; ++k) problem.y.push_back(sign * angular[k] / std::sqrt(body.inertia[k]));
        problem.y.insert(problem.y.end(), 2, 0.0);
        gamma += sign * (d.linear.dot(body.velocity) + angular.dot(body.spin));
      }
      problem.b.push_back(gamma);
      problem.compliance.push_back(0);
      problem.lambda.push_back(0);
    }
    problem.blocks.push_back(block);
    return problem.blocks.back();
  }

  std::vector<FreeBody> bodies_;
};

inline Eigen::MatrixXd dense_rows(const Problem& problem) {
  Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(problem.b.size()), problem.z_count);
  for (const Block& block : problem.blocks) {
    for (int r = 0; r < block.row_count; ++r) {
      const double* y = problem.y.data() + block.y_begin + static_cast<std::size_t>(r * block.width);
      for (int k = 0; k < block.run_count; ++k) {
        const Run run = problem.runs[static_cast<std::size_t>(block.run_begin + k)];
        for (int j = 0; j < run.length; ++j) Y(block.row_begin + r, run.begin + j) += *y++;
      }
    }
  }
  return Y;
}

inline Eigen::VectorXd dense(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

inline Eigen::VectorXd gap_velocities(const Problem& problem) {
  const Eigen::MatrixXd Y = dense_rows(problem);
  const Eigen::VectorXd lambda = dense(problem.lambda);
  return dense(problem.b) + Y * (Y.transpose() * lambda) + dense(problem.compliance).cwiseProduct(lambda);
}

// How much the impulses of a disc or interval and the slip contradict Coulomb's law: the larger of what the impulse
// exceeds its bound, and of the power lost to a wrong direction or a wrong size, per impulse or slip.
inline double friction_violation(const Eigen::VectorXd& gamma, const Eigen::VectorXd& lambda, double bound) {
  const double excess = lambda.norm() - bound;
  // The law of maximal dissipation: bound |gamma| + lambda . gamma = 0.
  const double missing = bound * gamma.norm() + lambda.dot(gamma);
  return std::max(excess, missing / std::max({bound, gamma.norm(), 1e-3}));
}

// Worst violation of the laws as they stand in textbooks, in the mixed units of gamma and Lambda.
inline double law_violation(const Problem& problem) {
  const Eigen::VectorXd gamma = gap_velocities(problem), lambda = dense(problem.lambda);
  double worst = 0;
  const auto see = [&worst](double violation) { worst = violation <= worst ? worst : violation; };
  for (const Block& block : problem.blocks) {
    const auto g = gamma.segment(block.row_begin, block.row_count),
               l = lambda.segment(block.row_begin, block.row_count);
    switch (block.law) {
      case LawKind::kBilateral:
        see(g.cwiseAbs().maxCoeff());
        break;
      case LawKind::kInterval:
        see(block.lo - l[0]);
        see(l[0] - block.hi);
        see(std::min(g[0], l[0] - block.lo));
        see(std::min(-g[0], block.hi - l[0]));
        break;
      case LawKind::kContact:
        see(-l[0]);
        see(-g[0]);
        see(std::min(g[0], l[0]));
        if (block.row_count >= 3) see(friction_violation(g.segment(1, 2), l.segment(1, 2), block.mu * l[0]));
        if (block.row_count >= 4) see(friction_violation(g.segment(3, 1), l.segment(3, 1), block.mu_spin * l[0]));
        if (block.row_count >= 6) see(friction_violation(g.segment(4, 2), l.segment(4, 2), block.mu_roll * l[0]));
        break;
    }
  }
  return worst;
}

// A box with a contact at each corner of its bottom.
inline void stand_on(ProblemMaker& maker, int lower, int upper, const Eigen::Vector3d& size, double mu) {
  const Eigen::Vector3d center = maker.body(upper).position;
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5})
      maker.contact(lower, upper, center + Eigen::Vector3d(x * size[0], y * size[1], -0.5 * size[2]), {0, 0, 1}, mu);
}

// Boxes on each other, after dt of gravity from rest.
inline ProblemMaker stack(int count, double mu, double g_dt = 9.81e-2) {
  ProblemMaker maker;
  const Eigen::Vector3d size(0.4, 0.3, 0.2);
  for (int i = 0; i < count; ++i) {
    FreeBody body = box(1.0 + 0.3 * i, size, {0.01 * i, 0, 0.1 + 0.2 * i});
    body.velocity = {0, 0, -g_dt};
    maker.add(body);
  }
  for (int i = 0; i < count; ++i) stand_on(maker, i - 1, i, size, mu);
  return maker;
}

// Bodies with random rows between them; well-posed: fewer rows than velocities, and moderate friction.
inline ProblemMaker random_problem(Random& random, int body_count, bool friction) {
  ProblemMaker maker;
  for (int i = 0; i < body_count; ++i) {
    FreeBody body = {random.uniform(0.5, 2), random.vector(0.3) + Eigen::Vector3d::Ones(), random.vector(1),
                     random.vector(1), random.vector(1)};
    maker.add(body);
  }
  for (int i = 0; i < body_count; ++i) {
    const int other = random.integer(-1, body_count - 1);
    const int A = other == i ? -1 : other;
    maker.contact(A, i, random.vector(1), random.unit_vector(), friction ? random.uniform(0, 0.4) : 0,
                  friction ? 3 : 1);
    if (random.chance(0.5)) {
      const Eigen::Vector3d zero = Eigen::Vector3d::Zero();
      maker.interval(-1, i, random.vector(1), {zero, random.unit_vector()}, -random.uniform(0, 0.3),
                     random.uniform(0, 0.3));
    }
    if (random.chance(0.4)) {
      const Eigen::Vector3d zero = Eigen::Vector3d::Zero();
      maker.bilateral(-1, i, random.vector(1), {{random.unit_vector(), zero}, {zero, random.unit_vector()}});
    }
  }
  return maker;
}

}  // namespace lipkin::test
