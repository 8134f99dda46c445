// Many independent copies of one model advanced together: trees by SIMD lanes times threads, others by threads.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lipkin/scene.hpp"

namespace lipkin {

// Semi-implicit Euler steps of one size. A tree whose forces are functions of its state advances in SIMD lanes; what
// has rows (loops, limits, friction, motors, contacts, ...) or a memory advances copy by copy as a Simulation does, to
// the same bits. Results do not depend on the number of threads.
class Batch {
 public:
  // threads 0: one per core. Throws InvalidArgument for a model that cannot be stepped and for a scene with timed
  // commands, which a batch does not carry out. Of the scene's experiment dt, solver and stabilization count.
  Batch(Model model, int copy_count, int threads = 0);
  Batch(Scene scene, int copy_count, int threads = 0);
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  const Model& model() const;
  int copy_count() const;
  int lane_count() const;  // copies per SIMD register on this machine
  int thread_count() const;
  // Why copies advance one by one, an entry a kind: "2 loops", "contacts". Empty: they advance in lanes.
  const std::vector<std::string>& kept_out_of_lanes() const;

  double dt() const;  // of a step [s]
  void set_dt(double dt);

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

  // Accelerations of every copy: inertia, gravity, velocity terms and tau. Not where loops are closed.
  void forward_dynamics();

  // `count` steps of dt() of every copy with all that the model has. Throws InvalidArgument where q, u or tau of a copy
  // are not finite, SimulationError where they stop being so, naming the copy; every copy is then as it was before.
  void step(int count = 1);
  void step(double) = delete;  // a number of steps, as Simulation's; the size of a step is set_dt()

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lipkin
