#include "io/mjcf/mjcf_sensor_frames.hpp"

#include <fmt/format.h>

namespace lipkin {

// Points are looked for before bodies where either can stand: no name stands for both.
MjcfSensorFrames::MjcfSensorFrames(const MjcfModel& model, ModelImport& import) : model_(model), import_(import) {
  for (const MjcfBody& body : model.bodies) taken_.insert(body.name);
}

std::optional<std::string> MjcfSensorFrames::point(const ElementReader& sensor, const std::string& type,
                                                   const std::string& name, std::string_view attribute,
                                                   bool needs_axes) {
  const std::optional<Place> place = place_of(sensor, type, name, attribute, needs_axes);
  if (!place) return std::nullopt;
  const auto [known, is_new] = points_.try_emplace({type, name});
  if (!is_new) return known->second;
  PointSpec point;
  point.name = type == "site" || type == "geom" || type == "camera" ? name : name + "_frame";
  while (!taken_.insert(point.name).second) point.name += "_" + type;
  point.body = at(model_.bodies, place->body).name;
  point.position = place->pose.position;
  point.orientation = place->pose.orientation;
  point.zone = place->zone;
  point.where = sensor.where();
  known->second = point.name;
  import_.builder.add(std::move(point));
  return known->second;
}

std::optional<MjcfSensorFrames::Place> MjcfSensorFrames::place_of(const ElementReader& sensor, const std::string& type,
                                                                  const std::string& name, std::string_view attribute,
                                                                  bool needs_axes) const {
  const auto index_in = [&](const std::map<std::string, int>& all, const char* what) {
    return find_named(sensor, attribute, name, all, what);
  };
  if (type == "site") {
    const int index = index_in(model_.site_index, "site");
    if (index < 0) return std::nullopt;
    const MjcfSite& site = at(model_.sites, index);
    return Place{site.body, site.pose, site.zone};
  }
  if (type == "xbody" || type == "body") {
    const int index = index_in(model_.body_index, "body");
    if (index < 0) return std::nullopt;
    return type == "xbody" ? Place{index, {}, {}} : place_of_body(sensor, index, needs_axes);
  }
  if (type == "geom") {
    const auto found = model_.geom_index.find(name);
    const int index = found == model_.geom_index.end() ? index_in(model_.geom_index, "geom") : found->second;
    if (index >= 0 && at(model_.geoms, index).type != MjcfGeomType::kMesh)
      return Place{at(model_.geoms, index).body, at(model_.geoms, index).pose, {}};
    if (found != model_.geom_index.end())
      sensor.note(Treatment::kIgnored, "of a mesh, whose frame in MuJoCo is that of its inertia");
    return std::nullopt;
  }
  if (type == "camera") {
    const auto found = model_.camera_index.find(name);
    if (found != model_.camera_index.end())
      return Place{at(model_.cameras, found->second).body, at(model_.cameras, found->second).pose, {}};
    sensor.note(Treatment::kIgnored, "of a camera that is not fixed in its body");
    return std::nullopt;
  }
  sensor.error(fmt::format("<{}> in line {} is about a '{}': expected body, xbody, geom, site or camera", sensor.tag(),
                           sensor.element().line, shortened(type)));
  return std::nullopt;
}

// The frame of a body's inertia: its axes are known where the file gives them.
std::optional<MjcfSensorFrames::Place> MjcfSensorFrames::place_of_body(const ElementReader& sensor, int index,
                                                                       bool needs_axes) const {
  const MjcfBody& body = at(model_.bodies, index);
  if (needs_axes && index > 0 && !(body.axes && body.inertial)) {
    sensor.note(Treatment::kIgnored, "of the principal axes of a body, which the file does not give");
    return std::nullopt;
  }
  return Place{index, {body.mass.com, body.axes.value_or(Eigen::Quaterniond::Identity())}, {}};
}

}  // namespace lipkin
