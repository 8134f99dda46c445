// Scratch memory sized by the model once; a step allocates nothing. Filled with NaN until computed, so that reading a
// field before its stage is seen at once.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "model/model_data.hpp"
#include "state/tree_work.hpp"

namespace lipkin {

// An array of plain records on cache-line boundaries.
template <class T>
class AlignedArray {
 public:
  explicit AlignedArray(std::size_t count = 0);
  AlignedArray(AlignedArray&&) noexcept = default;
  AlignedArray& operator=(AlignedArray&&) noexcept = default;
  T* data() { return reinterpret_cast<T*>(bytes_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(bytes_.data()); }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }

 private:
  struct alignas(64) Line {
    unsigned char bytes[64];
  };
  std::vector<Line> bytes_;
};

template <class T>
AlignedArray<T>::AlignedArray(std::size_t count) : bytes_((count * sizeof(T) + 63) / 64) {
  for (Line& line : bytes_)
    for (unsigned char& b : line.bytes) b = 0xff;  // every double a NaN
}

// World poses and velocities. Computed by tree/kinematics.hpp.
struct KinematicsWork {
  explicit KinematicsWork(const ModelData& model);

  std::vector<Transform<double>> X_WL;  // per link
  std::vector<Motion<double>> V_WL;     // per link: of L's origin, world axes [rad/s, m/s]
  std::vector<Motion<double>> S_W;      // per velocity: its column at L's origin, world axes; not of lone links
};

class RegularisedForces;
class ThreadPool;

struct Workspace {
  explicit Workspace(const ModelData& model);

  TreeWork<double> tree() { return {links.data(), multi.data()}; }

  AlignedArray<LinkWork<double>> links;   // by articulated_body
  AlignedArray<MultiWork<double>> multi;  // by articulated_body
  KinematicsWork kinematics;              // by update_kinematics
  std::vector<double> tau;                // by evaluate_forces; per velocity [N m] or [N]
  std::vector<Force<double>> external;    // by evaluate_forces; per link, in its frame
  bool has_external = false;              // whether `external` holds anything
  std::vector<double> diag;               // by the stepper: armature and implicit terms; per velocity
  std::vector<double> du;                 // by articulated_body: accelerations; per velocity
  std::vector<double> actuator_control;   // by evaluate_forces; per actuator, clamped
  std::vector<Force<double>> link_force;  // by update_joint_forces; per link: what its joint exerts, world axes
  std::vector<double> motor_force;        // by ConstraintSystem::react; per motor [N m] or [N]
  std::vector<double> tendon_force;  // by evaluate_forces and ConstraintSystem::react; per tendon, growing its length
  std::vector<Force<double>>
      joint_force;                        // by ConstraintSystem::react; per joint: parent on child, about M, world axes
  std::vector<double> energy_terms;       // by the simulation where the balance is watched; see EnergyTerm [J]
  std::vector<double> momentum_terms;     // likewise, six components of each MomentumTerm
  std::vector<double> slots, slot_rates;  // for the variables of an expression
  bool saw_nan = false;                   // by signal_value and signal_ahead: a signal was not a number

  ThreadPool* threads = nullptr;  // who helps with large steps; null: nobody

  // Contact and joint friction as forces (forces/regularised_forces.hpp); null: they are rows.
  std::shared_ptr<RegularisedForces> regularised;
};

}  // namespace lipkin
