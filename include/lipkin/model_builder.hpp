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

struct ShapePlane {};  // the half-space z <= 0
struct ShapeCup {
  double bottom_radius = 0, top_radius = 0, height = 0;
};  // the inside of a cone frustum along z, bottom at z = 0, without a floor [m]
struct ShapeHull {
  std::vector<Eigen::Vector3d> points;
};  // the convex hull of points [m]
struct ShapeMesh {
  std::vector<Eigen::Vector3d> vertices;
  std::vector<std::array<int, 3>> triangles;
};  // a closed or open surface, triangles counter-clockwise seen from outside [m]
struct ShapeHeightField {
  int columns = 0, rows = 0;      // samples along x and y, at least 2 each
  double size_x = 0, size_y = 0;  // extent, centred [m]
  std::vector<double> heights;    // rows * columns, row by row [m]
};                                // the ground z <= height(x, y), two triangles per cell

using ShapeGeometry = std::variant<ShapeSphere, ShapeBox, ShapeCylinder, ShapeCapsule, ShapeFrustum, ShapePlane,
                                   ShapeCup, ShapeHull, ShapeMesh, ShapeHeightField>;

// A shape fixed to a body: seen in the viewer, the source of mass where a density is given, and what touches other
// bodies where it has a contact material.
struct ShapeSpec {
  ShapeGeometry geometry;
  Pose pose;                      // shape frame in the body frame
  std::optional<double> density;  // [kg/m^3]
  std::optional<double> mass;     // [kg]; at most one of density and mass
  std::string contact;            // name of a MaterialSpec; empty: touches nothing
  std::string group;              // contact group; see ContactFilterSpec
  std::array<double, 4> color{0.6, 0.65, 0.7, 1.0};
  SourceLocation where;
};

// A rigid body. Its mass properties are given, or the sum of its shapes that have a density or a mass, never both.
struct BodySpec {
  std::string name;
  std::optional<MassProperties> mass_properties;
  bool mass_of_shapes = false;  // mass_properties were those of its shapes until they were set: inertia grows with mass
  // Extra symmetric inertia of the body frame, angular part first (added mass of a fluid); it does not weigh.
  std::optional<Eigen::Matrix<double, 6, 6>> added_inertia;
  std::vector<ShapeSpec> shapes;
  SourceLocation where;
};

// A joint attaches `child` to `parent`; every body has exactly one joint as a child besides those that close loops.
// Frame F is fixed in the parent, M in the child; at q = 0 they coincide (cylindrical: rotation then translation along
// the same axis; universal: about x of F, then y of M; planar: x and y along F, rotation about z). Axis joints move
// along `axis`, given in F.
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
  std::vector<double> friction;   // Coulomb: largest friction torque or force [N m] or [N]
  std::vector<double> lower;      // limits of the coordinates [rad] or [m]; not for rotations of ball and free joints
  std::vector<double> upper;
  // Ball: how far it may be turned from where F and M coincide, about whatever axis; below pi [rad].
  double max_angle = std::numeric_limits<double>::infinity();
  double limit_restitution = 0;  // speed after hitting a limit over the speed before, 0 to 1
  // Holds two bodies that are part of the tree already: rows instead of coordinates. Its coordinates follow from the
  // bodies' poses; q, u and armature are not given.
  bool closes_loop = false;
  SourceLocation where;
};

// A volume around a point, along its axes.
enum class ZoneKind { kBox, kEllipsoid, kCylinder, kCapsule };
struct ZoneSpec {
  ZoneKind kind = ZoneKind::kEllipsoid;
  // Half the edges of a box, radii of an ellipsoid; of cylinders and capsules the radius twice, and half the length
  // along z (of a capsule: between the half spheres) [m].
  Eigen::Vector3d half = Eigen::Vector3d::Ones();
};

