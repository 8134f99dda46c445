#include "lipkin/model_builder.hpp"

#include "model/model_compiler.hpp"

namespace lipkin {

struct ModelBuilder::Parts : ModelParts {};

ModelBuilder::ModelBuilder() : parts_(std::make_unique<Parts>()) {}
ModelBuilder::~ModelBuilder() = default;
ModelBuilder::ModelBuilder(ModelBuilder&&) noexcept = default;
ModelBuilder& ModelBuilder::operator=(ModelBuilder&&) noexcept = default;

void ModelBuilder::set_name(std::string name) { parts_->name = std::move(name); }

void ModelBuilder::set_gravity(const Eigen::Vector3d& gravity, SourceLocation where) {
  parts_->gravity = gravity;
  parts_->gravity_where = std::move(where);
}

void ModelBuilder::add(ParameterSpec parameter) { parts_->parameters.push_back(std::move(parameter)); }
void ModelBuilder::add(BodySpec body) { parts_->bodies.push_back(std::move(body)); }
void ModelBuilder::add(JointSpec joint) { parts_->joints.push_back(std::move(joint)); }
void ModelBuilder::add(PointSpec point) { parts_->points.push_back(std::move(point)); }
void ModelBuilder::add(TendonSpec tendon) { parts_->tendons.push_back(std::move(tendon)); }
void ModelBuilder::add(SpringDamperSpec spring) { parts_->springs.push_back(std::move(spring)); }
void ModelBuilder::add(BushingSpec bushing) { parts_->bushings.push_back(std::move(bushing)); }
void ModelBuilder::add(ForceSpec force) { parts_->forces.push_back(std::move(force)); }
void ModelBuilder::add(ControlSpec control) { parts_->controls.push_back(std::move(control)); }
void ModelBuilder::add(ActuatorSpec actuator) { parts_->actuators.push_back(std::move(actuator)); }
void ModelBuilder::add(MotorSpec motor) { parts_->motors.push_back(std::move(motor)); }
void ModelBuilder::add(TyreSpec tyre) { parts_->tyres.push_back(std::move(tyre)); }
void ModelBuilder::add(InputSpec input) { parts_->inputs.push_back(std::move(input)); }
void ModelBuilder::add(ControllerSpec controller) { parts_->controllers.push_back(std::move(controller)); }
void ModelBuilder::add(GearSpec gear) { parts_->gears.push_back(std::move(gear)); }
void ModelBuilder::add(DistanceSpec distance) { parts_->distances.push_back(std::move(distance)); }
void ModelBuilder::add(MaterialSpec material) { parts_->materials.push_back(std::move(material)); }
void ModelBuilder::add(MaterialPairSpec pair) { parts_->material_pairs.push_back(std::move(pair)); }
void ModelBuilder::add(ContactFilterSpec filter) { parts_->contact_filters.push_back(std::move(filter)); }
void ModelBuilder::add_world_shape(ShapeSpec shape) { parts_->world_shapes.push_back(std::move(shape)); }
void ModelBuilder::add(OutputSpec output) { parts_->outputs.push_back(std::move(output)); }
void ModelBuilder::allow_massless_joints() { parts_->massless_joints_allowed = true; }
void ModelBuilder::add(Diagnostic diagnostic) { parts_->diagnostics.push_back(std::move(diagnostic)); }

std::vector<Diagnostic> ModelBuilder::check() const { return ModelCompiler(*parts_).diagnostics(); }

Model ModelBuilder::build() const { return compile_model(std::make_shared<const ModelParts>(*parts_)); }

Model compile_model(std::shared_ptr<const ModelParts> parts) {
  ModelCompiler compiler(*parts);
  std::vector<Diagnostic> errors;
  for (const Diagnostic& d : compiler.diagnostics())
    if (d.severity == Severity::kError) errors.push_back(d);
  if (!errors.empty()) throw InputError(std::move(errors));
  auto data = std::make_shared<ModelData>(*compiler.model());
  data->parts = std::move(parts);
  return Model(std::move(data));
}

}  // namespace lipkin
