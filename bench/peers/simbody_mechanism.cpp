// Simbody on the plane mechanisms: Runge-Kutta-Merson with projection after every step, loops as pins that are free to
// move along Z, since its pins hold the plane already. Built without NDEBUG: Debian's library is, and the layout of its
// classes depends on it.
#include "simbody_mechanism.hpp"

#include <Simbody.h>

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace lipkin::bench {
namespace {

// Simbody has no dry friction in joints: the limit times tanh of the rate.
class SmoothedFriction final : public SimTK::Force::Custom::Implementation {
 public:
  struct Hinge {
    SimTK::MobilizedBody body;
    double limit;  // [N m]
  };

  explicit SmoothedFriction(std::vector<Hinge> hinges) : hinges_(std::move(hinges)) {}

  void calcForce(const SimTK::State& state, SimTK::Vector_<SimTK::SpatialVec>&, SimTK::Vector_<SimTK::Vec3>&,
                 SimTK::Vector& forces) const override {
    constexpr double kSlow = 0.01;  // [rad/s]
    for (const Hinge& hinge : hinges_) {
      const double torque = -hinge.limit * std::tanh(hinge.body.getOneU(state, 0) / kSlow);
      hinge.body.applyOneMobilityForce(state, 0, torque, forces);
    }
  }
  SimTK::Real calcPotentialEnergy(const SimTK::State&) const override { return 0; }

 private:
  std::vector<Hinge> hinges_;
};

SimTK::Transform along(double x, double y = 0) { return SimTK::Transform(SimTK::Vec3(x, y, 0)); }

}  // namespace

std::string simbody_name() {
  int major = 0, minor = 0, build = 0;
  SimTK_version_SimTKcommon(&major, &minor, &build);
  return "simbody " + std::to_string(major) + "." + std::to_string(minor);
}

class SimbodyMechanism::System {
 public:
  System(const PlanarMechanism& mechanism, double dt) : dt_(dt), bodies_(mechanism.rods.size()) {
    forces_.setNumberOfThreads(1);
    SimTK::Force::UniformGravity(forces_, matter_, SimTK::Vec3(0, -kPlaneGravity, 0));
    std::vector<SmoothedFriction::Hinge> hinges;
    for (const Pin& pin : mechanism.pins) {
      if (pin.closes_loop) {
        SimTK::Constraint::PointOnLine(body(pin.a), SimTK::UnitVec3(0, 0, 1), SimTK::Vec3(pin.at_a, 0, 0), body(pin.b),
                                       SimTK::Vec3(pin.at_b, 0, 0));
        continue;
      }
      add_rod(mechanism, pin);
      if (pin.friction > 0) hinges.push_back({body(pin.b), pin.friction});
    }
    if (!hinges.empty()) SimTK::Force::Custom(forces_, new SmoothedFriction(std::move(hinges)));  // Simbody owns it
    start(mechanism);
  }

  void step(double t) { stepper_.stepTo(t + dt_); }

  void read(RodState* rods) {
    const SimTK::State& state = stepper_.getState();
    system_.realize(state, SimTK::Stage::Velocity);
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const SimTK::Transform& pose = bodies_[i].getBodyTransform(state);
      const SimTK::SpatialVec& velocity = bodies_[i].getBodyVelocity(state);
      for (int k = 0; k < 3; ++k) {
        const auto component = static_cast<std::size_t>(k);
        rods[i].com[component] = pose.p()[k];
        rods[i].axis[component] = pose.x()[k];
        rods[i].velocity[component] = velocity[1][k];
      }
      rods[i].rate = velocity[0][2];
    }
  }

 private:
  SimTK::MobilizedBody& body(int rod) { return bodies_[static_cast<std::size_t>(rod)]; }

  // Frames sit at the centres of the rods, along them; a pin's coordinate is the angle between the two rods.
  void add_rod(const PlanarMechanism& mechanism, const Pin& pin) {
    const Rod& rod = mechanism.rods[static_cast<std::size_t>(pin.b)];
    const SimTK::Body::Rigid rigid(SimTK::MassProperties(
        rod.mass, SimTK::Vec3(0), SimTK::Inertia(rod.axial_inertia(), rod.inertia(), rod.inertia())));
    SimTK::MobilizedBody& parent = pin.a < 0 ? matter_.updGround() : body(pin.a);
    const SimTK::Transform at_parent = pin.a < 0 ? along(pin.ground[0], pin.ground[1]) : along(pin.at_a);
    if (pin.slides) {
      body(pin.b) = SimTK::MobilizedBody::Slider(parent, at_parent, rigid, along(pin.at_b));
    } else {
      body(pin.b) = SimTK::MobilizedBody::Pin(parent, at_parent, rigid, along(pin.at_b));
    }
    if (pin.driven) {  // drive_angle as an amplitude, a rate and a phase
      SimTK::Motion::Sinusoid(body(pin.b), SimTK::Motion::Position, -drive_angle(0), SimTK::Pi, -SimTK::Pi / 2);
    }
  }

  void start(const PlanarMechanism& mechanism) {
    system_.realizeTopology();
    SimTK::State state = system_.getDefaultState();
    for (const Pin& pin : mechanism.pins) {
      if (pin.closes_loop) continue;
      const Rod& rod = mechanism.rods[static_cast<std::size_t>(pin.b)];
      const Rod parent = pin.a < 0 ? Rod{} : mechanism.rods[static_cast<std::size_t>(pin.a)];
      body(pin.b).setOneQ(state, 0, pin.slides ? 0 : rod.angle - parent.angle);
      body(pin.b).setOneU(state, 0, pin.slides ? rod.velocity[0] : rod.rate - parent.rate);
    }
    integrator_.setAccuracy(1e-3);
    integrator_.setConstraintTolerance(1e-6);
    integrator_.setProjectEveryStep(true);
    integrator_.setAllowInterpolation(false);
    stepper_.initialize(state);
  }

  double dt_;
  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_{system_};
  SimTK::GeneralForceSubsystem forces_{system_};
  SimTK::RungeKuttaMersonIntegrator integrator_{system_};
  SimTK::TimeStepper stepper_{system_, integrator_};
  std::vector<SimTK::MobilizedBody> bodies_;
};

SimbodyMechanism::SimbodyMechanism(const PlanarMechanism& mechanism, double dt)
    : system_(std::make_unique<System>(mechanism, dt)) {}

SimbodyMechanism::~SimbodyMechanism() = default;

void SimbodyMechanism::step(double t) { system_->step(t); }

void SimbodyMechanism::read(RodState* rods) { system_->read(rods); }

}  // namespace lipkin::bench
