// What a person may put into a model, and the builder that checks it. SI units and radians throughout.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lipkin/error.hpp"
#include "lipkin/model.hpp"

namespace lipkin {

// A frame in another: origin [m] and axes.
struct Pose {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Eigen::Quaterniond orientation = Eigen::Quaterniond::Identity();
};

// The name of the immovable body every tree is rooted in.
inline constexpr const char* kWorldName = "world";

// Mass [kg], centre of mass in the body frame [m], inertia about the centre of mass in body axes [kg m^2].
struct MassProperties {
  double mass = 0;
  Eigen::Vector3d com = Eigen::Vector3d::Zero();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
};

struct ShapeSphere {
  double radius = 0;
};  // [m]
struct ShapeBox {
  Eigen::Vector3d size{0, 0, 0};
};  // full edge lengths [m]
struct ShapeCylinder {
  double radius = 0, length = 0;
};  // along z, centred [m]
struct ShapeCapsule {
  double radius = 0, length = 0;
};  // length of the cylindrical part, along z [m]
struct ShapeFrustum {
  double bottom_radius = 0, top_radius = 0, height = 0;
};  // cone frustum along z, base at z = 0 [m]

// A shape fixed to a body: seen in the viewer, and the source of mass where a density is given.
struct ShapeSpec {
  std::variant<ShapeSphere, ShapeBox, ShapeCylinder, ShapeCapsule, ShapeFrustum> geometry;
  Pose pose;                      // shape frame in the body frame
  std::optional<double> density;  // [kg/m^3]
  std::optional<double> mass;     // [kg]; at most one of density and mass
  std::array<double, 4> color{0.6, 0.65, 0.7, 1.0};
  SourceLocation where;
};

// A rigid body. Its mass properties are given, or the sum of its shapes that have a density or a mass, never both.
struct BodySpec {
  std::string name;
  std::optional<MassProperties> mass_properties;
  // Extra symmetric inertia of the body frame, angular part first (added mass of a fluid); it does not weigh.
  std::optional<Eigen::Matrix<double, 6, 6>> added_inertia;
  std::vector<ShapeSpec> shapes;
  SourceLocation where;
};

// A joint attaches `child` to `parent`; every body has exactly one joint as a child. Frame F is fixed in the parent,
// M in the child; at q = 0 they coincide (cylindrical: rotation then translation along the same axis; universal: about
// x of F, then y of M; planar: x and y along F, rotation about z). Axis joints move along `axis`, given in F.
struct JointSpec {
  std::string name;
  JointType type = JointType::kRevolute;
  std::string parent = kWorldName;
  std::string child;
  Pose frame_in_parent;           // X_PF
  Pose frame_in_child;            // X_CM
  Eigen::Vector3d axis{0, 0, 1};  // revolute, prismatic, screw, cylindrical
  double pitch = 0;               // screw: advance per angle [m/rad]
  // Initial state, in the coordinates of JointType; empty: zero (identity). A ball's or free joint's quaternion w x y
  // z.
  std::vector<double> q;
  std::vector<double> u;
  // Per degree of freedom, or one value for all, or empty for none.
  std::vector<double> stiffness;  // [N m/rad] or [N/m]
  std::vector<double> rest;       // q at which the spring is slack [rad] or [m]
  std::vector<double> damping;    // [N m s/rad] or [N s/m]
  std::vector<double> armature;   // rotor inertia seen at the joint [kg m^2] or [kg]
  SourceLocation where;
};

// A named point of a body, to watch or to attach things to.
struct PointSpec {
  std::string name;
  std::string body = kWorldName;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  // in the body frame [m]
  SourceLocation where;
};

// A point given by name of a PointSpec, or by a body and a position.
struct Attachment {
  std::string point;  // name of a PointSpec; if empty:
  std::string body = kWorldName;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  // in the body frame [m]
};

// Pulls two points towards a distance: tension = stiffness (l - rest_length) + damping dl/dt.
struct SpringDamperSpec {
  std::string name;
  Attachment a, b;
  double stiffness = 0;               // [N/m]
  double damping = 0;                 // [N s/m]
  std::optional<double> rest_length;  // [m]; default: the distance in the initial state
  SourceLocation where;
};

// Holds frame Q on body b at frame P on body a by linear springs and dampers along and about the axes of P.
struct BushingSpec {
  std::string name;
  std::string body_a = kWorldName, body_b;
  Pose frame_in_a, frame_in_b;
  Eigen::Vector3d stiffness = Eigen::Vector3d::Zero();          // [N/m]
  Eigen::Vector3d damping = Eigen::Vector3d::Zero();            // [N s/m]
  Eigen::Vector3d angular_stiffness = Eigen::Vector3d::Zero();  // [N m/rad]
  Eigen::Vector3d angular_damping = Eigen::Vector3d::Zero();    // [N m s/rad]
  SourceLocation where;
};

// A value over time: constant, an expression of time, parameters and watched variables, or a table in time
// (linear between rows, held constant outside).
struct ExpressionText {
  std::string text;
};
struct Table {
  std::vector<double> times;  // strictly increasing [s]
  std::vector<double> values;
};
struct Signal {
  std::variant<double, ExpressionText, Table> source = 0.0;
  SourceLocation where;
};

enum class ForceFrame { kWorld, kBody };

// A force and a torque on a body, components along the axes of the world or of the body.
struct ForceSpec {
  std::string name;
  Attachment at;                 // where the force acts
  std::array<Signal, 3> force;   // [N]
  std::array<Signal, 3> torque;  // [N m]
  ForceFrame frame = ForceFrame::kWorld;
  SourceLocation where;
};

// A generalized force on one degree of freedom of a joint: gear * clamp(control, min, max).
struct ActuatorSpec {
  std::string name;
  std::string joint;
  int dof = 0;  // which of the joint's velocities, from 0
  double gear = 1;
  Signal control;  // before the gear
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  SourceLocation where;
};

// A watched variable or arithmetic combination of variables (see docs/guide/variables.md for their names).
struct OutputSpec {
  std::string name;
  std::string expression;
  std::string unit;
  SourceLocation where;
};

// Named constants that expressions may use.
struct ParameterSpec {
  std::string name;
  double value = 0;
  std::string unit;
  std::string description;
  SourceLocation where;
};

// Collects a model's parts in any order; build() checks everything and reports every mistake at once.
class ModelBuilder {
 public:
  ModelBuilder();
  ~ModelBuilder();
  ModelBuilder(ModelBuilder&&) noexcept;
  ModelBuilder& operator=(ModelBuilder&&) noexcept;

  void set_name(std::string name);
  void set_gravity(const Eigen::Vector3d& gravity, SourceLocation where = {});  // [m/s^2]; default (0, 0, -9.81)
  void add(ParameterSpec parameter);
  void add(BodySpec body);
  void add(JointSpec joint);
  void add(PointSpec point);
  void add(SpringDamperSpec spring);
  void add(BushingSpec bushing);
  void add(ForceSpec force);
  void add(ActuatorSpec actuator);
  void add(OutputSpec output);

  // Adds a mistake found elsewhere (the scene reader), to be reported together with the others.
  void add(Diagnostic diagnostic);

  // Every mistake so far, without building.
  std::vector<Diagnostic> check() const;

  // The validated model; throws InputError with every mistake.
  Model build() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace lipkin
