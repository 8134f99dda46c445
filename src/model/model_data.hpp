// The compiled model. Built by model_compiler.cpp, read by everything after it. SI units.
#pragma once

#include <limits>
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
  int link = -1;    // the link it carries; -1: fixed
  int q_index = -1;
  int u_index = -1;
};

// A point given on a link.
struct PointData {
  std::string name;
  int link = 0;
  Vec3<double> p_L = Vec3<double>::zero();
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

struct ActuatorData {
  std::string name;
  int u_index = 0;
  double gear = 1;
  SignalData control;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
};

struct OutputData {
  std::string name, unit;
  ChannelExpression value;
};

struct ModelData {
  std::string name;
  Vec3<double> gravity{{0, 0, -9.81}};
  int q_count = 0, u_count = 0;

  std::vector<Link> links;                          // [0]: the world
  int multi_count = 0;                              // links that are not revolute
  std::vector<RigidInertia<double>> rigid_inertia;  // per link, without added inertia, about L's origin
  std::vector<Inertia6<double>> added_inertia;      // per link; empty when no body has any

  // Joint springs, dampers and rotors, one value per velocity.
  std::vector<double> stiffness, rest, damping, armature;
  bool has_joint_springs = false;

  std::vector<double> initial_q, initial_u;

  std::vector<BodyData> bodies;
  std::vector<JointData> joints;  // in the order given
  std::vector<PointData> points;
  std::vector<SpringDamperData> springs;
  std::vector<BushingData> bushings;
  std::vector<BodyForceData> body_forces;
  std::vector<ActuatorData> actuators;
  std::vector<OutputData> outputs;
  std::vector<ParameterSpec> parameters;
};

// Pose of every link in the world at coordinates q.
std::vector<Transform<double>> link_poses(const ModelData& model, const double* q);

}  // namespace lipkin
