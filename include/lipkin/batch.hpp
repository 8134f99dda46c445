// Many independent copies of one model advanced together: SIMD lanes times threads.
#pragma once

#include <memory>
#include <span>

#include "lipkin/model.hpp"

namespace lipkin {

// Results do not depend on the number of threads.
class Batch {
 public:
  // threads 0: one per core.
  Batch(Model model, int copy_count, int threads = 0);
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  const Model& model() const;
  int copy_count() const;
  int lane_count() const;  // copies per SIMD register on this machine
  int thread_count() const;

  double time() const;  // [s]; the same for all copies
  void set_time(double t);

  // One copy's values, see JointType for their meaning.
  double q(int copy, int index) const;
  double u(int copy, int index) const;
  double acceleration(int copy, int index) const;  // of the last forward_dynamics() or step()
  void set_q(int copy, std::span<const double> q);
  void set_u(int copy, std::span<const double> u);
  void set_tau(int copy, std::span<const double> tau);  // applied generalized forces [N m] or [N]

  // All copies where they lie: blocks of lane_count() copies, in each block one row of copies per index, so that value
  // i of copy c is at ((c / lane_count()) * n + i) * lane_count() + c % lane_count() with n = q_count or u_count. The
  // last block is filled up with idle copies. In memory that stays where it is.
  std::span<double> q_lanes();
  std::span<double> u_lanes();
  std::span<double> tau_lanes();
  std::span<const double> acceleration_lanes() const;

  // Accelerations of every copy: inertia, gravity, velocity terms and tau.
  void forward_dynamics();

  // `count` semi-implicit Euler steps of every copy with all forces of the model.
  void step(double dt, int count = 1);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lipkin
