// Tyres and the ground they roll on; inputs and controllers.
#include <fmt/format.h>

#include <cmath>

#include "model/eigen_convert.hpp"
#include "model/model_compiler.hpp"

namespace lipkin {

namespace {

// Height fields are read along their own z: the cosine from which on that is up.
constexpr double kUpright = 1 - 1e-9;

bool is_ground(const ShapeGeometry& geometry) {
  return std::holds_alternative<ShapePlane>(geometry) || std::holds_alternative<ShapeBox>(geometry) ||
         std::holds_alternative<ShapeHeightField>(geometry);
}

}  // namespace

void ModelCompiler::build_inputs() {
  for (const InputSpec& spec : parts_.inputs) {
    const std::string owner = fmt::format("input '{}'", spec.name);
    require(std::isfinite(spec.value), spec.where, owner + ": the value is not finite");
    require(spec.min <= spec.max, spec.where, fmt::format("{}: min {} is above max {}", owner, spec.min, spec.max));
    require(!(spec.value < spec.min || spec.value > spec.max), spec.where,
            fmt::format("{}: the value {} is not between {} and {}", owner, spec.value, spec.min, spec.max));
    data_->inputs.push_back({spec.name, spec.unit, spec.description, spec.value, spec.min, spec.max});
  }
}

// Names first: controllers may refer to one another.
void ModelCompiler::name_controllers() {
  for (const ControllerSpec& spec : parts_.controllers) {
    ControllerData& c = data_->controllers.emplace_back();
    c.name = spec.name;
    c.is_pid = !spec.law.has_value();
    c.memory = data_->memory_count;
    data_->memory_count += kControllerMemoryCount;
  }
}

void ModelCompiler::build_controllers() {
  for (std::size_t k = 0; k < parts_.controllers.size(); ++k) {
    const ControllerSpec& spec = parts_.controllers[k];
    const std::string owner = fmt::format("controller '{}'", spec.name);
    ControllerData& c = data_->controllers[k];
    for (const double gain : {spec.p, spec.i, spec.d})
      require(std::isfinite(gain), spec.where, owner + ": a gain is not finite");
    require(std::isfinite(spec.filter) && spec.filter >= 0, spec.where, owner + ": filter must be a number >= 0 [s]");
    require(spec.min <= spec.max, spec.where, fmt::format("{}: min {} is above max {}", owner, spec.min, spec.max));
    c.p = spec.p, c.i = spec.i, c.d = spec.d, c.filter = spec.filter;
    c.min = spec.min, c.max = spec.max;
    if (spec.law) {
      c.law = compile_signal(*spec.law, owner, spec.where);
    } else {
      c.measured = compile_expression(spec.measured, owner, spec.where, false);
      c.target = compile_signal(spec.target, owner, spec.where);
    }
  }
}

void ModelCompiler::check_tyre(const TyreSpec& spec, const std::string& owner) {
  const auto positive = [&](double value, const char* what) {
    require(std::isfinite(value) && value > 0, spec.where, fmt::format("{}: {} must be a number > 0", owner, what));
  };
  const auto not_negative = [&](double value, const char* what) {
    require(std::isfinite(value) && value >= 0, spec.where, fmt::format("{}: {} must be a number >= 0", owner, what));
  };
  positive(spec.radius, "radius [m]");
  positive(spec.stiffness, "stiffness [N/m]");
  positive(spec.slip_stiffness, "slip_stiffness [N]");
  positive(spec.cornering_stiffness, "cornering_stiffness [N/rad]");
  positive(spec.relaxation_length, "relaxation_length [m]");
  positive(spec.lateral_relaxation_length.value_or(1), "lateral_relaxation_length [m]");
  not_negative(spec.crown, "crown [m]");
  not_negative(spec.damping, "damping [N s/m]");
  not_negative(spec.friction, "friction");
  not_negative(spec.lateral_friction.value_or(0), "lateral_friction");
  not_negative(spec.tread_damping, "tread_damping [N s/m]");
  not_negative(spec.rolling_resistance, "rolling_resistance");
  require(spec.crown < spec.radius, spec.where, owner + ": crown must be below the radius");
  require(spec.center.allFinite(), spec.where, owner + ": the position is not finite");
  require(spec.axis.allFinite() && spec.axis.norm() > 0, spec.where, owner + ": the axis has no direction");
}

void ModelCompiler::build_tyres() {
  for (const TyreSpec& spec : parts_.tyres) {
    const std::string owner = fmt::format("tyre '{}'", spec.name);
    check_tyre(spec, owner);
    const int body = find_body(spec.body, owner, spec.where);
    if (failed()) continue;
    if (body < 0 || data_->bodies[body].link == 0) {
      error(spec.where, fmt::format("{}: '{}' cannot move; expected the body of a wheel", owner, spec.body));
      continue;
    }
    const BodyData& wheel = data_->bodies[body];
    TyreData tyre;
    tyre.name = spec.name;
    tyre.link = wheel.link;
    tyre.center_L = wheel.X_LB * from_eigen(spec.center);
    tyre.axis_L = wheel.X_LB.R * from_eigen(Eigen::Vector3d(spec.axis.normalized()));
    tyre.radius = spec.radius, tyre.crown = spec.crown;
    tyre.stiffness = spec.stiffness, tyre.damping = spec.damping;
    tyre.friction[0] = spec.friction;
    tyre.friction[1] = spec.lateral_friction.value_or(spec.friction);
    tyre.slip_force[0] = spec.slip_stiffness, tyre.slip_force[1] = spec.cornering_stiffness;
    tyre.relaxation[0] = spec.relaxation_length;
    tyre.relaxation[1] = spec.lateral_relaxation_length.value_or(spec.relaxation_length);
    tyre.tread_damping = spec.tread_damping;
    tyre.rolling_resistance = spec.rolling_resistance;
    tyre.memory = data_->memory_count;
    data_->memory_count += TyreData::kMemory;
    data_->tyres.push_back(std::move(tyre));
  }
}

void ModelCompiler::build_ground() {
  if (parts_.tyres.empty() || failed()) return;
  const double g = norm(data_->gravity);
  if (g > 0) data_->up = (-1 / g) * data_->gravity;
  for (const ShapeSpec& shape : parts_.world_shapes) {
    if (shape.contact.empty() || !is_ground(shape.geometry)) continue;
    const Transform<double> X_WS = from_eigen(shape.pose);
    const bool upright = dot(X_WS.R * Vec3<double>::unit(2), data_->up) >= kUpright;
    require(upright || !std::holds_alternative<ShapeHeightField>(shape.geometry), shape.where,
            "tyres cannot roll on a height field that is tilted; expected its z against gravity");
    data_->ground.push_back({X_WS, shape.geometry});
  }
  if (data_->ground.empty())
    error(parts_.tyres.front().where, fmt::format("tyre '{}' has no ground to roll on", parts_.tyres.front().name),
          "expected a plane, a box or a height field among the shapes of the world, with a contact material");
}

}  // namespace lipkin
