// An MJCF file read and resolved: what stands where, before it becomes bodies and joints of ours.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/import/model_import.hpp"
#include "io/mjcf/mjcf_compiler.hpp"
#include "io/mjcf/mjcf_defaults.hpp"
#include "lipkin/model_builder.hpp"

namespace lipkin {

inline constexpr double kMjcfUnlimited = std::numeric_limits<double>::infinity();

struct MjcfJoint {
  std::string name;
  JointType type = JointType::kRevolute;  // or prismatic, ball, free
  int body = -1;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  // in the body frame [m]
  Eigen::Vector3d axis{0, 0, 1};                       // in the body frame
  double reference = 0;                                // q in which the body stands as the file has it [rad] or [m]
  double spring_reference = 0;                         // q in which the spring is slack
  double stiffness = 0, damping = 0, armature = 0, friction = 0;
  double lower = -kMjcfUnlimited, upper = kMjcfUnlimited;
  double max_angle = kMjcfUnlimited;                                   // of a ball [rad]
  double force_lower = -kMjcfUnlimited, force_upper = kMjcfUnlimited;  // of all its actuators together
  int q_index = 0, u_index = 0;                                        // in MuJoCo's qpos and qvel
  std::vector<double> q;                                               // to start from
  std::vector<double> u;
  SourceLocation where;

  bool is_scalar() const { return type == JointType::kRevolute || type == JointType::kPrismatic; }
};

enum class MjcfGeomType { kPlane, kHeightField, kSphere, kCapsule, kEllipsoid, kCylinder, kBox, kMesh };

struct MjcfGeom {
  std::string name;
  int body = 0;
  MjcfGeomType type = MjcfGeomType::kSphere;
  Eigen::Vector3d size = Eigen::Vector3d::Zero();  // as in MJCF: radii and half lengths [m]
  Pose pose;                                       // in the body frame
  int mesh = -1, height_field = -1;                // assets
  long contact_type = 1, contact_affinity = 1;
  long condim = 3, priority = 0, group = 0;
  Eigen::Vector3d friction{1, 0.005, 0.0001};  // sliding [-], spinning [m], rolling [m]
  std::array<double, 4> color{0.5, 0.5, 0.5, 1};
  std::optional<double> mass;  // [kg]
  double density = 1000;       // [kg/m^3], [kg/m^2] of shells
  bool is_shell = false;
  std::vector<int> pairs;  // of <contact>: with which geoms it touches whatever its type is
  SourceLocation where;

  bool may_touch() const { return (contact_type != 0 || contact_affinity != 0 || !pairs.empty()); }
};

struct MjcfSite {
  std::string name;
  int body = 0;
  Pose pose;                     // in the body frame
  std::optional<ZoneSpec> zone;  // its volume, where a sensor asks for it
};

// What became of an actuator. Its length is `gear` times the joint's, its force before the gear `gain` times the
// control of ours, and bias[2] times its rate.
struct MjcfDrive {
  int joint = -1;      // that it drives; -1: not one with a single coordinate
  std::string tendon;  // that it drives
  double gear = 1, gain = 1;
  Eigen::Vector3d bias = Eigen::Vector3d::Zero();  // constant, per length, per velocity
  std::string motor, actuator;                     // ours; both empty: it is not simulated
};

struct MjcfBody {
  std::string name;
  int parent = -1;
  Pose written_pose;  // as in the file
  Pose pose;          // in the parent at the reference
  Pose world_pose;    // at the reference
  std::vector<int> joints, geoms;
  std::optional<MassProperties> inertial;  // as given
  std::optional<Eigen::Vector3d> moments;  // of `inertial`, where it has the principal ones
  std::optional<Eigen::Quaterniond> axes;  // of `moments`
  MassProperties mass;                     // in the end
  bool misses_mesh = false;                // a mesh that should weigh could not be read
  bool follows_inertia = false;            // in global coordinates without a pos: its frame is that of its inertia
  std::string unsupported;                 // tag of what should have made parts of it
  bool is_mocap = false;
  double gravity_compensation = 0;
  SourceLocation where;
  std::shared_ptr<const std::string> file;  // that it is written in
};

struct MjcfTendon {
  TendonSpec spec;
  std::vector<std::pair<int, double>> joints;  // of a fixed one: joint and coefficient
  bool moves = true;                           // otherwise its length is a constant
  double reference_length = 0;                 // where every joint is at its reference
  double spring_length = 0;                    // where every joint is at its spring's reference
};

struct MjcfModel {
  MjcfCompiler compiler;
  std::map<std::shared_ptr<const std::string>, MjcfCompiler> attached_compilers;  // by the file of an element
  MjcfDefaults defaults;
  std::vector<MjcfBody> bodies;  // depth-first, the world first
  std::vector<MjcfJoint> joints;
  std::vector<MjcfGeom> geoms;
  std::vector<MjcfSite> sites;
  std::vector<MjcfSite> cameras;  // that are fixed in their bodies
  std::vector<MjcfTendon> tendons;
  std::map<std::string, MjcfDrive> drives;  // by name
  std::map<std::string, int> body_index, joint_index, geom_index, site_index, camera_index, tendon_index;
  int q_count = 0, u_count = 0;
  Eigen::Vector3d gravity{0, 0, -9.81};  // [m/s^2]
  Eigen::Vector3d magnetic{0, -0.5, 0};  // flux [T]

  bool is_attached(const ElementReader& element) const { return attached_compilers.count(element.element().file) != 0; }
  // Settings for what a file says: those of the model that the file is of.
  const MjcfCompiler& compiler_of(const std::shared_ptr<const std::string>& file) const {
    const auto attached = attached_compilers.find(file);
    return attached == attached_compilers.end() ? compiler : attached->second;
  }
  const MjcfCompiler& compiler_of(const ElementReader& element) const { return compiler_of(element.element().file); }
  const MjcfCompiler& compiler_of(const MjcfElement& element) const { return compiler_of(element.reader()); }

  // The body itself or the nearest one that carries it which has joints; 0, the world: it cannot move.
  int moving_body(int body) const {
    while (body > 0 && bodies[static_cast<std::size_t>(body)].joints.empty())
      body = bodies[static_cast<std::size_t>(body)].parent;
    return body;
  }
};

// The index of what an attribute names, -1 with a mistake where there is no such thing. `what` is its kind: "joint".
int find_named(const ElementReader& element, std::string_view attribute, const std::string& name,
               const std::map<std::string, int>& index, const char* what);

}  // namespace lipkin
