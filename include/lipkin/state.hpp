// Everything that decides the future of a simulation.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <vector>

#include "lipkin/model.hpp"

namespace lipkin {

// A force and torque that act on a body until a given time.
struct ActivePush {
  int body = 0;
  Eigen::Vector3d point = Eigen::Vector3d::Zero();   // in the body frame [m]
  Eigen::Vector3d force = Eigen::Vector3d::Zero();   // [N]
  Eigen::Vector3d torque = Eigen::Vector3d::Zero();  // [N m]
  bool along_body = false;                           // components along the body's axes instead of the world's
  double until = 0;                                  // [s]
  double share = 1;                                  // of the step that is being taken: how much of it is pushed
};

// A hand that pulls a point of a body: force = stiffness (target - point) - damping * velocity of the point, along
// world axes.
struct ActiveDrag {
  int id = 0;
  int body = 0;
  Eigen::Vector3d point = Eigen::Vector3d::Zero();      // in the body frame [m]
  Eigen::Vector3d target = Eigen::Vector3d::Zero();     // in the world [m]
  Eigen::Matrix3d stiffness = Eigen::Matrix3d::Zero();  // [N/m]
  Eigen::Matrix3d damping = Eigen::Matrix3d::Zero();    // [N s/m]
};

// A value of the model changed while it runs; see CommandSet for the paths.
struct SettingEdit {
  std::string path;
  double value = 0;
};

// What a contact carried in the last step, so that the next one starts from it.
struct ContactMemory {
  int shape_a = 0, shape_b = 0;                          // contact shapes of the model
  std::uint64_t feature = 0;                             // which point of the pair
  bool slips = false;                                    // the friction was at its limit
  double normal = 0;                                     // impulse on the second shape along the direction [N s]
  double spin = 0;                                       // about the normal [N m s]
  Eigen::Vector3d direction = Eigen::Vector3d::Zero();   // from the first shape to the second, world axes
  Eigen::Vector3d point = Eigen::Vector3d::Zero();       // where it acts, world [m]
  Eigen::Vector3d tangential = Eigen::Vector3d::Zero();  // world axes [N s]
  Eigen::Vector3d rolling = Eigen::Vector3d::Zero();     // world axes [N m s]
};

// A limit, rope or limit of a ball joint that was passed, as the check of the last step has found it.
struct PassedLimit {
  int item = 0;        // of those that the check looks at
  int steps = 0;       // for which it has been passed without coming nearer
  double before = 0;   // how far it was passed at the begin of the last step [m] or [rad]
  double earlier = 0;  // and of the one before
};

struct State {
  double t = 0;                 // [s]
  std::vector<double> q;        // coordinates, see JointType; size q_count
  std::vector<double> u;        // velocities; size u_count
  std::vector<double> applied;  // generalized forces added from outside; size u_count [N m] or [N]
  std::vector<double> control;  // of ControlSpec, set from outside; NaN: the actuator or motor follows its own signal
  std::vector<double> inputs;   // values of InputSpec, set from outside
  std::vector<double> memory;   // of tyres (shear of the tread), controllers and activations, see ModelData
  std::vector<ActivePush> pushes;
  std::vector<ActiveDrag> drags;
  std::vector<SettingEdit> edits;   // in the order they were made
  std::uint64_t commands_done = 0;  // of the experiment's timed commands
  double step_size = 0;             // what an adaptive stepper will try next; 0: it chooses [s]
  double step_error = 0;            // scaled error of the last adaptive step, for the step-size controller
  std::uint64_t step_count = 0;
  std::vector<double>
      closure_q;  // coordinates of joints that close loops, angles with their turns, and of tendons [rad] or [m]

  // Memory of the constraint solver, from which the next step starts.
  double impulse_step = 0;              // the step that the impulses below belong to; 0: none [s]
  std::vector<double> row_impulses;     // of limits, joint frictions, motors, distances; then of bilateral rows
  std::vector<ContactMemory> contacts;  // by shapes, then feature
  std::vector<double> projection;       // the last corrections of the positions, newest first

  std::vector<PassedLimit> passed_limits;  // in the order of the check: whether one that stays passed stops the run

  // For looking at reactions, where somebody does; they decide nothing and are not part of the hash.
  std::vector<double> reactions;         // impulses of bilateral rows in the last step
  std::vector<double> carried_impulses;  // those that made the velocities fit after the last step
  std::vector<double> balance;  // what is booked since the balance is watched (src/constraints/balance_ledger.hpp)
};

// The model's initial state.
State initial_state(const Model& model);

// 64-bit hash of every bit that decides the future: equal states, equal hashes.
std::uint64_t state_hash(const State& state);

// 16 hexadecimal digits, as printed by the program.
std::string hash_text(std::uint64_t hash);

}  // namespace lipkin
