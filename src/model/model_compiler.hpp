// From what a person gave (ModelParts) to what the algorithms run on (ModelData), with every mistake on the way.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

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
  std::vector<SpringDamperSpec> springs;
  std::vector<BushingSpec> bushings;
  std::vector<ForceSpec> forces;
  std::vector<ActuatorSpec> actuators;
  std::vector<OutputSpec> outputs;
  std::vector<Diagnostic> diagnostics;
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
  void check_shape(const std::string& owner, const ShapeSpec& shape);
  void check_frame(const std::string& owner, const Pose& frame, const SourceLocation& where);
  void check_joints();
  void check_joint(const JointSpec& joint);
  void check_connections();

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

  // model_attachments.cpp: everything that hangs on the tree.
  void build_attachments();
  PointData point_of(const Attachment& at, const std::string& owner, const SourceLocation& where);
  int find_body(const std::string& name, const std::string& owner, const SourceLocation& where);
  ChannelExpression compile_expression(const std::string& text, const std::string& owner, const SourceLocation& where,
                                       bool allow_dynamics);
  SignalData compile_signal(const Signal& signal, const std::string& owner, const SourceLocation& where);
  void build_springs();
  void build_bushings();
  void build_forces();
  void build_actuators();
  void build_outputs();

  void error(const SourceLocation& where, std::string message, std::string hint = {});
  void warn(const SourceLocation& where, std::string message);
  void require(bool condition, const SourceLocation& where, const std::string& message);
  bool failed() const { return error_count_ > 0; }

  const ModelParts& parts_;
  std::vector<Diagnostic> diagnostics_;
  int error_count_ = 0;
  NameIndex body_index_, joint_index_, point_index_;
  std::vector<int> joint_of_body_;  // joint that carries each body
  std::shared_ptr<ModelData> data_;
  std::shared_ptr<const ModelData> model_;
};

std::vector<std::string> names_of(const std::map<std::string, int, std::less<>>& index);

}  // namespace lipkin
