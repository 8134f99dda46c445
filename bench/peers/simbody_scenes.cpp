// Simbody on the plane mechanisms.
#include "../scene_server.hpp"
#include "simbody_mechanism.hpp"

namespace lipkin::bench {
namespace {

class SimbodyRun final : public MechanismRun {
 public:
  SimbodyRun(const PlanarMechanism& mechanism, double dt) : mechanism_(mechanism, dt) {}

  void step(double t) override { mechanism_.step(t); }
  std::string setting() const override { return "Runge-Kutta-Merson, accuracy 1e-3, projection"; }
  void read(std::span<RodState> rods) override { mechanism_.read(rods.data()); }

 private:
  SimbodyMechanism mechanism_;
};

class SimbodyScenes final : public SceneEngine {
 public:
  std::string name() const override { return simbody_name(); }

  std::unique_ptr<MechanismRun> make_mechanism(const PlanarMechanism& mechanism, double dt,
                                               const SceneSettings&) override {
    return std::make_unique<SimbodyRun>(mechanism, dt);
  }
  std::unique_ptr<GraspRun> make_grasp(double, const SceneSettings&) override { throw Refusal(kNoContact); }
  std::unique_ptr<CupRun> make_cup(const Cup&, const std::vector<Triple>&) override { throw Refusal(kNoContact); }

 private:
  static constexpr const char* kNoContact = "its contacts are compliant, with other laws than the scene's";
};

}  // namespace
}  // namespace lipkin::bench

int main() {
  lipkin::bench::SimbodyScenes engine;
  return lipkin::bench::SceneServer(engine).run();
}
