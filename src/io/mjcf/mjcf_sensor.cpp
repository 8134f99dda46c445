#include "io/mjcf/mjcf_sensor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace lipkin {
namespace {

bool is_plain(const std::string& name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

class SensorAdder {
 public:
  SensorAdder(const MjcfModel& model, ModelImport& import) : model_(model), import_(import) {}

  void add(const ElementReader& reader) {
    for (const char* attribute : {"noise", "cutoff", "user"})
      reader.note(attribute, Treatment::kIgnored, "outputs are exact");
    const std::string& tag = reader.tag();
    if (tag == "clock") return add_output(reader, "t", "s");
    if (tag == "jointpos" || tag == "jointvel") return add_joint(reader, tag == "jointpos");
    if (tag == "framepos" || tag == "framelinvel" || tag == "frameangvel") return add_frame(reader);
    reader.note(Treatment::kIgnored, "sensors of this kind are not simulated");
  }

 private:
  void add_joint(const ElementReader& reader, bool is_position) {
    const int index = find_named(reader, "joint", reader.required_text("joint"), model_.joint_index, "joint");
    if (index < 0) return;
    const MjcfJoint& joint = at(model_.joints, index);
    if (!is_plain(joint.name) || !joint.is_scalar())
      return reader.note(Treatment::kIgnored, "of a joint whose name an output cannot say");
    const std::string unit = joint.type == JointType::kRevolute ? "rad" : "m";
    add_output(reader, fmt::format("joint.{}.{}", joint.name, is_position ? "q" : "u"),
               is_position ? unit : unit + "/s");
  }

  void add_frame(const ElementReader& reader) {
    const std::string type = reader.text("objtype", ""), name = reader.text("objname", "");
    const bool is_site = type == "site";
    const bool turns = reader.tag() == "frameangvel", moves = reader.tag() == "framelinvel";
    if (reader.has("refname") || !(type == "xbody" || (is_site && !turns)) || !is_plain(name))
      return reader.note(Treatment::kIgnored, "of a frame that an output cannot say");
    const int index =
        find_named(reader, "objname", name, is_site ? model_.site_index : model_.body_index, is_site ? "site" : "body");
    if (index < 0) return;
    if (is_site) add_point(reader, at(model_.sites, index));
    const std::string thing = fmt::format("{}.{}", is_site ? "point" : "body", name);
    for (const char* axis : {"x", "y", "z"})
      add_output(reader,
                 fmt::format("{}.{}{}", thing,
                             turns   ? "w"
                             : moves ? "v"
                                     : "",
                             axis),
                 turns   ? "rad/s"
                 : moves ? "m/s"
                         : "m",
                 axis);
  }

  void add_point(const ElementReader& reader, const MjcfSite& site) {
    if (!points_.insert(site.name).second) return;
    PointSpec point;
    point.name = site.name;
    point.body = at(model_.bodies, site.body).name;
    point.position = site.pose.position;
    point.where = reader.where();
    import_.builder.add(std::move(point));
  }

  void add_output(const ElementReader& reader, const std::string& expression, const std::string& unit,
                  const std::string& ending = "") {
    OutputSpec output;
    output.name = reader.text("name", reader.tag());
    if (!ending.empty()) output.name += "_" + ending;
    for (char& c : output.name)
      if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    while (!outputs_.insert(output.name).second) output.name += '_';
    output.expression = expression;
    output.unit = unit;
    output.where = reader.where();
    import_.builder.add(std::move(output));
  }

  const MjcfModel& model_;
  ModelImport& import_;
  std::set<std::string> points_, outputs_;
};

}  // namespace

void add_mjcf_sensors(const ElementReader& root, const MjcfModel& model, ModelImport& import) {
  SensorAdder sensors(model, import);
  for (const ElementReader& section : root.children("sensor"))
    for (const XmlElement* child : section.all_children()) sensors.add(ElementReader(*child, section.log()));
}

}  // namespace lipkin
