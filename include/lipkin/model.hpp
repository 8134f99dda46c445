// The compiled, validated description of a mechanism. Immutable and cheap to copy.
#pragma once

#include <Eigen/Core>
#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace lipkin {

// Coordinates q and velocities u of each joint:
//   revolute     q: angle [rad]                         u: its rate
//   prismatic    q: displacement [m]                    u: its rate
//   screw        q: angle [rad]                         u: its rate; advances pitch * q
//   cylindrical  q: angle [rad], displacement [m]       u: their rates
//   universal    q: angle about x, angle about y [rad]  u: their rates
//   planar       q: x [m], y [m], angle about z [rad]   u: their rates
//   ball         q: quaternion w x y z                  u: angular velocity in the axes of the child frame M [rad/s]
//   free         q: position of M in F [m], quaternion  u: velocity of M's origin along F [m/s], angular velocity along
//                                                          M [rad/s]
//   fixed        none; the child becomes part of its parent
enum class JointType { kRevolute, kPrismatic, kScrew, kCylindrical, kUniversal, kPlanar, kBall, kFree, kFixed };

// Lower-case name as in scenes: "revolute", ...
std::string_view name_of(JointType type);
int q_count(JointType type);
int u_count(JointType type);

// How one coordinate follows another (GearSpec).
struct GearCurve {
  double ratio = 1;               // in the units of q over those of q_of
  double offset = 0;              // in the unit of q
  std::array<double, 3> curve{};  // factors of the square, the cube and the fourth power

  // Where the follower is when the other is at x, and the first and second derivatives there.
  double value(double x) const { return offset + x * (ratio + x * (curve[0] + x * (curve[1] + x * curve[2]))); }
  double slope(double x) const { return ratio + x * (2 * curve[0] + x * (3 * curve[1] + x * 4 * curve[2])); }
  double bend(double x) const { return 2 * curve[0] + x * (6 * curve[1] + x * 12 * curve[2]); }
};

// A gear by where its coordinates and velocities stand in q and u; -1 where a joint closes a loop and has none.
struct GearInfo : GearCurve {
  int q = -1, u = -1, of_q = -1, of_u = -1;
};

struct ModelData;
struct ParameterSpec;

class Model {
 public:
  explicit Model(std::shared_ptr<const ModelData> data);

  const std::string& name() const;
  int body_count() const;   // without the world
  int joint_count() const;  // fixed joints and those that close loops included
  int q_count() const;
  int u_count() const;
  int actuator_count() const;
  int control_count() const;  // of actuators and motors, see ControlSpec
  int output_count() const;
  int force_count() const;    // spring-dampers, bushings, and forces on bodies
  int closure_count() const;  // joints that close loops
  int motor_count() const;
  int gear_count() const;
  int distance_count() const;
  int tendon_count() const;
  int material_count() const;
  int contact_shape_count() const;  // shapes that can touch others
  int parameter_count() const;
  double total_mass() const;  // [kg]
  Eigen::Vector3d gravity() const;

  const std::string& body_name(int body) const;
  const std::string& joint_name(int joint) const;
  const std::string& actuator_name(int actuator) const;
  const std::string& motor_name(int motor) const;
  const std::string& control_name(int control) const;
  const std::string& gear_name(int gear) const;
  const std::string& distance_name(int distance) const;
  const std::string& tendon_name(int tendon) const;
  const std::string& material_name(int material) const;
  const std::string& output_name(int output) const;
  const std::string& output_unit(int output) const;
  bool is_output_on_request(int output) const;  // see OutputSpec
  const ParameterSpec& parameter(int parameter) const;

  // Index by name; throws InvalidArgument naming the nearest known name.
  int body(std::string_view name) const;
  int joint(std::string_view name) const;
  int actuator(std::string_view name) const;
  int control(std::string_view name) const;
  int control_of_actuator(int actuator) const;
  int control_of_motor(int motor) const;  // -1: none
  int motor(std::string_view name) const;
  int output(std::string_view name) const;

  GearInfo gear(int gear) const;

  JointType joint_type(int joint) const;
  bool joint_closes_loop(int joint) const;
  int joint_closure(int joint) const;  // from 0 among those that close loops, -1 for a joint of the tree
  int joint_q(int joint) const;        // first index into q, -1 for a fixed joint or one that closes a loop
  int joint_u(int joint) const;        // first index into u, likewise
  int joint_parent(int joint) const;   // body, -1 for the world
  int joint_child(int joint) const;    // body

  double body_mass(int body) const;              // [kg]
  Eigen::Vector3d body_com(int body) const;      // in the body frame [m]
  Eigen::Matrix3d body_inertia(int body) const;  // about the centre of mass, body axes [kg m^2]

  const ModelData& data() const { return *data_; }

 private:
  std::shared_ptr<const ModelData> data_;
};

}  // namespace lipkin
