// Everything that hangs on the tree: points, springs, bushings, forces, actuators, motors, outputs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest_name.hpp"
#include "model/eigen_convert.hpp"
#include "model/model_compiler.hpp"

namespace lipkin {

int ModelCompiler::find_body(const std::string& name, const std::string& owner, const SourceLocation& where) {
  if (name == kWorldName) return -1;
  const auto found = body_index_.find(name);
  if (found != body_index_.end()) return found->second;
  error(where, fmt::format("{}: there is no body '{}'", owner, name), did_you_mean(name, names_of(body_index_)));
  return -1;
}

PointData ModelCompiler::point_of(const Attachment& at, const std::string& owner, const SourceLocation& where) {
  if (!at.point.empty()) {
    const auto found = point_index_.find(at.point);
    if (found != point_index_.end()) return data_->points[data_->bodies.size() + found->second];
    error(where, fmt::format("{}: there is no point '{}'", owner, at.point),
          did_you_mean(at.point, names_of(point_index_)));
    return {};
  }
  require(at.position.allFinite(), where, owner + ": a position is not finite");
  const int body = find_body(at.body, owner, where);
  if (body < 0) return {"", 0, from_eigen(at.position)};
  return {"", data_->bodies[body].link, data_->bodies[body].X_LB * from_eigen(at.position)};
}

ChannelExpression ModelCompiler::compile_expression(const std::string& text, const std::string& owner,
                                                    const SourceLocation& where, bool allow_dynamics) {
  ChannelExpression result;
  try {
    result.expression = Expression::parse(text);
    for (const ParameterSpec& p : parts_.parameters) result.expression = result.expression.bind(p.name, p.value);
    for (const std::string& name : result.expression.variables()) result.channels.push_back(find_channel(*data_, name));
  } catch (const ExpressionError& e) {
    error(where, fmt::format("{}: in '{}' at character {}: {}", owner, text, e.offset() + 1, e.what()));
  } catch (const InvalidArgument& e) {
    error(where, fmt::format("{}: {}", owner, e.what()));
  }
  if (!allow_dynamics && result.need() >= ChannelNeed::kDynamics)
    error(where, fmt::format("{}: '{}' uses accelerations or forces, which depend on it", owner, text),
          "use time, positions and velocities");
  return result;
}

SignalData ModelCompiler::compile_signal(const Signal& signal, const std::string& owner,
                                         const SourceLocation& fallback) {
  const SourceLocation& where = signal.where.file.empty() ? fallback : signal.where;
  if (const auto* text = std::get_if<ExpressionText>(&signal.source)) {
    ChannelExpression e = compile_expression(text->text, owner, where, false);
    if (failed() || !e.expression.is_constant()) return e;
    const double value = e.expression.evaluate({});
    require(std::isfinite(value), where,
            fmt::format("{}: '{}' is {}; expected a finite value", owner, text->text, value));
    return value;
  }
  if (const auto* table = std::get_if<Table>(&signal.source)) {
    bool good = !table->times.empty() && table->times.size() == table->values.size();
    for (std::size_t k = 0; good && k < table->times.size(); ++k)
      good = std::isfinite(table->times[k]) && std::isfinite(table->values[k]) &&
             (k == 0 || table->times[k] > table->times[k - 1]);
    require(good, where, owner + ": a table needs rows [time, value] of finite numbers with increasing times");
    return *table;
  }
  const double value = std::get<double>(signal.source);
  require(std::isfinite(value), where, owner + ": a value is not finite");
  return value;
}

void ModelCompiler::build_attachments() {
  for (const BodyData& body : data_->bodies) data_->points.push_back({body.name, body.link, body.X_LB.p});
  for (const PointSpec& spec : parts_.points) {
    PointData point = point_of({"", spec.body, spec.position}, fmt::format("point '{}'", spec.name), spec.where);
    point.name = spec.name;
    data_->points.push_back(point);
  }
  build_springs();
  build_bushings();
  build_inputs();
  build_tyres();
  name_controllers();
  for (const ActuatorSpec& spec : parts_.actuators) {  // names first: expressions may refer to actuators
    data_->actuators.emplace_back();
    data_->actuators.back().name = spec.name;
  }
  for (const MotorSpec& spec : parts_.motors) {
    data_->motors.emplace_back();
    data_->motors.back().name = spec.name;
  }
  build_controllers();
  build_actuators();
  build_motors();
  build_gears();
  build_distances();
  build_forces();
  build_outputs();
}

void ModelCompiler::build_springs() {
  const std::vector<Transform<double>> poses = link_poses(*data_, data_->initial_q.data());
  for (const SpringDamperSpec& spec : parts_.springs) {
    const std::string owner = fmt::format("spring '{}'", spec.name);
    SpringDamperData s{spec.name,
                       point_of(spec.a, owner, spec.where),
                       point_of(spec.b, owner, spec.where),
                       spec.stiffness,
                       spec.damping,
                       0};
    require(std::isfinite(s.stiffness) && s.stiffness >= 0, spec.where,
            owner + ": stiffness must be a number >= 0 [N/m]");
    require(std::isfinite(s.damping) && s.damping >= 0, spec.where, owner + ": damping must be a number >= 0 [N s/m]");
    s.rest_length = spec.rest_length ? *spec.rest_length : norm(poses[s.a.link] * s.a.p_L - poses[s.b.link] * s.b.p_L);
    require(std::isfinite(s.rest_length) && s.rest_length >= 0, spec.where,
            owner + ": rest_length must be a number >= 0 [m]");
    data_->springs.push_back(s);
  }
}

void ModelCompiler::build_bushings() {
  for (const BushingSpec& spec : parts_.bushings) {
    const std::string owner = fmt::format("bushing '{}'", spec.name);
    BushingData b;
    b.name = spec.name;
    const int body_a = find_body(spec.body_a, owner, spec.where), body_b = find_body(spec.body_b, owner, spec.where);
    b.link_a = body_a < 0 ? 0 : data_->bodies[body_a].link;
    b.link_b = body_b < 0 ? 0 : data_->bodies[body_b].link;
    b.X_AP = (body_a < 0 ? Transform<double>::identity() : data_->bodies[body_a].X_LB) * from_eigen(spec.frame_in_a);
    b.X_BQ = (body_b < 0 ? Transform<double>::identity() : data_->bodies[body_b].X_LB) * from_eigen(spec.frame_in_b);
    check_frame(owner, spec.frame_in_a, spec.where);
    check_frame(owner, spec.frame_in_b, spec.where);
    for (const Eigen::Vector3d& v : {spec.stiffness, spec.damping, spec.angular_stiffness, spec.angular_damping})
      require(v.allFinite() && v.minCoeff() >= 0, spec.where, owner + ": stiffness and damping must be numbers >= 0");
    b.stiffness = from_eigen(spec.stiffness);
    b.damping = from_eigen(spec.damping);
    b.angular_stiffness = from_eigen(spec.angular_stiffness);
    b.angular_damping = from_eigen(spec.angular_damping);
    data_->bushings.push_back(b);
  }
}

void ModelCompiler::build_forces() {
  for (const ForceSpec& spec : parts_.forces) {
    const std::string owner = fmt::format("force '{}'", spec.name);
    BodyForceData f;
    f.name = spec.name;
    f.at = point_of(spec.at, owner, spec.where);
    f.frame = spec.frame;
    std::string body = spec.at.body;
    if (const auto point = point_index_.find(spec.at.point); point != point_index_.end())
      body = parts_.points[point->second].body;
    const auto index = body_index_.find(body);
    f.R_LB = index == body_index_.end() ? Mat3<double>::identity() : data_->bodies[index->second].X_LB.R;
    for (int k = 0; k < 3; ++k) {
      f.force[k] = compile_signal(spec.force[k], owner, spec.where);
      f.torque[k] = compile_signal(spec.torque[k], owner, spec.where);
    }
    if (f.at.link == 0 && !failed()) warn(spec.where, owner + " acts on a body that cannot move and has no effect");
    data_->body_forces.push_back(std::move(f));
  }
}

void ModelCompiler::build_actuators() {
  for (std::size_t i = 0; i < parts_.actuators.size(); ++i) {
    const ActuatorSpec& spec = parts_.actuators[i];
    const std::string owner = fmt::format("actuator '{}'", spec.name);
    ActuatorData& a = data_->actuators[i];
    a.gear = spec.gear;
    a.min = spec.min;
    a.max = spec.max;
    a.max_speed = spec.max_speed;
    require(spec.max_speed > 0, spec.where,
            fmt::format("{}: max_speed is {}; expected a number > 0", owner, spec.max_speed));
    require(std::isfinite(spec.gear), spec.where, owner + ": gear is not finite");
    require(spec.min <= spec.max, spec.where, fmt::format("{}: min {} is above max {}", owner, spec.min, spec.max));
    a.control = compile_signal(spec.control, owner, spec.where);
    find_dof(spec.joint, spec.dof, owner, spec.where, a.dof);
  }
}

void ModelCompiler::build_outputs() {
  for (const OutputSpec& spec : parts_.outputs) {
    const std::string owner = fmt::format("output '{}'", spec.name);
    data_->outputs.push_back({spec.name, spec.unit, compile_expression(spec.expression, owner, spec.where, true)});
  }
}

}  // namespace lipkin
