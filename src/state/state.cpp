#include "lipkin/state.hpp"

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "model/model_data.hpp"

namespace lipkin {

namespace {

// FNV-1a over 64-bit words with the finaliser of splitmix64 (Steele, Lea, Flood 2014): order matters, every bit counts.
class Hasher {
 public:
  void add(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x100000001b3ull;
    hash_ ^= hash_ >> 29;
  }
  void add(double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    add(bits);
  }
  void add(const std::vector<double>& values) {
    add(static_cast<std::uint64_t>(values.size()));
    for (double x : values) add(x);
  }
  void add(const Eigen::Vector3d& v) { add(v.x()), add(v.y()), add(v.z()); }
  void add(const std::string& text) {
    add(static_cast<std::uint64_t>(text.size()));
    for (char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
  }
  std::uint64_t value() const {
    std::uint64_t z = hash_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ull;
};

}  // namespace

State initial_state(const Model& model) {
  const ModelData& data = model.data();
  State state;
  state.q = data.initial_q;
  state.u = data.initial_u;
  state.applied.assign(data.u_count, 0.0);
  state.control.assign(data.controls.size(), std::numeric_limits<double>::quiet_NaN());
  for (const InputData& input : data.inputs) state.inputs.push_back(input.value);
  state.memory.assign(data.memory_count, 0.0);
  const auto start = [&](const ActivationData& a) {
    if (a.kind != ActivationKind::kNone) state.memory[a.memory + kActivationValue] = a.start;
  };
  for (const ActuatorData& actuator : data.actuators) start(actuator.activation);
  for (const MotorData& motor : data.motors) start(motor.activation);
  state.closure_q.assign(data.closure_coordinate_count, 0.0);
  return state;
}

std::uint64_t state_hash(const State& s) {
  Hasher h;
  h.add(s.t);
  h.add(s.q);
  h.add(s.u);
  h.add(s.applied);
  h.add(s.control);
  if (!s.inputs.empty() || !s.memory.empty()) h.add(s.inputs), h.add(s.memory);
  for (const ActivePush& p : s.pushes) {
    h.add(static_cast<std::uint64_t>(p.body));
    h.add(p.point), h.add(p.force), h.add(p.torque);
    h.add(static_cast<std::uint64_t>(p.along_body));
    h.add(p.until);
  }
  for (const ActiveDrag& d : s.drags) {
    h.add(static_cast<std::uint64_t>(d.body));
    h.add(d.point), h.add(d.target);
    for (int k = 0; k < 3; ++k) h.add(Eigen::Vector3d(d.stiffness.col(k))), h.add(Eigen::Vector3d(d.damping.col(k)));
  }
  for (const SettingEdit& e : s.edits) h.add(e.path), h.add(e.value);
  h.add(s.commands_done);
  h.add(s.step_size);
  h.add(s.step_error);
  h.add(s.step_count);
  h.add(s.closure_q);
  h.add(s.impulse_step);
  h.add(s.row_impulses);
  for (const ContactMemory& c : s.contacts) {
    h.add(static_cast<std::uint64_t>(c.shape_a)), h.add(static_cast<std::uint64_t>(c.shape_b)), h.add(c.feature);
    h.add(static_cast<std::uint64_t>(c.slips));
    h.add(c.normal), h.add(c.spin), h.add(c.direction), h.add(c.point), h.add(c.tangential), h.add(c.rolling);
  }
  h.add(s.projection);
  for (const PassedLimit& limit : s.passed_limits) {
    h.add(static_cast<std::uint64_t>(limit.item)), h.add(static_cast<std::uint64_t>(limit.steps));
    h.add(limit.before), h.add(limit.earlier);
  }
  return h.value();
}

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

}  // namespace lipkin
