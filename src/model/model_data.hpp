// The compiled model. Built by model_compiler.cpp, read by everything after it. SI units.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "lipkin/model.hpp"
#include "lipkin/model_builder.hpp"
#include "model/channel.hpp"
#include "model/link.hpp"

namespace lipkin {

struct BodyData {
  std::string name;
  int joint = -1;                  // the joint that carries it
  int carrier = -1;                // likewise in the scene: the joint that cut_joints() replaced, or `joint`
  int link = 0;                    // the link it is part of; 0: fixed to the world
  Transform<double> X_LB;          // body frame in the link frame
  MassProperties mass_properties;  // in the body frame
  std::vector<ShapeSpec> shapes;
};

struct JointData {
  std::string name;
  JointType type = JointType::kFixed;
  int parent = -1;  // body; -1: the world
  int child = -1;   // body
  int link = -1;    // the link it carries; -1: fixed, or closes a loop
  int q_index = -1;
  int u_index = -1;
  int closure = -1;  // closes a loop: index into ModelData::closures
};

// A joint that closes a loop: it holds frame M of link b against frame F of link a. Axis joints move along z of F.
struct ClosureData {
  std::string name;
  JointType type = JointType::kRevolute;
  int link_a = 0, link_b = 0;
  Transform<double> X_AF, X_BM;
  double pitch = 0;          // screw [m/rad]
  int coordinate_index = 0;  // first of its coordinates in State::closure_q; as many as u_count(type)
};

// One coordinate of a joint: a velocity of the tree, or the k-th free coordinate of a closure; or a tendon's length.
struct DofRef {
  int u_index = -1;
  int q_index = -1;
  int closure = -1;
  int k = 0;
  int tendon = -1;

  bool is_in_tree() const { return u_index >= 0; }
};

struct LimitData {
  int joint = 0;  // -1: of a tendon
  DofRef dof;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double restitution = 0;
};

// How far a ball joint may be turned (JointSpec::max_angle).
struct BallLimitData {
  int joint = 0;
  int link_a = 0, link_b = 0;
  Transform<double> X_AF, X_BM;
  double angle = 0;  // [rad]
  double restitution = 0;
};

struct JointFrictionData {
  int joint = 0;  // -1: of a tendon
  DofRef dof;
  double force = 0;  // largest [N m] or [N]
};

// Springs and dampers of a tendon, or of a joint that closes a loop; those of tree joints are in ModelData::stiffness.
struct RowSpringData {
  DofRef dof;
  double stiffness = 0, rest = 0, damping = 0;
  double armature = 0;  // of a tendon, or of a joint that was cut (cut_joints)
  double play = 0;      // slack from `rest` to `rest + play`

