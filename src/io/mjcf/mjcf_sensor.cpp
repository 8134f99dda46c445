#include "io/mjcf/mjcf_sensor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "base/expression.hpp"
#include "io/mjcf/mjcf_sensor_frames.hpp"

namespace lipkin {
namespace {

constexpr std::array kAxes = {"x", "y", "z"};

// How `cutoff` bounds a number (mujoco.readthedocs.io, sensor/cutoff).
enum class Range { kReal, kPositive, kUnit };
enum class Evaluate { kAlways, kOnRequest };

// A vector of three outputs: what is behind the axis-less name of a variable.
struct VectorSensor {
  const char* quantity;  // "v" of point.NAME.vx
  const char* unit;
  Evaluate evaluate = Evaluate::kAlways;
  bool needs_axes = true;
};

// Of a site along its own axes.
const std::map<std::string, VectorSensor>& site_sensors() {
  static const std::map<std::string, VectorSensor> all = {{"accelerometer", {"imu_a", "m/s^2", Evaluate::kOnRequest}},
                                                          {"velocimeter", {"vb", "m/s"}},
                                                          {"gyro", {"wb", "rad/s"}},
                                                          {"force", {"load_f", "N", Evaluate::kOnRequest}},
                                                          {"torque", {"load_n", "N m", Evaluate::kOnRequest}}};
  return all;
}

// Of any frame, along the world's axes or those of another.
const std::map<std::string, VectorSensor>& frame_sensors() {
  static const std::map<std::string, VectorSensor> all = {
      {"framepos", {"", "m", Evaluate::kAlways, false}},
      {"framelinvel", {"v", "m/s", Evaluate::kAlways, false}},
      {"frameangvel", {"w", "rad/s", Evaluate::kAlways, false}},
      {"framexaxis", {"xaxis_", ""}},
      {"frameyaxis", {"yaxis_", ""}},
      {"framezaxis", {"zaxis_", ""}},
      {"framelinacc", {"a", "m/s^2", Evaluate::kOnRequest, false}},
      {"frameangacc", {"alpha", "rad/s^2", Evaluate::kOnRequest, false}}};
  return all;
}

const std::map<std::string, VectorSensor>& subtree_sensors() {
  static const std::map<std::string, VectorSensor> all = {{"subtreecom", {"", "m", Evaluate::kOnRequest}},
                                                          {"subtreelinvel", {"v", "m/s", Evaluate::kOnRequest}},
                                                          {"subtreeangmom", {"l", "kg m^2/s", Evaluate::kOnRequest}}};
  return all;
}

const std::map<std::string, const char*>& reasons() {
  static const std::map<std::string, const char*> all = {{"user", "its values come from a program's own code"},
                                                         {"plugin", "plugins are not supported"},
                                                         {"distance", "distances of geoms are not measured"},
                                                         {"normal", "distances of geoms are not measured"},
                                                         {"fromto", "distances of geoms are not measured"}};
  return all;
}

class SensorAdder {
 public:
  SensorAdder(const MjcfModel& model, ModelImport& import) : model_(model), import_(import), frames_(model, import) {}

  void add(const ElementReader& reader) {
    reader.note("noise", Treatment::kIgnored, "outputs are exact");
    reader.note("user", Treatment::kIgnored, "data for other programs");
    reader_ = &reader;
    cutoff_ = reader.number("cutoff", 0);
    const std::string& tag = reader.tag();
    if (tag == "clock") return put("t", "s");
    if (tag == "e_potential") return put("energy.gravitational + energy.elastic", "J");
    if (tag == "e_kinetic") return put("energy.kinetic", "J");
    if (tag.starts_with("joint") || tag.starts_with("ball")) return add_joint();
    if (tag.starts_with("actuator")) return add_actuator();
    if (tag == "tendonpos" || tag == "tendonvel") return add_tendon(tag == "tendonpos");
    if (const auto found = site_sensors().find(tag); found != site_sensors().end()) return add_site(found->second);
    if (tag == "touch") return add_touch();
    if (tag == "rangefinder") return add_range();
    if (tag == "insidesite") return add_inside();
    if (tag == "magnetometer") return add_magnetometer();
    if (const auto found = frame_sensors().find(tag); found != frame_sensors().end()) return add_frame(found->second);
    if (tag == "framequat") return add_quaternion();
    if (const auto found = subtree_sensors().find(tag); found != subtree_sensors().end())
      return add_subtree(found->second);
    const auto reason = reasons().find(tag);
    ignore(reason == reasons().end() ? "sensors of this kind are not simulated" : reason->second);
  }

