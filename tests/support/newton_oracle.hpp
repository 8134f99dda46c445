// The equations of motion of a tree from first principles: Newton's and Euler's laws for each body, joined by
// d'Alembert's principle. Poses follow from the joints' definitions in lipkin/model_builder.hpp, written down once more
// here; velocities, accelerations and Jacobians are derivatives of poses by central differences of order 8 in extended
// precision. Shares no code with the algorithms under test.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <span>
#include <vector>

#include "support/random_tree.hpp"

namespace lipkin::test {

class NewtonOracle {
 public:
  using Real = long double;
  using Vector3 = Eigen::Matrix<Real, 3, 1>;
  using Matrix3 = Eigen::Matrix<Real, 3, 3>;
  using Quaternion = Eigen::Quaternion<Real>;

  struct Frame {
    Matrix3 R = Matrix3::Identity();
    Vector3 p = Vector3::Zero();
  };

  // Of the body frame, world axes.
  struct Motion {
    Frame X;
    Vector3 omega, v, alpha, a;
  };

  // The model tells only where the coordinates of each joint lie.
  NewtonOracle(const TreeParts& parts, const Model& model);

  // Motion of every body, in the order of the parts, where velocities are u and accelerations du.
  std::vector<Motion> motions(std::span<const double> q, const Eigen::VectorXd& u, const Eigen::VectorXd& du) const;

  // 6 x u_count per body: angular then linear velocity of the body frame per unit velocity, world axes.
  std::vector<Eigen::MatrixXd> jacobians(std::span<const double> q) const;

  Eigen::MatrixXd mass_matrix(std::span<const double> q) const;  // second derivative of the kinetic energy
  Eigen::VectorXd inverse_dynamics(std::span<const double> q, const Eigen::VectorXd& u,
                                   const Eigen::VectorXd& du) const;

  double kinetic_energy(std::span<const double> q, const Eigen::VectorXd& u) const;
  double potential_energy(std::span<const double> q) const;
  Eigen::VectorXd potential_gradient(std::span<const double> q) const;  // along the velocities

 private:
  // q moved for the time s along the curve with velocities u and accelerations du at s = 0.
  std::vector<Frame> poses(std::span<const double> q, const Eigen::VectorXd& u, const Eigen::VectorXd& du,
                           Real s) const;
  Frame joint_pose(const JointSpec& joint, const double* q, const double* u, const double* du, Real s) const;
  Real potential_of(const std::vector<Frame>& X) const;
  Eigen::Matrix<Real, 6, 1> force_for(const BodySpec& body, const Motion& m) const;
  Real kinetic_of(const BodySpec& body, const Motion& m) const;

  const TreeParts& parts_;
  int u_count_;
  std::vector<int> order_;              // joints, parents first
  std::vector<int> parent_;             // per body; -1: the world
  std::vector<int> joint_of_;           // per body
  std::vector<int> first_q_, first_u_;  // per joint of the parts
};

}  // namespace lipkin::test
