// The engine's side of the conversation, with an engine whose motion is known.
#include "scene_server.hpp"

#include <gtest/gtest.h>

namespace lipkin::bench {
namespace {

using nlohmann::json;

// Hangs still where it started, but for a drift of every rod along x.
class DriftingMechanism final : public MechanismRun {
 public:
  DriftingMechanism(const PlanarMechanism& mechanism, double dt) : rods_(initial_states(mechanism)), dt_(dt) {}
  void step(double t) override { drift_ = 1e-3 * (t + dt_); }
  std::string setting() const override { return "drifts at 1 mm/s"; }
  void read(std::span<RodState> rods) override {
    std::ranges::copy(rods_, rods.begin());
    for (RodState& rod : rods) rod.com[0] += drift_;
  }
  void report(json& reply) override { reply["state_hash"] = "none"; }

 private:
  std::vector<RodState> rods_;
  double dt_, drift_ = 0;
};

class FallenCup final : public CupRun {
 public:
  explicit FallenCup(std::vector<Triple> positions) : positions_(std::move(positions)) {}
  void step(double) override { ++steps_; }
  std::string setting() const override { return "still"; }
  int contact_count() override { return steps_; }
  void begin_measuring() override { measured_from_ = steps_; }
  void report(json& reply) override { reply["measured"] = steps_ - measured_from_; }
  void read(std::span<SphereState> spheres) override {
    for (std::size_t i = 0; i < spheres.size(); ++i) spheres[i] = {positions_[i], 0};
  }

 private:
  std::vector<Triple> positions_;
  int steps_ = 0, measured_from_ = 0;
};

class KnownEngine final : public SceneEngine {
 public:
  std::string name() const override { return "known 1"; }
  std::unique_ptr<MechanismRun> make_mechanism(const PlanarMechanism& mechanism, double dt,
                                               const SceneSettings&) override {
    return std::make_unique<DriftingMechanism>(mechanism, dt);
  }
  std::unique_ptr<GraspRun> make_grasp(double, const SceneSettings&) override { throw Refusal("no hands"); }
  std::unique_ptr<CupRun> make_cup(const Cup&, const std::vector<Triple>& positions) override {
    return std::make_unique<FallenCup>(positions);
  }
};

json answer(SceneServer& server, const json& request) { return server.answer(request.dump()); }

TEST(SceneServer, ARunIsTimedStepByStepAndItsErrorsAreMeasured) {
  KnownEngine engine;
  SceneServer server(engine);
  const json reply = answer(server, {{"command", "run"}, {"case", "peaucellier"}, {"dt", 0.01}, {"duration", 2}});
  EXPECT_EQ(reply.at("engine"), "known 1");
  EXPECT_EQ(reply.at("setting"), "drifts at 1 mm/s");
  EXPECT_EQ(reply.at("steps"), 200);
  EXPECT_GT(reply.at("us_per_step"), 0);
  EXPECT_NEAR(reply.at("off_line_m"), 2e-3, 1e-15);  // 2 s at 1 mm/s, rounded
  EXPECT_EQ(reply.at("state_hash"), "none");
}

TEST(SceneServer, ACupKeepsItsSpheresBetweenRequests) {
  KnownEngine engine;
  SceneServer server(engine);
  const json positions = {{0.0, 0.0, 0.05}, {0.1, 0.0, 0.05}};
  EXPECT_EQ(answer(server, {{"command", "cup"}, {"count", 2}, {"positions", positions}}).at("engine"), "known 1");
  EXPECT_EQ(answer(server, {{"command", "advance"}, {"steps", 3}}).at("contacts"), 3);
  EXPECT_EQ(answer(server, {{"command", "advance"}, {"steps", 2}}).at("contacts"), 5);
  EXPECT_EQ(answer(server, {{"command", "positions"}}).at("positions"), positions);
}

TEST(SceneServer, StepsOfSettlingAreNotMeasured) {
  KnownEngine engine;
  SceneServer server(engine);
  answer(server, {{"command", "cup"}, {"count", 1}, {"positions", {{0.0, 0.0, 0.05}}}});
  EXPECT_EQ(answer(server, {{"command", "settle"}, {"steps", 7}}).at("held_speed"), 0);
  const json reply = answer(server, {{"command", "advance"}, {"steps", 3}});
  EXPECT_EQ(reply.at("contacts"), 10);
  EXPECT_EQ(reply.at("measured"), 3);
  EXPECT_EQ(reply.at("steps"), 3);
}

TEST(SceneServer, RefusalsAndMistakesAreAnswers) {
  KnownEngine engine;
  SceneServer server(engine);
  EXPECT_EQ(answer(server, {{"command", "run"}, {"case", "grasp"}, {"dt", 0.01}}).at("refused"), "no hands");
  EXPECT_EQ(answer(server, {{"command", "run"}, {"case", "moon"}, {"dt", 0.01}}).at("refused"), "no scene moon");
  EXPECT_TRUE(answer(server, {{"command", "jump"}}).contains("error"));
  EXPECT_TRUE(answer(server, {{"command", "run"}}).contains("error"));
  EXPECT_TRUE(server.answer("no json").contains("error"));
}

}  // namespace
}  // namespace lipkin::bench
