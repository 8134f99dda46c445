// The frames that sensors are about: points of ours, made when the first sensor asks for one.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "io/import/model_import.hpp"
#include "io/mjcf/mjcf_model.hpp"

namespace lipkin {

class MjcfSensorFrames {
 public:
  MjcfSensorFrames(const MjcfModel& model, ModelImport& import);

  // The name of the point that is the frame of an object: a body (its centre of mass), xbody, geom, site or camera.
  // Nothing, with a mistake or a note, where there is no such frame; `needs_axes`: where its axes count.
  std::optional<std::string> point(const ElementReader& sensor, const std::string& type, const std::string& name,
                                   std::string_view attribute, bool needs_axes);

 private:
  struct Place {
    int body = 0;
    Pose pose;
    std::optional<ZoneSpec> zone;
  };

  std::optional<Place> place_of(const ElementReader& sensor, const std::string& type, const std::string& name,
                                std::string_view attribute, bool needs_axes) const;
  std::optional<Place> place_of_body(const ElementReader& sensor, int index, bool needs_axes) const;

  const MjcfModel& model_;
  ModelImport& import_;
  std::map<std::pair<std::string, std::string>, std::string> points_;  // by type and name
  std::set<std::string> taken_;
};

}  // namespace lipkin