 private:
  void ignore(const std::string& reason) const { reader_->note(Treatment::kIgnored, reason); }

  // ---- joints ----

  static std::string joint_variable(const MjcfJoint& joint, const char* what) {
    return variable_text(fmt::format("joint.{}.{}", joint.name, what));
  }

  static const char* unit_of(const MjcfJoint& joint, const char* of_angle, const char* of_length) {
    return joint.type == JointType::kRevolute ? of_angle : of_length;
  }

  void add_joint() {
    const int index = find_named(*reader_, "joint", reader_->required_text("joint"), model_.joint_index, "joint");
    if (index < 0) return;
    const MjcfJoint& joint = at(model_.joints, index);
    const std::string& tag = reader_->tag();
    if (tag.starts_with("ball")) return add_ball(joint);
    if (!joint.is_scalar()) return ignore("of a joint with more than one coordinate");
    if (tag == "jointpos") return put(joint_variable(joint, "q"), unit_of(joint, "rad", "m"));
    if (tag == "jointvel") return put(joint_variable(joint, "u"), unit_of(joint, "rad/s", "m/s"));
    if (tag == "jointactuatorfrc") return add_joint_force(index);
    if (tag.starts_with("jointlimit")) return add_limit(joint);
    ignore("sensors of this kind are not simulated");
  }

  void add_ball(const MjcfJoint& joint) {
    if (joint.type != JointType::kBall) return ignore("of a joint that is not a ball");
    const bool is_place = reader_->tag() == "ballquat";
    if (is_place) {
      constexpr std::array kParts = {"q[0]", "q[1]", "q[2]", "q[3]"};
      constexpr std::array kEndings = {"w", "x", "y", "z"};
      for (std::size_t k = 0; k < kParts.size(); ++k)
        put(joint_variable(joint, kParts[k]), "", kEndings[k], Range::kUnit);
    } else {
      constexpr std::array kParts = {"u[0]", "u[1]", "u[2]"};
      for (std::size_t k = 0; k < kParts.size(); ++k) put(joint_variable(joint, kParts[k]), "rad/s", kAxes[k]);
    }
  }

  // How far a joint is beyond its limits, how fast it leaves them, and what they push with; 0 within them.
  void add_limit(const MjcfJoint& joint) {
    const std::string q = joint_variable(joint, "q"), u = joint_variable(joint, "u"), &tag = reader_->tag();
    const std::string below = fmt::format("{} - ({})", q, joint.lower), above = fmt::format("{} - {}", joint.upper, q);
    const bool has_lower = joint.lower > -kMjcfUnlimited, has_upper = joint.upper < kMjcfUnlimited;
    if (tag == "jointlimitpos") {
      std::string depth = "0";
      if (has_lower) depth = fmt::format("min({}, {})", depth, below);
      if (has_upper) depth = fmt::format("min({}, {})", depth, above);
      return put(depth, unit_of(joint, "rad", "m"));
    }
    if (tag == "jointlimitvel") {
      std::string rate = "0";
      if (has_upper) rate = fmt::format("({} < 0 ? -{} : {})", above, u, rate);
      if (has_lower) rate = fmt::format("({} < 0 ? {} : {})", below, u, rate);
      return put(rate, unit_of(joint, "rad/s", "m/s"));
    }
    if (tag != "jointlimitfrc") return ignore("sensors of this kind are not simulated");
    put(fmt::format("abs({})", joint_variable(joint, "limit")), unit_of(joint, "N m", "N"), "", Range::kReal,
        Evaluate::kOnRequest);
  }

