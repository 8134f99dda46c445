// Lipkin as a measuring process for scenes: its own scenes through the public API; below it only where the cost of the
// gaps is measured apart from that of the step.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "collision/shape_gaps.hpp"
#include "contact_problem.hpp"
#include "lipkin/simulation.hpp"
#include "lipkin/version.hpp"
#include "model/model_data.hpp"
#include "scene_server.hpp"
#include "solver_comparison.hpp"
#include "state/workspace.hpp"
#include "step_clock.hpp"
#include "tree/mechanics.hpp"

namespace lipkin::bench {
namespace {

using nlohmann::json;

template <class Kind, std::size_t N>
Kind kind_named(const std::string& name, const std::array<Kind, N>& kinds) {
  const auto found = std::ranges::find(kinds, name, [](Kind kind) { return name_of(kind); });
  if (found == kinds.end()) throw std::runtime_error("no setting " + name);
  return *found;
}

void apply_settings(const SceneSettings& settings, Experiment& experiment) {
  if (settings.contains("stepper")) {
    experiment.stepper = kind_named(settings["stepper"], std::array{StepperKind::kEuler, StepperKind::kMoreau});
  }
  if (settings.contains("coordinates")) {
    experiment.coordinates =
        kind_named(settings["coordinates"], std::array{CoordinateKind::kGeneralized, CoordinateKind::kMaximal});
  }
  if (settings.contains("solver")) {
    experiment.solver = kind_named(settings["solver"], std::array{SolverKind::kImpulses, SolverKind::kProx,
                                                                  SolverKind::kNewton, SolverKind::kHybrid});
  }
  if (settings.contains("stabilization")) {
    experiment.stabilization =
        kind_named(settings["stabilization"], std::array{StabilizationKind::kProjection, StabilizationKind::kSplit});
  }
  SolverOptions& options = experiment.solver_options;
  options.impulse_epsilon = settings.value("impulse_epsilon", options.impulse_epsilon);
  options.max_iterations = settings.value("max_iterations", options.max_iterations);
}

Simulation make_simulation(const std::string& scene_name, double dt, const SceneSettings& settings,
                           const std::vector<std::pair<std::string, std::string>>& overrides = {}) {
  Scene scene = load_scene(scene_name, overrides);
  scene.experiment.dt = dt;
  scene.experiment.tolerated.anything = true;  // what is missed is printed beside the times
  apply_settings(settings, scene.experiment);
  return Simulation(std::move(scene));
}

std::string setting_of(const Experiment& experiment) {
  std::string text(name_of(experiment.stepper));
  for (const std::string_view part :
       {name_of(experiment.coordinates), name_of(experiment.solver), name_of(experiment.stabilization)}) {
    text += ' ';
    text += part;
  }
  return text;
}

void report_simulation(const Simulation& simulation, json& reply) {
  const Statistics& statistics = simulation.statistics();
  reply["iterations"] = static_cast<double>(statistics.iterations) / static_cast<double>(statistics.steps);
  reply["iterations_max"] = statistics.max_iterations;
  reply["unconverged_steps"] = statistics.unconverged_steps;
  reply["residual"] = statistics.residual;
  reply["position_violation"] = statistics.position_violation;
  reply["state_hash"] = hash_text(simulation.hash());
}

// What its contacts cost without the rest of a step, at the state it is in: every gap below `margin` [m].
void report_gaps(const Simulation& simulation, double margin, json& reply) {
  const ModelData& data = simulation.model().data();
  ShapeGaps gaps(data);
  KinematicsWork kinematics(data);
  update_kinematics(data, simulation.state().q.data(), simulation.state().u.data(), kinematics);
  gaps.place(data, kinematics.X_WL.data());
  const double ns = least_ns_per_call([&] { gaps.find(margin); }, 0.1, Clock::kCpu);
  reply["gaps"] = gaps.tested();
  reply["gaps_us"] = ns / 1000;
  reply["ns_per_gap"] = ns / static_cast<double>(std::max<std::size_t>(1, gaps.tested()));
}

class LipkinMechanism final : public MechanismRun {
 public:
  LipkinMechanism(const PlanarMechanism& mechanism, double dt, const SceneSettings& settings)
      : simulation_(make_simulation(mechanism.name, dt, settings)) {
    for (const Rod& rod : mechanism.rods) bodies_.push_back(simulation_.model().body(rod.name));
  }

  void step(double) override { simulation_.step(); }
  std::string setting() const override { return setting_of(simulation_.experiment()); }
  void report(json& reply) override { report_simulation(simulation_, reply); }

  void read(std::span<RodState> rods) override {
    for (std::size_t i = 0; i < rods.size(); ++i) {
      const BodyMotion motion = simulation_.body_motion(bodies_[i]);
      const Eigen::Vector3d lever = motion.pose.orientation * simulation_.model().body_com(bodies_[i]);
      const Eigen::Vector3d com = motion.pose.position + lever;
      const Eigen::Vector3d axis = motion.pose.orientation * Eigen::Vector3d::UnitX();
      const Eigen::Vector3d velocity = motion.velocity + motion.angular_velocity.cross(lever);
      std::ranges::copy(com, rods[i].com.begin());
      std::ranges::copy(axis, rods[i].axis.begin());
      std::ranges::copy(velocity, rods[i].velocity.begin());
      rods[i].rate = motion.angular_velocity.z();
    }
  }

