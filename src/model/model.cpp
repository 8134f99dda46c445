#include "lipkin/model.hpp"

#include <fmt/format.h>

#include "base/nearest_name.hpp"
#include "model/model_data.hpp"

namespace lipkin {

namespace {

struct JointTypeInfo {
  const char* name;
  int q_count, u_count;
};

constexpr JointTypeInfo kJointTypes[] = {{"revolute", 1, 1},    {"prismatic", 1, 1}, {"screw", 1, 1},
                                         {"cylindrical", 2, 2}, {"universal", 2, 2}, {"planar", 3, 3},
                                         {"ball", 4, 3},        {"free", 7, 6},      {"fixed", 0, 0}};

template <class Items>
int find_index(const Items& items, std::string_view name, const char* what) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].name == name) return static_cast<int>(i);
    known.push_back(items[i].name);
  }
  const std::string hint = did_you_mean(name, known);
  throw InvalidArgument(fmt::format("there is no {} '{}'{}", what, name, hint.empty() ? "" : " (" + hint + ")"));
}

template <class Items>
const auto& item(const Items& items, int index, const char* what) {
  if (index < 0 || index >= static_cast<int>(items.size()))
    throw InvalidArgument(fmt::format("{} {} is out of range; the model has {}", what, index, items.size()));
  return items[index];
}

}  // namespace

std::string_view name_of(JointType type) { return kJointTypes[static_cast<int>(type)].name; }
int q_count(JointType type) { return kJointTypes[static_cast<int>(type)].q_count; }
int u_count(JointType type) { return kJointTypes[static_cast<int>(type)].u_count; }

Model::Model(std::shared_ptr<const ModelData> data) : data_(std::move(data)) {
  if (!data_) throw InvalidArgument("a model needs data; build it with ModelBuilder or load a scene");
}

const std::string& Model::name() const { return data_->name; }
int Model::body_count() const { return static_cast<int>(data_->bodies.size()); }
int Model::joint_count() const { return static_cast<int>(data_->joints.size()); }
int Model::q_count() const { return data_->q_count; }
int Model::u_count() const { return data_->u_count; }
int Model::control_count() const { return static_cast<int>(data_->controls.size()); }
int Model::actuator_count() const { return static_cast<int>(data_->actuators.size()); }
int Model::output_count() const { return static_cast<int>(data_->outputs.size()); }
int Model::closure_count() const { return static_cast<int>(data_->closures.size()); }
int Model::motor_count() const { return static_cast<int>(data_->motors.size()); }
int Model::gear_count() const { return static_cast<int>(data_->gears.size()); }
int Model::tendon_count() const { return static_cast<int>(data_->tendons.size()); }
int Model::distance_count() const { return static_cast<int>(data_->distances.size()); }
int Model::material_count() const { return static_cast<int>(data_->materials.size()); }
int Model::contact_shape_count() const { return static_cast<int>(data_->contact_shapes.size()); }
int Model::parameter_count() const { return static_cast<int>(data_->parameters.size()); }

int Model::force_count() const {
  return static_cast<int>(data_->springs.size() + data_->bushings.size() + data_->body_forces.size());
}

double Model::total_mass() const {
  double mass = 0;
  for (const BodyData& b : data_->bodies) mass += b.mass_properties.mass;
  return mass;
}

Eigen::Vector3d Model::gravity() const { return {data_->gravity[0], data_->gravity[1], data_->gravity[2]}; }

const std::string& Model::body_name(int i) const { return item(data_->bodies, i, "body").name; }
const std::string& Model::joint_name(int i) const { return item(data_->joints, i, "joint").name; }
const std::string& Model::actuator_name(int i) const { return item(data_->actuators, i, "actuator").name; }
const std::string& Model::control_name(int i) const { return item(data_->controls, i, "control").name; }
const std::string& Model::motor_name(int i) const { return item(data_->motors, i, "motor").name; }
const std::string& Model::gear_name(int i) const { return item(data_->gears, i, "gear").name; }
GearInfo Model::gear(int i) const {
  const GearData& g = item(data_->gears, i, "gear");
  return {g, g.dof.q_index, g.dof.u_index, g.of.q_index, g.of.u_index};
}
const std::string& Model::tendon_name(int i) const { return item(data_->tendons, i, "tendon").name; }
const std::string& Model::distance_name(int i) const { return item(data_->distances, i, "distance").name; }
const std::string& Model::material_name(int i) const { return item(data_->materials, i, "material").name; }
const std::string& Model::output_name(int i) const { return item(data_->outputs, i, "output").name; }
const std::string& Model::output_unit(int i) const { return item(data_->outputs, i, "output").unit; }
const ParameterSpec& Model::parameter(int i) const { return item(data_->parameters, i, "parameter"); }

int Model::body(std::string_view name) const { return find_index(data_->bodies, name, "body"); }
int Model::joint(std::string_view name) const { return find_index(data_->joints, name, "joint"); }
int Model::actuator(std::string_view name) const { return find_index(data_->actuators, name, "actuator"); }
int Model::control(std::string_view name) const { return find_index(data_->controls, name, "control"); }
int Model::control_of_actuator(int i) const { return item(data_->actuators, i, "actuator").control_index; }
int Model::control_of_motor(int i) const { return item(data_->motors, i, "motor").control_index; }
int Model::motor(std::string_view name) const { return find_index(data_->motors, name, "motor"); }
bool Model::is_output_on_request(int i) const { return item(data_->outputs, i, "output").on_request; }
int Model::output(std::string_view name) const { return find_index(data_->outputs, name, "output"); }

JointType Model::joint_type(int i) const { return item(data_->joints, i, "joint").type; }
bool Model::joint_closes_loop(int i) const { return joint_closure(i) >= 0; }
int Model::joint_closure(int i) const { return item(data_->joints, i, "joint").closure; }
int Model::joint_q(int i) const { return item(data_->joints, i, "joint").q_index; }
int Model::joint_u(int i) const { return item(data_->joints, i, "joint").u_index; }
int Model::joint_parent(int i) const { return item(data_->joints, i, "joint").parent; }
int Model::joint_child(int i) const { return item(data_->joints, i, "joint").child; }

double Model::body_mass(int i) const { return item(data_->bodies, i, "body").mass_properties.mass; }
Eigen::Vector3d Model::body_com(int i) const { return item(data_->bodies, i, "body").mass_properties.com; }
Eigen::Matrix3d Model::body_inertia(int i) const { return item(data_->bodies, i, "body").mass_properties.inertia; }

}  // namespace lipkin