  // ---- actuators and tendons ----

  void add_actuator() {
    const std::string name = reader_->required_text("actuator"), &tag = reader_->tag();
    const auto found = model_.drives.find(name);
    if (found == model_.drives.end()) return ignore("of an actuator that is not simulated");
    const MjcfDrive& drive = found->second;
    if (tag == "actuatorfrc") {
      const std::string force = force_of(drive);
      if (force.empty()) return ignore("of an actuator that is not simulated");
      return put(force, "", "", Range::kReal, Evaluate::kOnRequest);
    }
    if (tag != "actuatorpos" && tag != "actuatorvel") return ignore("sensors of this kind are not simulated");
    const bool is_place = tag == "actuatorpos";
    const std::string length = length_of(drive, is_place);
    if (length.empty()) return ignore("of an actuator of neither a joint nor a tendon that moves");
    const bool turns = drive.joint >= 0 && at(model_.joints, drive.joint).type == JointType::kRevolute;
    put(scaled(drive.gear, length), std::string(turns ? "rad" : "m") + (is_place ? "" : "/s"));
  }

  static std::string scaled(double factor, const std::string& variable) {
    return factor == 1 ? variable : fmt::format("{} * ({})", factor, variable);
  }

  std::string length_of(const MjcfDrive& drive, bool is_place) const {
    if (drive.joint >= 0) return joint_variable(at(model_.joints, drive.joint), is_place ? "q" : "u");
    const auto tendon = model_.tendon_index.find(drive.tendon);
    return tendon == model_.tendon_index.end() ? "" : tendon_length(at(model_.tendons, tendon->second), is_place);
  }

  // The force of an actuator before its gear: gain * control, a constant bias included, and what became damping of its
  // joint; or that of the servo it became.
  std::string force_of(const MjcfDrive& drive) const {
    if (drive.gear == 0) return {};
    if (!drive.motor.empty())
      return fmt::format("{} / ({})", variable_text(fmt::format("motor.{}.force", drive.motor)), drive.gear);
    if (drive.actuator.empty()) return {};
    std::string force = scaled(drive.gain, variable_text(fmt::format("actuator.{}.control", drive.actuator)));
    if (const std::string rate = length_of(drive, false); drive.bias[2] < 0 && !rate.empty())
      force += fmt::format(" + ({}) * {}", drive.bias[2] * drive.gear, rate);
    return force;
  }

  void add_joint_force(int joint) {
    std::string sum;
    for (const auto& [name, drive] : model_.drives) {
      const std::string force = drive.joint == joint ? force_of(drive) : "";
      if (!force.empty()) sum += fmt::format("{}({}) * ({})", sum.empty() ? "" : " + ", drive.gear, force);
    }
    put(sum.empty() ? "0" : sum, unit_of(at(model_.joints, joint), "N m", "N"), "", Range::kReal, Evaluate::kOnRequest);
  }

  // Of one that nothing moves: nothing.
  static std::string tendon_length(const MjcfTendon& tendon, bool is_place) {
    if (!tendon.moves) return {};
    return variable_text(fmt::format("tendon.{}.{}", tendon.spec.name, is_place ? "length" : "rate"));
  }

  void add_tendon(bool is_place) {
    const int index = find_named(*reader_, "tendon", reader_->required_text("tendon"), model_.tendon_index, "tendon");
    if (index < 0) return;
    const std::string length = tendon_length(at(model_.tendons, index), is_place);
    if (length.empty()) return ignore("of a tendon that nothing moves");
    put(length, is_place ? "m" : "m/s");
  }

