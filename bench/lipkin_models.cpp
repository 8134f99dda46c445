// Lipkin as a measuring process for published robots: through the public API; below it only where gaps are looked at.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "collision/shape_gaps.hpp"
#include "lipkin/export.hpp"
#include "lipkin/simulation.hpp"
#include "lipkin/version.hpp"
#include "model/model_data.hpp"
#include "model_server.hpp"
#include "state/workspace.hpp"
#include "tree/mechanics.hpp"

namespace lipkin::bench {
namespace {

using nlohmann::json;

// How deep shapes are in each other, at the state a simulation is in.
class DepthMeter {
 public:
  explicit DepthMeter(const ModelData& data) : data_(data), gaps_(data) {}

  double deepest(const State& state) {
    KinematicsWork kinematics(data_);
    update_kinematics(data_, state.q.data(), state.u.data(), kinematics);
    double deepest = 0;
    for (const ContactPoint& point : gaps_.touching(data_, kinematics.X_WL.data()))
      deepest = std::max(deepest, -point.gap);
    return deepest;
  }

 private:
  const ModelData& data_;
  ShapeGaps gaps_;
};

class LipkinModels {
 public:
  // {"file", "base": "floating", "ground": true} -> {"mjcf"}: the same model for a peer
  json model(const json& request) {
    ImportOptions options;
    if (request.value("base", "fixed") == "floating") options.base = BaseKind::kFloating;
    options.ground = request.value("ground", false);
    const Scene scene = load_scene(request.at("file"), {}, options);
    json reply{{"engine", "lipkin " + std::string(version())},
               {"dt", scene.experiment.dt},
               {"dof", scene.model.u_count()},
               {"shapes", scene.model.contact_shape_count()}};
    if (request.value("mjcf", false)) reply["mjcf"] = write_mjcf(scene).text;
    simulation_.emplace(scene);
    return reply;
  }

  // Longer than asked for, up to kLongest, where it still moves.
  json settle(double seconds) {
    constexpr double kLongest = 30, kMore = 1;  // [s]
    simulation_->run(seconds);
    while (largest_speed() > kStillSpeed && simulation_->state().t < kLongest) simulation_->run(kMore);
    const State lying = simulation_->state();
    simulation_->reset();  // statistics start anew
    simulation_->restore(lying);
    json joints = json::object();
    const Model& model = simulation_->model();
    for (int j = 0; j < model.joint_count(); ++j) {
      if (model.joint_q(j) < 0) continue;
      const auto first = lying.q.begin() + model.joint_q(j);
      joints[model.joint_name(j)] = std::vector<double>(first, first + q_count(model.joint_type(j)));
    }
    return {{"q", joints}, {"lies_still", largest_speed() <= kStillSpeed}};
  }

  void step() { simulation_->step(); }

  BodyPositions positions() const {
    BodyPositions result(static_cast<std::size_t>(simulation_->model().body_count()));
    for (std::size_t b = 0; b < result.size(); ++b) {
      const Eigen::Vector3d p = simulation_->body_motion(static_cast<int>(b)).pose.position;
      result[b] = {p.x(), p.y(), p.z()};
    }
    return result;
  }

  void report(json& reply) const {
    const Statistics& statistics = simulation_->statistics();
    reply["penetration_m"] = DepthMeter(simulation_->model().data()).deepest(simulation_->state());
    reply["contacts"] = statistics.contacts;
    reply["iterations"] = static_cast<double>(statistics.iterations) / static_cast<double>(statistics.steps);
    reply["unconverged_steps"] = statistics.unconverged_steps;
    reply["residual"] = statistics.residual;
    reply["state_hash"] = hash_text(simulation_->hash());
  }

  json run(double seconds) {
    const long steps = std::lround(seconds / simulation_->experiment().dt);
    double beyond = beyond_limits();
    StepClock clock(steps, Clock::kCpu);
    for (long i = 0; i < steps; ++i) {
      clock.time([this] { simulation_->step(); });
      beyond = std::max(beyond, beyond_limits());
    }
    json reply{{"beyond", beyond}, {"speed", largest_speed()}};
    clock.report(reply);
    report(reply);
    return reply;
  }

 private:
  static constexpr double kStillSpeed = 1e-4;  // [m/s] of the fastest body

  // The farthest that a coordinate is beyond its limits [rad] or [m].
  double beyond_limits() const {
    double beyond = 0;
    for (const LimitData& limit : simulation_->model().data().limits) {
      if (limit.dof.closure >= 0) continue;
      const double q = simulation_->state().q[static_cast<std::size_t>(limit.dof.q_index)];
      beyond = std::max({beyond, limit.lower - q, q - limit.upper});
      if (!std::isfinite(q)) throw std::runtime_error("a coordinate is not finite");
    }
    return beyond;
  }

  double largest_speed() const {
    double speed = 0;
    for (int b = 0; b < simulation_->model().body_count(); ++b)
      speed = std::max(speed, simulation_->body_motion(b).velocity.norm());
    return speed;
  }

  std::optional<Simulation> simulation_;
};

}  // namespace
}  // namespace lipkin::bench

int main() { return lipkin::bench::ModelServer<lipkin::bench::LipkinModels>().run(); }