 private:
  Simulation simulation_;
  std::vector<int> bodies_;
};

class LipkinGrasp final : public GraspRun {
 public:
  LipkinGrasp(double dt, const SceneSettings& settings)
      : simulation_(make_simulation("grasp", dt, settings)),
        cube_(simulation_.model().body("cube")),
        palm_(simulation_.model().body("palm")) {}

  void step(double) override { simulation_.step(); }
  std::string setting() const override { return setting_of(simulation_.experiment()); }
  void report(json& reply) override { report_simulation(simulation_, reply); }
  double cube_z() override { return simulation_.body_motion(cube_).pose.position.z(); }
  double palm_z() override { return simulation_.body_motion(palm_).pose.position.z(); }

 private:
  Simulation simulation_;
  int cube_, palm_;
};

class LipkinCup final : public CupRun {
 public:
  explicit LipkinCup(const Cup& cup)
      : simulation_(make_simulation("cup", Cup::kTimeStep, json::object(), {{"n", std::to_string(cup.sphere_count)}})) {
  }

  void step(double) override { simulation_.step(); }
  std::string setting() const override { return setting_of(simulation_.experiment()); }
  void report(json& reply) override {
    report_simulation(simulation_, reply);
    report_gaps(simulation_, kSettledMargin, reply);
  }
  int contact_count() override { return simulation_.statistics().contacts; }

  // Statistics start anew with a simulation; the state holds all that the steps to come depend on.
  void begin_measuring() override {
    const State lying = simulation_.state();
    simulation_.reset();
    simulation_.restore(lying);
  }

  void read(std::span<SphereState> spheres) override {
    for (int i = 0; i < static_cast<int>(spheres.size()); ++i) {
      const BodyMotion motion = simulation_.body_motion(i);
      SphereState& sphere = spheres[static_cast<std::size_t>(i)];
      std::ranges::copy(motion.pose.position, sphere.position.begin());
      sphere.speed = motion.velocity.norm();
    }
  }

 private:
  // A step looks twice as far ahead as its fastest sphere moves; in a settled pile gravity alone moves it.
  static constexpr double kSettledMargin = 2 * Cup::kGravity * Cup::kTimeStep * Cup::kTimeStep;  // [m]

  Simulation simulation_;
};

class LipkinScenes final : public SceneEngine {
 public:
  std::string name() const override { return "lipkin " + std::string(version()); }

  std::unique_ptr<MechanismRun> make_mechanism(const PlanarMechanism& mechanism, double dt,
                                               const SceneSettings& settings) override {
    return std::make_unique<LipkinMechanism>(mechanism, dt, settings);
  }
  std::unique_ptr<GraspRun> make_grasp(double dt, const SceneSettings& settings) override {
    return std::make_unique<LipkinGrasp>(dt, settings);
  }
  std::unique_ptr<CupRun> make_cup(const Cup& cup, const std::vector<Triple>& positions) override {
    if (!positions.empty()) throw Refusal("Lipkin's own scene starts where it starts");
    return std::make_unique<LipkinCup>(cup);
  }

  json run_alone(const json& request) override {
    if (request.at("case") == "spheres-in-cup") return run_spheres(request);
    if (request.at("case") == "cup-contacts") return run_contacts(request);
    return SceneEngine::run_alone(request);
  }

 private:
  // A settled pile's contacts, solved in two ways.
  json run_contacts(const json& request) {
    constexpr double kSettling = 2;  // [s]
    const Cup cup(request.at("spheres").get<int>());
    Simulation simulation =
        make_simulation("cup", Cup::kTimeStep, json::object(), {{"n", std::to_string(cup.sphere_count)}});
    simulation.run(kSettling);
    std::vector<SphereMotion> spheres(static_cast<std::size_t>(cup.sphere_count));
    for (std::size_t i = 0; i < spheres.size(); ++i) {
      const BodyMotion motion = simulation.body_motion(static_cast<int>(i));
      std::ranges::copy(motion.pose.position, spheres[i].position.begin());
      std::ranges::copy(motion.velocity, spheres[i].velocity.begin());
      std::ranges::copy(motion.angular_velocity, spheres[i].angular_velocity.begin());
    }
    json reply = compare_solvers(pile_problem(cup, spheres, request.at("friction")), request.value("seconds", 0.5));
    reply["engine"] = name();
    reply["state_hash"] = hash_text(simulation.hash());
    return reply;
  }

  // The third paper's spheres: all of the run, then its last third, when they lie.
  json run_spheres(const json& request) {
    const double dt = request.at("dt");
    Simulation simulation = make_simulation("spheres-in-cup", dt, request.value("settings", json::object()));
    const long steps = std::lround(request.value("duration", simulation.experiment().duration) / dt);
    StepClock all(steps), settled(steps);
    int contacts_max = 0;
    for (long i = 0; i < steps; ++i) {
      (3 * i < 2 * steps ? all : settled).time([&] { simulation.step(); });
      contacts_max = std::max(contacts_max, simulation.statistics().contacts);
    }
    json reply{{"engine", name()}, {"setting", setting_of(simulation.experiment())}};
    settled.report(reply["settled"]);
    all.report(reply["falling"]);
    report_simulation(simulation, reply);
    reply["contacts"] = simulation.statistics().contacts;
    reply["contacts_max"] = contacts_max;
    report_gaps(simulation, 0, reply);
    return reply;
  }
};

}  // namespace
}  // namespace lipkin::bench

int main() {
  lipkin::bench::LipkinScenes engine;
  return lipkin::bench::SceneServer(engine).run();
}