  // ---- frames ----

  std::optional<std::string> site(bool needs_axes = true) {
    return frames_.point(*reader_, "site", reader_->required_text("site"), "site", needs_axes);
  }

  void put_vector(const std::function<std::string(const char* axis)>& expression, const VectorSensor& sensor,
                  Range range = Range::kReal) {
    for (const char* axis : kAxes) put(expression(axis), sensor.unit, axis, range, sensor.evaluate);
  }

  void add_site(const VectorSensor& sensor) {
    const std::optional<std::string> point = site();
    if (!point) return;
    put_vector(
        [&](const char* axis) { return variable_text(fmt::format("point.{}.{}{}", *point, sensor.quantity, axis)); },
        sensor);
  }

  void add_touch() {
    const std::optional<std::string> point = site();
    if (point)
      put(variable_text(fmt::format("point.{}.touch", *point)), "N", "", Range::kPositive, Evaluate::kOnRequest);
  }

  // Along z of a site.
  void add_range() {
    if (!reader_->has("site")) return ignore("of a camera");
    const std::optional<std::string> point = site();
    if (point)
      put(variable_text(fmt::format("point.{}.range", *point)), "m", "", Range::kPositive, Evaluate::kOnRequest);
  }

  // Whether the origin of a frame is in the volume of a site.
  void add_inside() {
    const std::string name = reader_->required_text("site");
    const std::optional<std::string> other = frames_.point(*reader_, "site", name, "site", true);
    const std::string type = reader_->required_text("objtype"), object = reader_->required_text("objname");
    if (!other || type.empty() || object.empty()) return;
    const std::optional<std::string> point = frames_.point(*reader_, type, object, "objname", false);
    if (!point) return;
    const ZoneSpec zone = at(model_.sites, model_.site_index.at(name)).zone.value_or(ZoneSpec{});
    const auto place = [&](const char* axis) {
      return variable_text(fmt::format("relative.{}.{}.{}", *point, *other, axis));
    };
    put(inside(zone, place("x"), place("y"), place("z")), "", "", Range::kUnit);
  }

  static std::string inside(const ZoneSpec& zone, const std::string& x, const std::string& y, const std::string& z) {
    const Eigen::Vector3d& half = zone.half;
    const std::string off_axis = fmt::format("hypot({}, {})", x, y);
    switch (zone.kind) {
      case ZoneKind::kBox:
        return fmt::format("abs({}) <= {} && abs({}) <= {} && abs({}) <= {}", x, half[0], y, half[1], z, half[2]);
      case ZoneKind::kEllipsoid:
        return fmt::format("({} / {})^2 + ({} / {})^2 + ({} / {})^2 <= 1", x, half[0], y, half[1], z, half[2]);
      case ZoneKind::kCylinder:
        return fmt::format("{} <= {} && abs({}) <= {}", off_axis, half[0], z, half[2]);
      case ZoneKind::kCapsule:
        return fmt::format("hypot({}, max(0, abs({}) - {})) <= {}", off_axis, z, half[2], half[0]);
    }
    return "0";
  }

  // The flux along the axes of a site.
  void add_magnetometer() {
    const std::optional<std::string> point = site();
    if (!point) return;
    const auto along = [&](const char* axis) {
      std::string sum;
      for (int k = 0; k < 3; ++k) {
        if (model_.magnetic[k] == 0) continue;
        sum += fmt::format("{}({}) * {}", sum.empty() ? "" : " + ", model_.magnetic[k],
                           variable_text(fmt::format("point.{}.{}axis_{}", *point, axis, kAxes[std::size_t(k)])));
      }
      return sum.empty() ? "0" : sum;
    };
    put_vector(along, {"", "T"});
  }

