// Tyres, inputs and controllers.
#include "io/part_reader.hpp"

namespace lipkin {

TyreSpec read_tyre(const MappingReader& tyre) {
  TyreSpec spec;
  spec.where = tyre.where();
  spec.name = tyre.scope().global_name(tyre.name("name"));
  const BodyFrame wheel = frame_on(tyre, "body", {tyre.vector("at"), Eigen::Quaterniond::Identity()});
  spec.body = wheel.body;
  spec.center = wheel.pose.position;
  spec.axis = wheel.pose.orientation * tyre.axis("axis");
  spec.radius = tyre.number("radius");
  spec.crown = tyre.number("crown");
  spec.stiffness = tyre.number("stiffness");
  spec.damping = tyre.number("damping");
  spec.friction = tyre.number("friction");
  spec.lateral_friction = tyre.optional_number("lateral_friction");
  spec.slip_stiffness = tyre.number("slip_stiffness");
  spec.cornering_stiffness = tyre.number("cornering_stiffness");
  spec.relaxation_length = tyre.number("relaxation_length");
  spec.lateral_relaxation_length = tyre.optional_number("lateral_relaxation_length");
  spec.tread_damping = tyre.number("tread_damping");
  spec.rolling_resistance = tyre.number("rolling_resistance");
  return spec;
}

InputSpec read_input(const MappingReader& input) {
  InputSpec spec;
  spec.where = input.where();
  spec.name = input.scope().global_name(input.name("name"));
  spec.value = input.number("value");
  spec.min = input.optional_number("min").value_or(spec.min);
  spec.max = input.optional_number("max").value_or(spec.max);
  if (input.has("unit")) spec.unit = input.text("unit");
  if (input.has("description")) spec.description = input.text("description");
  return spec;
}

ControllerSpec read_controller(const MappingReader& controller) {
  ControllerSpec spec;
  spec.where = controller.where();
  spec.name = controller.scope().global_name(controller.name("name"));
  spec.min = controller.optional_number("min").value_or(spec.min);
  spec.max = controller.optional_number("max").value_or(spec.max);
  if (controller.has("law")) {
    spec.law = controller.signal("law");
    return spec;
  }
  spec.measured = controller.values().expression(controller.at("measured"), controller.scope(), "'measured'");
  spec.target = controller.signal("target");
  spec.p = controller.number("p");
  spec.i = controller.number("i");
  spec.d = controller.number("d");
  spec.filter = controller.number("filter");
  return spec;
}

}  // namespace lipkin
