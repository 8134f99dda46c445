// The bilateral rows of a model, linearised and factored at one state: where velocities stand in z, the factors of M,
// the rows and the rotors that these carry along, and the gaps that were measured last.
#pragma once

#include "constraints/rotor_rows.hpp"

namespace lipkin {

class BilateralSystem {
 public:
  // Gaps below this are closed: relative to the size of the mechanism for lengths, absolute for angles [rad].
  static constexpr double kClosed = 1e-11;

  explicit BilateralSystem(const ModelData& model);
  BilateralSystem(const BilateralSystem&) = delete;
  BilateralSystem& operator=(const BilateralSystem&) = delete;

  const ZLayout& layout() const { return layout_; }
  const BilateralRows& rows() const { return rows_; }
  BilateralRows& rows() { return rows_; }
  RotorRows& rotors() { return rotors_; }
  const RotorRows& rotors() const { return rotors_; }
  Whitener& whitener() { return whitener_; }
  int row_count() const { return rows_.row_count(); }
  bool empty() const { return rows_.row_count() == 0; }
  int cluster_z_count() const { return cluster_z_count_; }  // of z, from its begin on, that clusters hold
  double length_scale() const { return length_scale_; }     // size of the mechanism [m]

  // Coordinates of closures, factors of M + work.diag, rows, and where asked for their factors, at work.kinematics,
  // which are those of the state.
  void linearize(const ModelData& model, bool factored, State& state, Workspace& work);
  // The same where gaps were measured last at these poses.
  void linearize_measured(const ModelData& model, bool factored, State& state, Workspace& work);
  // The same after the kinematics of the state.
  void linearize_at(const ModelData& model, bool factored, State& state, Workspace& work);
  void factor(const ModelData& model, Workspace& work);

  // Kept until they are measured again, or overwritten by who has measured them.
  void measure_gaps(const ModelData& model, const double* q, const MotorTargets& targets, const Workspace& work,
                    double* closure_q) {
    rows_.take_frames(model, work.kinematics.X_WL.data());
    rows_.gaps(model, work.kinematics.X_WL.data(), q, targets, closure_q, gaps_.data());
  }
  std::vector<double>& gaps() { return gaps_; }
  double gap_weight(int row) const { return gap_weight_[row]; }  // makes gaps of lengths and angles comparable
  double worst_gap(int* row = nullptr) const;                    // weighted
  double worst_speed_gap() const;                                // of prescribed speeds [m] or [rad]

  // z of the shortest impulses that take these rates away, inertia of the rotors included; zero beyond the clusters.
  // The rates are then those that it adds.
  void take_away(std::vector<double>& rates, std::vector<double>& z);

 private:
  ZLayout layout_;
  Whitener whitener_;
  BilateralRows rows_;
  RotorRows rotors_;
  double length_scale_;
  int cluster_z_count_ = 0;
  std::vector<double> gaps_, gap_weight_;
};

}  // namespace lipkin
