// Questions about a model at one state: inertia matrix, accelerations, energy, Jacobians, derivatives.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lipkin/model.hpp"
#include "lipkin/model_builder.hpp"
#include "lipkin/state.hpp"

namespace lipkin {

struct Energy {
  double kinetic = 0;        // [J]
  double gravitational = 0;  // zero at the world's origin [J]
  double elastic = 0;        // joint springs, spring-dampers, bushings, tyres, soft contacts [J]
  double total() const { return kinetic + gravitational + elastic; }
};

struct Momentum {
  Eigen::Vector3d linear = Eigen::Vector3d::Zero();   // [kg m/s]
  Eigen::Vector3d angular = Eigen::Vector3d::Zero();  // about the world's origin [kg m^2/s]
};

struct BodyMotion {
  Pose pose;                         // of the body frame in the world
  Eigen::Vector3d velocity;          // of the body frame's origin, world axes [m/s]
  Eigen::Vector3d angular_velocity;  // world axes [rad/s]
};

// Derivatives of the accelerations; q varies along the velocities (for a quaternion: a rotation about the child's
// axes).
struct AccelerationDerivatives {
  Eigen::MatrixXd by_q, by_u, by_tau;
};

// What a model with closed loops is asked as: refused, or cut open at its loops, with the coordinates of its tree, as
// if nothing closed them.
enum class LoopTreatment { kRefused, kOpen };

// Holds the model and its workspace; set() a state, then ask. Inertia (armature included), gravity and velocity terms
// only, unless a function says otherwise. tau may be empty (zero). Where loops are closed, by joints or rods, whatever
// depends on inertia throws InvalidArgument unless they are asked to be open; poses, velocities, energy are answered.
class Dynamics {
 public:
  explicit Dynamics(Model model, LoopTreatment loops = LoopTreatment::kRefused);
  ~Dynamics();
  Dynamics(Dynamics&&) noexcept;
  Dynamics& operator=(Dynamics&&) noexcept;

  void set(const State& state);  // with its pushes, controls and edits
  void set(std::span<const double> q, std::span<const double> u);

  Eigen::MatrixXd mass_matrix();                                // M(q)
  Eigen::VectorXd bias();                                       // h with M du/dt + h = tau
  Eigen::VectorXd inverse_dynamics(std::span<const double> a);  // tau that gives the accelerations a
  Eigen::VectorXd accelerations(std::span<const double> tau = {});
  // With springs, dampers, actuators, forces and servos too; what left_out() lists is not in it.
  Eigen::VectorXd accelerations_full(std::span<const double> tau = {});
  // What accelerations_full() knows nothing of, one entry a kind: "2 joints with friction", "contacts".
  std::vector<std::string> left_out() const;
  AccelerationDerivatives acceleration_derivatives(std::span<const double> tau = {});

  Energy energy();
  Momentum momentum();
  Eigen::Vector3d center_of_mass();  // world [m]
  BodyMotion body_motion(int body);

  // 6 x u_count: angular then linear velocity of the body frame's origin per unit u, world axes.
  Eigen::MatrixXd body_jacobian(int body);
  // 3 x u_count: velocity of a point of the body per unit u, world axes.
  Eigen::MatrixXd point_jacobian(int body, const Eigen::Vector3d& position_in_body);

  // Change of u by an impulse [N s] and angular impulse [N m s] (world axes) at a point of a body: one walk up its path
  // and one down the tree.
  Eigen::VectorXd impulse_response(int body, const Eigen::Vector3d& position_in_body, const Eigen::Vector3d& impulse,
                                   const Eigen::Vector3d& angular_impulse);

  // A variable by name, as in outputs: "joint.shoulder.q", "body.bob.vx", "energy.total".
  double variable(std::string_view name);

  const Model& model() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lipkin
