#include "balance_report.hpp"

#include <fmt/format.h>

namespace lipkin::cli {
namespace {

Json vector_json(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

Json momentum_json(const Momentum& m) {
  return {{"linear", vector_json(m.linear)}, {"angular", vector_json(m.angular)}};
}

std::string momentum_text(const Momentum& m) {
  return fmt::format("({:.4g}, {:.4g}, {:.4g}) kg m/s, ({:.4g}, {:.4g}, {:.4g}) kg m^2/s", m.linear.x(), m.linear.y(),
                     m.linear.z(), m.angular.x(), m.angular.y(), m.angular.z());
}

}  // namespace

void add_balance(const EnergyBalance& b, Json& energy) {
  energy["since"] = b.since;
  energy["kinetic"] = b.stored.kinetic;
  energy["gravitational"] = b.stored.gravitational;
  energy["elastic"] = b.stored.elastic;
  energy["dissipated"] = {{"total", b.dissipated()},
                          {"dampers", b.dampers},
                          {"joint_friction", b.joint_friction},
                          {"contact_friction", b.contact_friction},
                          {"impacts", b.impacts}};
  energy["work"] = {{"total", b.work()}, {"motors", b.motors}, {"applied", b.applied}, {"commands", b.commands}};
  energy["stabilization"] = b.stabilization;
  energy["residual"] = b.residual();
}

Json balance_json(const MomentumBalance& b) {
  return {{"initial", momentum_json(b.initial)}, {"final", momentum_json(b.now)},
          {"gravity", momentum_json(b.gravity)}, {"applied", momentum_json(b.applied)},
          {"ground", momentum_json(b.ground)},   {"residual", momentum_json(b.residual())}};
}

// Where counting began with a state that had no books.
static std::string since_text(double since) { return since == 0 ? "the start" : fmt::format("t = {:.9g} s", since); }

std::vector<std::vector<std::string>> balance_rows(const EnergyBalance& e, const MomentumBalance& m) {
  return {
      {"  stored",
       fmt::format("{:+.6g} J since {}: kinetic {:.6g} J, gravitational {:.6g} J, elastic {:.6g} J at the end",
                   e.stored.total() - e.initial, since_text(e.since), e.stored.kinetic, e.stored.gravitational,
                   e.stored.elastic)},
      {"  work", fmt::format("{:+.6g} J: motors {:.6g} J, applied forces {:.6g} J, commands {:.6g} J", e.work(),
                             e.motors, e.applied, e.commands)},
      {"  dissipated", fmt::format("{:+.6g} J: dampers {:.6g} J, joint friction {:.6g} J, contact friction {:.6g} J, "
                                   "impacts {:.6g} J",
                                   e.dissipated(), e.dampers, e.joint_friction, e.contact_friction, e.impacts)},
      {"  stabilization", fmt::format("{:+.6g} J put in by keeping constraints closed", e.stabilization)},
      {"  residual", fmt::format("{:+.6g} J left by discretization", e.residual())},
      {"momentum",
       fmt::format("{} since {}", momentum_text({m.now.linear - m.initial.linear, m.now.angular - m.initial.angular}),
                   since_text(e.since))},
      {"  gravity", momentum_text(m.gravity)},
      {"  applied", momentum_text(m.applied)},
      {"  ground", momentum_text(m.ground) + (m.ground_is_remainder ? ", what the others leave" : "")},
      {"  residual", momentum_text(m.residual())}};
}

}  // namespace lipkin::cli
