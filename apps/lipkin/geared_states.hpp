// The motions that gears leave: coordinates that follow others are not asked about.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "lipkin/model.hpp"

namespace lipkin::cli {

class GearedStates {
 public:
  explicit GearedStates(const Model& model);

  // Whether any coordinate of the tree follows another.
  bool empty() const { return gears_.empty(); }

  // Velocities that follow nobody, as indices into u in the order of `dofs`.
  std::vector<int> leaders(const std::vector<int>& dofs) const;

  // Puts those that follow where their leaders say.
  void apply(std::vector<double>& q, std::vector<double>& u) const;

  // u = R u_leaders at q.
  Eigen::MatrixXd following(const std::vector<int>& leaders, const std::vector<double>& q, int u_count) const;

  // Accelerations while the leaders keep their speeds.
  Eigen::VectorXd bending(const std::vector<double>& q, const std::vector<double>& u) const;

 private:
  std::vector<GearInfo> gears_;  // each after the one its leader follows
};

}  // namespace lipkin::cli