// A named point of a body with axes of its own, to watch or to attach things to.
struct PointSpec {
  std::string name;
  std::string body = kWorldName;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  // in the body frame [m]
  SourceLocation where;
  Eigen::Quaterniond orientation = Eigen::Quaterniond::Identity();  // of its axes in the body frame
  std::optional<ZoneSpec> zone;                                     // where it feels contacts of its body
};

// A point given by name of a PointSpec, or by a body and a position.
struct Attachment {
  std::string point;  // name of a PointSpec; if empty:
  std::string body = kWorldName;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  // in the body frame [m]
};

// What a tendon may wrap around between two of its points: a sphere about the origin of a frame, or a cylinder about
// its z axis. It takes the shorter way, or that on the side of a point; where this lies inside, it passes within.
struct TendonWrap {
  enum class Shape { kSphere, kCylinder };
  Shape shape = Shape::kSphere;
  std::string body = kWorldName;
  Pose frame;         // in the body
  double radius = 0;  // [m]
  std::optional<Attachment> side;
};

// Ends a branch of a tendon; the length of the next one, which begins anew, counts divided by this.
struct TendonPulley {
  double divisor = 1;
};

// A coordinate of its own, the length: the sum of coefficients times joint coordinates, and of the lengths of strings
// through points. Limits, a spring, a damper, friction and a rotor act along it; actuators, motors and gears may. With
// joints alone it couples these, and need not be a length.
struct TendonSpec {
  std::string name;
  struct Term {
    std::string joint;
    int dof = 0;
    double coefficient = 1;  // per unit of the joint's coordinate
  };
  std::vector<Term> joints;
  std::vector<std::variant<Attachment, TendonWrap, TendonPulley>> path;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double restitution = 0;  // speed after hitting a limit over the speed before, 0 to 1
  double stiffness = 0, damping = 0;
  // Lengths between which the spring is slack; default: the length in the initial state.
  std::optional<std::array<double, 2>> rest;
  double friction = 0;  // Coulomb: largest force
  double armature = 0;  // moving mass along it, which does not weigh
  SourceLocation where;
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

// What a control goes through before it acts, exactly integrated over every step with the control at its begin:
// kFilter d(activation)/dt = (control - activation) / time_constant, kIntegrator d(activation)/dt = control.
enum class ActivationKind { kNone, kFilter, kIntegrator };
struct ActivationSpec {
  ActivationKind kind = ActivationKind::kNone;
  double time_constant = 0;  // [s]
  double start = 0;          // activation at the start
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
};

// A generalized force on a joint or a tendon, or a force and torque on a body: so many times clamp(control, min, max),
// or its activation.
struct ActuatorSpec {
  std::string name;
  std::string joint;          // or `tendon`, or `body`
  int dof = 0;                // which of the joint's velocities, from 0
  double gear = 1;            // force for a control of one
  std::vector<double> gears;  // instead of dof and gear: one for each of the joint's velocities
  std::string tendon;         // instead of a joint; a positive force makes it longer
  // Instead of a joint: acts at the origin of `frame`, which is given in the body's, along its axes.
  std::string body;
  Pose frame;
  Eigen::Vector3d force = Eigen::Vector3d::Zero();   // for a control of one [N]
  Eigen::Vector3d torque = Eigen::Vector3d::Zero();  // for a control of one [N m]
  // A body that is pushed back in the same place, along whose axes, turned by `against_axes`, the force and the torque
  // are given instead; empty: nothing is pushed back, as by a propeller.
  std::string against;
  Eigen::Quaterniond against_axes = Eigen::Quaterniond::Identity();
  Signal control;
  ActivationSpec activation;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  // The joint's speed at which nothing is left of a force along the motion; it fades from nine tenths of it on
  // [rad/s] or [m/s]. Other forces may drive the joint faster.
  double max_speed = std::numeric_limits<double>::infinity();
  SourceLocation where;
};

// A wheel's tyre on the ground: the planes, boxes and height fields of the world that have a contact material. A torus
// that presses as a spring and damper and never pulls; its tread sticks, shears and slides (docs/theory/tyres.md).
struct TyreSpec {
  std::string name;
  std::string body;                                  // the wheel, which turns about `axis`
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  // in the body frame [m]
  Eigen::Vector3d axis{0, 1, 0};                     // of the wheel in the body frame, to the left of where it rolls to
  double radius = 0;                                 // unloaded [m]
  double crown = 0;                                  // radius of the tread across, 0: a thin disc [m]
  double stiffness = 0;                              // radial [N/m]
  double damping = 0;                                // radial [N s/m]
  double friction = 1;                               // Coulomb, along the wheel [-]
  std::optional<double> lateral_friction;            // across it; default: as along [-]
  double slip_stiffness = 0;                         // longitudinal force per slip, at small slip [N]
  double cornering_stiffness = 0;                    // lateral force per slip angle, at small angles [N/rad]
  double relaxation_length = 0;                      // rolled until 63 % of a longitudinal force have built up [m]
  std::optional<double> lateral_relaxation_length;   // default: as along [m]
  double tread_damping = 0;                          // of the sheared tread [N s/m]
  double rolling_resistance = 0;                     // part of the load that resists rolling [-]
  SourceLocation where;
};

// A number that somebody outside decides while the model runs: a pedal, a steering wheel, a switch. Expressions read it
// as input.NAME.
struct InputSpec {
  std::string name;
  double value = 0;  // at the start
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::string unit;
  std::string description;
  SourceLocation where;
};

// Works once before every step and holds its output over it; expressions read it as controller.NAME.output. Either a
// law of its own (`law`), or a PID: p e + i (integral of e) + d (rate of e), e = target - measured, between min and
// max, where the integral waits.
struct ControllerSpec {
  std::string name;
  std::optional<Signal> law;
  std::string measured;  // an expression
  Signal target;
  double p = 0, i = 0, d = 0;  // in the unit of the output over that of the target; per s; times s
  double filter = 0;           // time constant of the rate of e [s]
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  SourceLocation where;
};

enum class MotorKind { kVelocity, kPosition };

// Drives one coordinate of a joint to a speed or a position. Without max_force the motion is prescribed: a bilateral
// row. With it, the motor does what it can within [-max_force, max_force], or [min_force, max_force]. A position motor
// with a stiffness is a servo: force = stiffness (target - q) + damping (target rate - u), taken implicitly, within
// these; a velocity motor with a damping is one too: force = damping (target - u). A target that a control sets or that
// goes through an activation has no rate there.
struct MotorSpec {
  std::string name;
  std::string joint;
  int dof = 0;         // which of the joint's velocities, from 0
  std::string tendon;  // instead of a joint: drives its length
  MotorKind kind = MotorKind::kVelocity;
  Signal target;                                               // [rad/s] or [m/s]; [rad] or [m]
  ActivationSpec activation;                                   // of the target
  double max_force = std::numeric_limits<double>::infinity();  // [N m] or [N]
  std::optional<double> min_force;                             // at most 0; default: -max_force [N m] or [N]
  Signal effort{1.0, {}};                                      // part of max_force it may use: 0 to 1; a brake's pedal
  std::optional<double> stiffness;                             // position motors [N m/rad] or [N/m]
  double damping = 0;                                          // of a servo [N m s/rad] or [N s/m]
  SourceLocation where;
};

// A number by which somebody outside drives an actuator or a motor while the model runs. Simulation::controls() has
// them in this order, and after them the actuators that no ControlSpec names.
struct ControlSpec {
  std::string name;
  std::string actuator;  // whose control is scale * clamp(control, min, max) + offset, or
  std::string motor;     // whose target is that
  double scale = 1, offset = 0;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  SourceLocation where;
};

// One joint or tendon follows another: q = offset + ratio * q_of + curve[0] * q_of^2 + curve[1] * q_of^3 + curve[2] *
// q_of^4. Without a curve a gear, a belt, a rack, a repeater; with one a cam.
struct GearSpec {
  std::string name;
  std::string joint;
  int dof = 0;
  std::string tendon;  // instead of `joint`
  std::string of;
  int of_dof = 0;
  std::string of_tendon;      // instead of `of`
  double ratio = 1;           // in the units of q over those of q_of
  double offset = 0;          // in the unit of q
  std::vector<double> curve;  // at most 3
  SourceLocation where;
};

// Keeps the distance of two points within [lower, upper]: a rope has only an upper bound, a rod equal bounds.
struct DistanceSpec {
  std::string name;
  Attachment a, b;
  double lower = 0;                                        // [m]
  double upper = std::numeric_limits<double>::infinity();  // [m]
  double restitution = 0;                                  // of a rope that tightens
  SourceLocation where;
};

// How a surface touches. Two materials combine to sqrt(mu_a mu_b) for every friction, to the larger restitution,
// exponent and damping, and to sqrt(k_a k_b) of their stiffnesses, or the one where the other is rigid, unless a
// MaterialPairSpec says otherwise.
struct MaterialSpec {
  std::string name;
  double friction = 0;           // Coulomb [-]
  double static_friction = 0;    // of surfaces that do not slip; below `friction`: as that [-]
  double rolling_friction = 0;   // lever arm of the rolling resistance [m]
  double spinning_friction = 0;  // lever arm of the resistance to turning about the normal [m]
  double restitution = 0;        // Newton: separation speed over approach speed, 0 to 1
  // Regularised contact, for steppers that need forces: f = stiffness * depth^exponent * (1 + damping * depth rate).
  // Hunt and Crossley (1975); exponent 1 and `linear_damping` [N s/m] give a spring-damper.
  double stiffness = 0;  // [N/m^exponent]; 0: rigid
  double exponent = 1;
  double damping = 0;         // [s/m]
  double linear_damping = 0;  // [N s/m]
  SourceLocation where;
};

struct MaterialPairSpec {
  std::string a, b;
  std::optional<double> friction, static_friction, rolling_friction, spinning_friction, restitution;
  std::optional<double> stiffness, exponent, damping, linear_damping;
  SourceLocation where;
};

// Bodies, or groups of shapes, that never touch each other. A joint's parent and child never do, unless the joint is
// free; the world's own shapes touch what hangs on the world all the same.
struct ContactFilterSpec {
  std::string body_a, body_b;    // both, or
  std::string group_a, group_b;  // both; equal: shapes of one group ignore each other
  SourceLocation where;
};

// A watched variable or arithmetic combination of variables (see docs/guide/variables.md for their names).
struct OutputSpec {
  std::string name;
  std::string expression;
  std::string unit;
  SourceLocation where;
  // Costs time and is worked out only where somebody looks: Simulation::outputs(), a recording.
  bool on_request = false;
};

// Named constants that expressions may use.
struct ParameterSpec {
  std::string name;
  double value = 0;
  std::string unit;
  std::string description;
  SourceLocation where;
  std::string derived_from;  // the expression of other parameters that it follows; empty: a number of its own
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
  void add(TendonSpec tendon);
  void add(SpringDamperSpec spring);
  void add(BushingSpec bushing);
  void add(ForceSpec force);
  void add(ActuatorSpec actuator);
  void add(MotorSpec motor);
  void add(ControlSpec control);
  void add(TyreSpec tyre);
  void add(InputSpec input);
  void add(ControllerSpec controller);
  void add(GearSpec gear);
  void add(DistanceSpec distance);
  void add(MaterialSpec material);
  void add(MaterialPairSpec pair);
  void add(ContactFilterSpec filter);
  void add_world_shape(ShapeSpec shape);  // fixed to the world
  void add(OutputSpec output);

  // A joint that moves nothing with inertia is a mistake; after this only a warning: such a model answers questions,
  // and a simulation of it refuses to step.
  void allow_massless_joints();

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
