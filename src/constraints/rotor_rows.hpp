// Armature along tendons, and along joints that are rows: inertia that M does not have. Where bilateral rows are closed
// by the shortest z, short must count this inertia too.
#pragma once

#include <Eigen/Cholesky>

#include "constraints/bilateral_rows.hpp"

namespace lipkin {

class RotorRows {
 public:
  RotorRows(const ModelData& model, const ZLayout& layout);

  // At the linearisation of the bilateral rows, once these are factored.
  void update(const ModelData& model, const KinematicsWork& kinematics, const Whitener& whitener,
              BilateralRows& bilateral, Workspace& work);

  // z of least |z|² that meets the bilateral rows becomes that of least |z|² + Σ a (y z)²; over the clusters.
  void weigh(double* z);

  bool any() const { return count_ > 0; }

  // Adds the impulses that hold the rotors back, so that z is what the bilateral rows alone put in; impulses: receives
  // what the rotors put in against it, one for each of the model's springs along rows.
  void add_push(double* z, double* impulses);

  // Of such impulses [N s].
  std::size_t size() const { return rows_.size(); }

  // Adds what such forces do to links and joints. work.kinematics are those of the state.
  void react(const ModelData& model, const double* forces, Workspace& work) const;

 private:
  const ZLayout& layout_;
  std::vector<DofRow> rows_;         // one for each of the model's springs along rows
  std::vector<bool> is_inside_;      // whether clusters hold all that it acts on
  std::vector<std::size_t> row_of_;  // per column
  Eigen::MatrixXd Y_, left_;  // a column per rotor in use: over the clusters, and what the bilateral rows leave of it
  Eigen::VectorXd armature_, rate_;
  Eigen::MatrixXd S_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  Eigen::Index count_ = 0;
};

}  // namespace lipkin
