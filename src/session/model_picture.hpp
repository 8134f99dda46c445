// All that a description of the model needs, apart from the session: it can be written on another thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lipkin/session.hpp"
#include "session/design.hpp"
#include "session/json.hpp"

namespace lipkin {

struct ModelPicture {
  Json json() const;

  Model model;
  std::shared_ptr<const Design> design;
  std::uint32_t version;
  std::string description;
  std::vector<BodyMotion> motions;  // by body
  std::vector<double> control, inputs;
  std::vector<WatchedChannel> outputs;
  std::map<std::string, double> scene_parameters;  // as given, by path
  bool can_be_read_again;                          // so that its parameters can be set

 private:
  const ModelParts& parts() const;
  Json joint_json(const JointSpec& joint, const std::string& name) const;  // its channels by that name
  Json joints_json() const;
  Json parameters_json() const;
};

}  // namespace lipkin
