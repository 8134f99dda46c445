// From what a person gave (ModelParts) to what the algorithms run on (ModelData), with every mistake on the way.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/infinity.hpp"
#include "lipkin/model_builder.hpp"
#include "model/model_data.hpp"

namespace lipkin {

struct ModelParts {
  std::string name;
  Eigen::Vector3d gravity{0, 0, -9.81};
  SourceLocation gravity_where;
  std::vector<ParameterSpec> parameters;
  std::vector<BodySpec> bodies;
  std::vector<JointSpec> joints;
  std::vector<PointSpec> points;
  std::vector<TendonSpec> tendons;
  std::vector<SpringDamperSpec> springs;
  std::vector<BushingSpec> bushings;
  std::vector<ForceSpec> forces;
  std::vector<ActuatorSpec> actuators;
  std::vector<MotorSpec> motors;
  std::vector<ControlSpec> controls;
  std::vector<TyreSpec> tyres;
  std::vector<InputSpec> inputs;
  std::vector<ControllerSpec> controllers;
  std::vector<GearSpec> gears;
  std::vector<DistanceSpec> distances;
  std::vector<MaterialSpec> materials;
  std::vector<MaterialPairSpec> material_pairs;
  std::vector<ContactFilterSpec> contact_filters;
  std::vector<ShapeSpec> world_shapes;
  std::vector<OutputSpec> outputs;
  std::vector<Diagnostic> diagnostics;
  bool massless_joints_allowed = false;
};

// Compiles on construction, in the order of the private functions below. Where bodies and joints make no tree, what
// hangs on them is still checked, so that every mistake is reported at once.
class ModelCompiler {
 public:
  explicit ModelCompiler(const ModelParts& parts);

  // Sorted by file and position; warnings too.
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

  // Null when there were errors.
  std::shared_ptr<const ModelData> model() const { return model_; }

 private:
  using NameIndex = std::map<std::string, int, std::less<>>;

  void compile();

  // model_checks.cpp: each part on its own.
  void check_names();
  void check_parameters();
  void check_bodies();
  void check_mass(const BodySpec& body, const MassProperties& mass);
  void check_frame(const std::string& owner, const Pose& frame, const SourceLocation& where);
  void check_joints();
  void check_joint(const JointSpec& joint);
  void check_limits(const JointSpec& joint);
  void check_loop(const JointSpec& joint);
  void check_connections();

  // model_shape_checks.cpp
  void check_shape(const std::string& owner, const ShapeSpec& shape);
  void check_world_shapes();

  // model_tree.cpp: bodies and joints to links.
  void build_tree();
  void name_parts();
  std::vector<int> bodies_depth_first() const;
  void add_fixed(int body);
  void add_link(int body);
  void place_link(const JointSpec& spec, Link& link, Mat3<double>& R_LM) const;
  void add_inertia(const BodySpec& spec, const BodyData& body);
  void add_joint_values(const JointSpec& spec, const Link& link);
  void check_singular();
  void report_massless(int joint);

  // model_attachments.cpp: everything that hangs on the tree.
  void build_attachments();
  void build_points();
  PointData point_of(const Attachment& at, const std::string& owner, const SourceLocation& where);
  int find_body(const std::string& name, const std::string& owner, const SourceLocation& where);
  std::string hint_for_body(const std::string& name) const;
  std::string hint_for_joint(const std::string& name) const;
  ChannelExpression compile_expression(const std::string& text, const std::string& owner, const SourceLocation& where,
                                       bool allow_dynamics);
  SignalData compile_signal(const Signal& signal, const std::string& owner, const SourceLocation& where);
  void build_springs();
  void build_bushings();
  void build_forces();
  void build_actuators();
  void build_controls();
  void build_pulls(const ActuatorSpec& spec, const std::string& owner, ActuatorData& actuator);
  void build_body_pull(const ActuatorSpec& spec, const std::string& owner, ActuatorData& actuator);
  ActivationData compile_activation(const ActivationSpec& spec, const std::string& owner, const SourceLocation& where);
  void build_outputs();