  // How far it is stretched where the coordinate is q.
  double stretch(double q) const { return q < rest ? q - rest : q > rest + play ? q - rest - play : 0; }
};

// A point given on a link, with axes of its own.
struct PointData {
  std::string name;
  int link = 0;
  Vec3<double> p_L = Vec3<double>::zero();
  Mat3<double> R_L = Mat3<double>::identity();  // its axes in the link frame
  int body = -1;                                // that it is given on; -1: the world
  int zone = -1;                                // index into ModelData::zones
};

// What a tendon may wrap around: a sphere about the origin of G, or a cylinder about its z axis.
struct TendonWrapData {
  int link = 0;
  Transform<double> X_LG;
  bool is_cylinder = false;
  double radius = 0;
  bool has_side = false;  // it passes on the side of this point, or within, where the point is inside
  PointData side;
};

struct TendonPointData {
  PointData point;
  int wrap = -1;  // between the point before and this one: into TendonData::wraps
};

// Points that a tendon runs through in turn; its length counts by `weight` (behind a pulley less than 1).
struct TendonBranchData {
  double weight = 1;
  std::vector<TendonPointData> points;
};

// That one tendon may pull: each may take a place in a row, and a joint two (BlockWriter).
inline constexpr std::size_t kMostTendonLinks = 60;

// A coordinate of its own: the sum of coefficients times joint coordinates, and of the lengths of its branches.
struct TendonData {
  std::string name;
  struct Term {
    DofRef dof;
    double coefficient = 1;
  };
  std::vector<Term> terms;
  std::vector<TendonBranchData> branches;
  std::vector<TendonWrapData> wraps;
  int coordinate_index = 0;  // of its length in State::closure_q
};

struct SpringDamperData {
  std::string name;
  PointData a, b;
  double stiffness = 0, damping = 0, rest_length = 0;
};

// Springs and dampers between frame P on link a and frame Q on link b, along P.
struct BushingData {
  std::string name;
  int link_a = 0, link_b = 0;
  Transform<double> X_AP, X_BQ;
  Vec3<double> stiffness, damping, angular_stiffness, angular_damping;
};

using SignalData = std::variant<double, ChannelExpression, Table>;

struct BodyForceData {
  std::string name;
  PointData at;
  Mat3<double> R_LB;  // body axes in the link frame, for forces given along the body
  SignalData force[3], torque[3];
  ForceFrame frame = ForceFrame::kWorld;
};

// See ActivationSpec. kNone: it has no memory.
struct ActivationData {
  ActivationKind kind = ActivationKind::kNone;
  double time_constant = 0, start = 0;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  int memory = 0;  // first of its numbers in State::memory, in the order of ActivationMemory
};
enum ActivationMemory {
  kActivationValue,    // at the begin of the step
  kActivationControl,  // held over the step
  kActivationTime,     // when the step began [s]
  kActivationMemoryCount
};

// What an actuator does to a joint for a control of one.
struct DofPull {
  DofRef dof;
  double gear = 1;
};

// What an actuator does to a body for a control of one.
struct BodyPullData {
  int link = -1;               // -1: it acts on joints
  Vec3<double> p_L;            // where, in the link frame
  int axes_link = 0;           // along whose axes `force` and `torque` are
  Vec3<double> force, torque;  // [N], [N m]
  int against = -1;            // link that is pushed back; -1: none
};

struct ActuatorData {
  std::string name;
  std::vector<DofPull> pulls;
  BodyPullData on_body;
  double size = 1;  // of its force for a control of one: the gear, or the length of what has several components
  SignalData control;
  ActivationData activation;
  int control_index = -1;  // into State::control
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  double max_speed = std::numeric_limits<double>::infinity();
};

// Sizes and slopes of TyreSpec; the tread's stiffness is slip stiffness over relaxation length.
struct TyreData {
  std::string name;
  int link = 0;
  Vec3<double> center_L, axis_L;  // in the link frame
  double radius = 0, crown = 0, stiffness = 0, damping = 0;
  double friction[2] = {};    // along, across
  double slip_force[2] = {};  // per slip [N]
  double relaxation[2] = {};  // [m]
  double tread_damping = 0, rolling_resistance = 0;
  int memory = 0;  // first of its numbers in State::memory: shear of the tread along and across [m]

  static constexpr int kMemory = 2;
};

// A surface that tyres roll on; fixed to the world.
struct GroundData {
  Transform<double> X_WS;
  ShapeGeometry geometry;  // a plane, a box, or a height field whose z is up
};

struct InputData {
  std::string name, unit, description;
  double value = 0, min = 0, max = 0;
};

// A law, or a PID where there is none; see ControllerSpec.
struct ControllerData {
  std::string name;
  bool is_pid = false;
  SignalData law = 0.0;
  ChannelExpression measured;
  SignalData target = 0.0;
  double p = 0, i = 0, d = 0, filter = 0;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  int memory = 0;  // first of its numbers in State::memory, in the order of ControllerMemory
};
enum ControllerMemory {
  kControllerOutput,
  kControllerError,
  kControllerIntegral,
  kControllerRate,
  kControllerTime,    // when it worked last [s]
  kControllerWorked,  // 1 from then on
  kControllerMemoryCount
};

struct MotorData {
  std::string name;
  DofRef dof;
  MotorKind kind = MotorKind::kVelocity;
  SignalData target;
  ActivationData activation;
  int control_index = -1;   // into State::control; -1: none
  SignalData effort = 1.0;  // part of max_force that it may use, 0 to 1
  double max_force = std::numeric_limits<double>::infinity();
  double min_force = std::numeric_limits<double>::quiet_NaN();  // NaN: -max_force
  bool servo = false;                                           // with stiffness and damping
  double stiffness = 0, damping = 0;
};

// See ControlSpec: in the order of State::control.
struct ControlData {
  std::string name;
  int actuator = -1, motor = -1;
  double scale = 1, offset = 0;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
};

struct GearData : GearCurve {
  std::string name;
  DofRef dof, of;
};

struct DistanceData {
  std::string name;
  PointData a, b;
  double lower = 0, upper = std::numeric_limits<double>::infinity();
  double restitution = 0;
};

// What two materials make together; see MaterialSpec. In ModelData::contact_laws static_friction >= friction.
struct ContactLaw {
  double friction = 0, static_friction = 0, rolling_friction = 0, spinning_friction = 0, restitution = 0;
  double stiffness = 0, exponent = 1, damping = 0, linear_damping = 0;
};

struct MaterialData {
  std::string name;
  ContactLaw law;  // with itself, before material_pairs
};

// What is given for two materials together; NaN: as they combine.
struct MaterialPairData {
  int a = 0, b = 0;
  ContactLaw law;
};

// A shape that can touch others.
struct ContactShapeData {
  int body = -1;  // -1: the world
  int link = 0;
  Transform<double> X_LS;  // shape frame in the link frame
  ShapeGeometry geometry;
  int material = 0;
};

struct OutputData {
  std::string name, unit;
  ChannelExpression value;
  bool on_request = false;
};

struct ModelParts;

struct ModelData {
  std::shared_ptr<const ModelParts> parts;  // what it was compiled from
  std::string name;
  Vec3<double> gravity{{0, 0, -9.81}};
  int q_count = 0, u_count = 0;

