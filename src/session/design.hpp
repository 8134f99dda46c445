// What a person has made of a scene while it runs: its parts, the edits made to them, icons, and joints that may break.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/model_compiler.hpp"
#include "session/freedoms.hpp"
#include "session/icon.hpp"

namespace lipkin {

struct BreakLimit {
  std::optional<double> force;   // [N]
  std::optional<double> torque;  // [N m]
};

// Lengths at rest that a model takes from its initial state become part of its parts.
void put_rest_lengths(const ModelData& model, ModelParts& parts);

class Design {
 public:
  using Edit = std::function<void(ModelParts&)>;

  explicit Design(const Model& model);

  // The scene's own parts, defaults that depend on the initial state filled in.
  const ModelParts& base() const { return *base_; }
  void set_base(const Model& model);

  // Replaces an edit of the same key. Edits are applied in the order they were made, to any base.
  void edit(const std::string& key, Edit edit);
  void forget(const std::string& key);
  // What `set`, set_limits and set_friction set, by the path of the parameter.
  void put_value(const std::string& path, double value, Edit put);
  void forget_value(const std::string& path);

  // A controller that was made a PID is one, also while its law still acts.
  bool is_pid(const ControllerSpec& controller) const {
    return !controller.law || replaced_laws.contains(controller.name);
  }

  // Base, edits and icons together. Outputs that have lost what they look at give NaN.
  Model compile() const;

  // Where the switches of a joint are, whatever its type was changed to.
  JointHome home(const JointSpec& joint) const;

  std::vector<Icon> icons;
  std::map<std::string, BreakLimit> breaks;                     // by joint
  std::map<std::string, JointHome> homes;                       // of joints whose freedoms were changed
  std::map<std::string, double> values;                         // what was set, by path
  std::vector<std::pair<std::string, std::string>> parameters;  // of the scene, as overrides
  std::map<std::string, Signal> replaced_laws;  // by controllers that were made PIDs: act until they have a gain
  std::map<int, double> hands;                  // per drag: its angular frequency [rad/s]
  std::map<std::string, int> numbers;           // the last number given to "force", "drag", ...

 private:
  std::shared_ptr<const ModelParts> base_;
  std::vector<std::pair<std::string, Edit>> edits_;
};

}  // namespace lipkin