  // The variables of a frame, as seen from another where the sensor says so: "point.NAME." or "relative.NAME.OTHER.".
  std::optional<std::string> frame_variables(bool needs_axes) {
    const std::string type = reader_->required_text("objtype"), name = reader_->required_text("objname");
    if (type.empty() || name.empty()) return std::nullopt;
    if (!reader_->has("refname") && type == "xbody" && model_.body_index.count(name) && name != kWorldName)
      return fmt::format("body.{}.", name);
    const std::optional<std::string> point = frames_.point(*reader_, type, name, "objname", needs_axes);
    if (!point) return std::nullopt;
    if (!reader_->has("refname")) return fmt::format("point.{}.", *point);
    const std::string other_type = reader_->required_text("reftype"), other_name = reader_->required_text("refname");
    if (other_type.empty() || other_name.empty()) return std::nullopt;
    const std::optional<std::string> other = frames_.point(*reader_, other_type, other_name, "refname", true);
    return other ? std::optional(fmt::format("relative.{}.{}.", *point, *other)) : std::nullopt;
  }

  // Accelerations of MuJoCo's frames hold minus gravity.
  void add_frame(const VectorSensor& sensor) {
    const std::optional<std::string> variables = frame_variables(sensor.needs_axes);
    if (!variables) return;
    const bool is_acceleration = reader_->tag() == "framelinacc";
    const auto component = [&](const char* axis) {
      const std::string variable = variable_text(*variables + sensor.quantity + axis);
      return is_acceleration ? fmt::format("{} - gravity.{}", variable, axis) : variable;
    };
    put_vector(component, sensor, *sensor.unit ? Range::kReal : Range::kUnit);
  }

  void add_quaternion() {
    const std::optional<std::string> variables = frame_variables(true);
    if (!variables) return;
    for (const char* part : {"w", "x", "y", "z"}) put(variable_text(*variables + "q" + part), "", part, Range::kUnit);
  }

  void add_subtree(const VectorSensor& sensor) {
    const std::string name = reader_->required_text("body");
    if (find_named(*reader_, "body", name, model_.body_index, "body") < 0) return;
    put_vector(
        [&](const char* axis) { return variable_text(fmt::format("subtree.{}.{}{}", name, sensor.quantity, axis)); },
        sensor);
  }

  // ---- outputs ----

  std::string bounded(const std::string& expression, Range range) const {
    if (cutoff_ <= 0 || range == Range::kUnit) return expression;
    if (range == Range::kPositive) return fmt::format("min({}, {})", expression, cutoff_);
    return fmt::format("clamp({0}, -{1}, {1})", expression, cutoff_);
  }

  std::string free_name(const std::string& ending) {
    std::string name = reader_->text("name", reader_->tag());
    if (!ending.empty()) name += "_" + ending;
    for (char& c : name)
      if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    if (std::isdigit(static_cast<unsigned char>(name[0]))) name.insert(0, "_");
    while (!outputs_.insert(name).second) name += '_';
    return name;
  }

  void put(const std::string& expression, const std::string& unit, const std::string& ending = "",
           Range range = Range::kReal, Evaluate evaluate = Evaluate::kAlways) {
    OutputSpec output;
    output.name = free_name(ending);
    output.expression = bounded(expression, range);
    output.unit = unit;
    output.where = reader_->where();
    output.on_request = evaluate == Evaluate::kOnRequest;
    import_.builder.add(std::move(output));
  }

  const MjcfModel& model_;
  ModelImport& import_;
  MjcfSensorFrames frames_;
  const ElementReader* reader_ = nullptr;  // the sensor that is being added
  double cutoff_ = 0;
  std::set<std::string> outputs_;
};

}  // namespace

void add_mjcf_sensors(const ElementReader& root, const MjcfModel& model, ModelImport& import) {
  SensorAdder sensors(model, import);
  for (const ElementReader& section : root.children("sensor"))
    for (const XmlElement* child : section.all_children()) sensors.add(ElementReader(*child, section.log()));
}

}  // namespace lipkin