  std::vector<Link> links;                          // [0]: the world
  int multi_count = 0;                              // links that are not revolute
  std::vector<RigidInertia<double>> rigid_inertia;  // per link, without added inertia, about L's origin
  std::vector<Inertia6<double>> added_inertia;      // per link; empty when no body has any
  std::vector<int> lone_links;  // that fly free of the world, carry none, and are no balls: their spin tumbles

  // Joint springs, dampers and rotors, one value per velocity.
  std::vector<double> stiffness, rest, damping, armature;
  bool has_joint_springs = false;
  bool actuators_load_links = false;  // directly, or by coordinates that the tree does not have

  std::vector<double> initial_q, initial_u;
  std::vector<int> massless_joints;  // that move nothing with inertia, where the builder allows it: nothing can step

  std::vector<BodyData> bodies;
  std::vector<JointData> joints;  // in the order given
  std::vector<PointData> points;  // the frames of the bodies, then those that have a name
  std::vector<ZoneSpec> zones;
  std::vector<SpringDamperData> springs;
  std::vector<BushingData> bushings;
  std::vector<BodyForceData> body_forces;
  std::vector<ActuatorData> actuators;
  std::vector<ControlData> controls;

  std::vector<TyreData> tyres;
  std::vector<GroundData> ground;  // what tyres roll on; empty without tyres
  Vec3<double> up{{0, 0, 1}};      // against gravity at the start
  std::vector<InputData> inputs;
  std::vector<ControllerData> controllers;
  int memory_count = 0;  // of State::memory

  std::vector<ClosureData> closures;
  int closure_coordinate_count = 0;  // of State::closure_q, tendons included
  std::vector<LimitData> limits;
  std::vector<BallLimitData> ball_limits;
  std::vector<JointFrictionData> joint_frictions;
  std::vector<TendonData> tendons;
  std::vector<RowSpringData> row_springs;
  std::vector<MotorData> motors;
  std::vector<GearData> gears;
  std::vector<DistanceData> distances;

  std::vector<MaterialData> materials;
  std::vector<MaterialPairData> material_pairs;
  std::vector<ContactLaw> contact_laws;  // materials x materials, symmetric
  std::vector<ContactShapeData> contact_shapes;
  std::vector<ShapeSpec> world_shapes;               // to be seen; those that touch are contact shapes too
  std::vector<std::pair<int, int>> filtered_shapes;  // contact shapes that never touch though their links may, a < b

  std::vector<OutputData> outputs;
  std::vector<ParameterSpec> parameters;
};

// Fills contact_laws from materials and material_pairs; takes nothing from the heap once it has its size.
void combine_materials(ModelData& model);

// Pose of every link in the world at coordinates q.
std::vector<Transform<double>> link_poses(const ModelData& model, const double* q);

}  // namespace lipkin