  // model_vehicle.cpp: tyres and the ground they roll on; inputs and controllers.
  void build_inputs();
  void name_controllers();
  void build_controllers();
  void build_tyres();
  void check_tyre(const TyreSpec& spec, const std::string& owner);
  void build_ground();

  // model_constraints.cpp: what the coordinates and bodies of the tree must obey.
  void build_closures();
  void build_joint_rows();
  void add_ball_limit(int joint);
  void find_lone_links();
  void add_joint_rows(int joint);
  DofRef dof_of(int joint, int k) const;
  bool find_coordinate(const std::string& joint, int k, const std::string& tendon, const std::string& owner,
                       const SourceLocation& where, DofRef& dof);
  bool find_dof(const std::string& joint, int k, const std::string& owner, const SourceLocation& where, DofRef& dof);
  void build_motors();
  void refuse_unknown_rates(const MotorData& motor, const std::string& owner, const SourceLocation& where);
  void check_motor(const MotorSpec& spec, const std::string& owner, const DofRef& dof);
  void check_prescribed_motors();
  void build_gears();
  void build_distances();
  void warn_of_starts_out_of_bounds();

  // model_tendons.cpp
  void build_tendons();
  void check_tendon(const TendonSpec& spec, const std::string& owner);
  void add_tendon_path(const TendonSpec& spec, const std::string& owner, TendonData& tendon);
  TendonWrapData wrap_of(const TendonWrap& wrap, const std::string& owner, const SourceLocation& where);
  void add_tendon_rows(const TendonSpec& spec, int tendon);
  void warn_of_ends_inside(const TendonData& tendon, const SourceLocation& where);
  void check_tendon_links(const TendonData& tendon, const std::string& owner, const SourceLocation& where);

  // model_contacts.cpp: materials, the shapes that touch, and the pairs that do not.
  void build_materials();
  void build_material_pairs();
  int find_material(const std::string& name, const std::string& owner, const SourceLocation& where);
  void build_contact_shapes();
  void add_contact_shape(const ShapeSpec& shape, int body, const std::string& owner);
  void build_contact_filters();
  void filter_joined(std::vector<std::pair<int, int>>& pairs) const;
  std::vector<int> filtered_side(const ContactFilterSpec& spec, const std::string& body, const std::string& group);

  void error(const SourceLocation& where, std::string message, std::string hint = {});
  void warn(const SourceLocation& where, std::string message);
  void require(bool condition, const SourceLocation& where, const std::string& message);
  bool failed() const { return error_count_ > 0; }

  const ModelParts& parts_;
  std::vector<Diagnostic> diagnostics_;
  int error_count_ = 0;
  NameIndex body_index_, joint_index_, point_index_, tendon_index_, material_index_;
  std::vector<int> joint_of_body_;                // joint that carries each body
  std::vector<const ShapeSpec*> contact_shapes_;  // where each of ModelData::contact_shapes comes from
  std::shared_ptr<ModelData> data_;
  std::shared_ptr<const ModelData> model_;
};

// The validated model; throws InputError with every mistake.
Model compile_model(std::shared_ptr<const ModelParts> parts);

std::vector<std::string> names_of(const std::map<std::string, int, std::less<>>& index);

// The k-th of values given per degree of freedom, or once for all, or not at all.
inline double joint_value(const std::vector<double>& values, int k, double otherwise = 0) {
  return values.empty() ? otherwise : values.size() == 1 ? values[0] : values[k];
}

// Whether the k-th velocity of a joint is the rate of a coordinate; not so for the rotations of ball and free joints.
inline bool has_position(JointType type, int k) {
  return type != JointType::kBall && !(type == JointType::kFree && k >= 3);
}

}  // namespace lipkin
