// What the server of scenes needs of an engine. A call through a pointer costs a few nanoseconds of steps that take
// microseconds, and costs every engine the same.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "cup_task.hpp"
#include "planar_mechanism.hpp"
#include "refusal.hpp"

namespace lipkin::bench {

// A scene set up and ready to step.
class SceneRun {
 public:
  virtual ~SceneRun() = default;
  virtual void step(double t) = 0;  // from t to t + dt, targets of drives included
  virtual std::string setting() const = 0;
  virtual void report(nlohmann::json&) {}  // more about the steps so far, where there is more to say
};

class MechanismRun : public SceneRun {
 public:
  virtual void read(std::span<RodState> rods) = 0;
};

class GraspRun : public SceneRun {
 public:
  virtual double cube_z() = 0;  // [m]
  virtual double palm_z() = 0;  // [m]
};

class CupRun : public SceneRun {
 public:
  virtual void read(std::span<SphereState> spheres) = 0;
  virtual int contact_count() = 0;   // in the last step
  virtual void begin_measuring() {}  // what is reported of steps so far is forgotten, the spheres stay as they are
};

// How Lipkin runs a scene where not as the scene says; peers have no use for it.
using SceneSettings = nlohmann::json;

class SceneEngine {
 public:
  virtual ~SceneEngine() = default;
  virtual std::string name() const = 0;  // with its version
  virtual std::unique_ptr<MechanismRun> make_mechanism(const PlanarMechanism& mechanism, double dt,
                                                       const SceneSettings& settings) = 0;
  virtual std::unique_ptr<GraspRun> make_grasp(double dt, const SceneSettings& settings) = 0;
  // Spheres at rest at `positions`; empty: where the scene starts (Lipkin only).
  virtual std::unique_ptr<CupRun> make_cup(const Cup& cup, const std::vector<Triple>& positions) = 0;
  // A scene that is measured with this engine alone, by its name.
  virtual nlohmann::json run_alone(const nlohmann::json& request) {
    throw Refusal("no scene " + request.at("case").get<std::string>());
  }
};

}  // namespace lipkin::bench
