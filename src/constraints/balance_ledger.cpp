#include "constraints/balance_ledger.hpp"

#include <algorithm>

#include "forces/actuators.hpp"
#include "forces/elements.hpp"
#include "forces/evaluate_forces.hpp"
#include "forces/regularised_forces.hpp"
#include "forces/tyre.hpp"
#include "model/eigen_convert.hpp"
#include "tree/coordinates.hpp"
#include "tree/kinematics.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

Momentum momentum_of(const Force<double>& f) { return {to_eigen(f.f), to_eigen(f.n)}; }

void add(const Force<double>& impulse, Momentum& sum) {
  sum.linear += to_eigen(impulse.f);
  sum.angular += to_eigen(impulse.n);
}

bool hangs_on_the_world(const ModelData& model) {
  return std::any_of(model.links.begin() + 1, model.links.end(),
                     [](const Link& link) { return link.parent == 0 && link.kind != LinkKind::kFree; });
}

Force<double> weight(const ModelData& model, const KinematicsWork& k) {
  const Vec3<double> force = total_mass(model) * model.gravity;
  return {cross(center_of_mass(model, k), force), force};
}

double dot_product(const Vec3<double>& k, const Vec3<double>& a, const Vec3<double>& b) {
  return k[0] * a[0] * b[0] + k[1] * a[1] * b[1] + k[2] * a[2] * b[2];
}

}  // namespace

BalanceLedger::BalanceLedger(const ModelData& model)
    : mean_u_(model.u_count), moved_q_(model.q_count), at_(model), mean_(model), there_(model) {
  momentum_.ground_is_remainder = hangs_on_the_world(model);
  for (const auto& [a, b] : bilateral_links(model)) rows_on_world_ = rows_on_world_ || a == 0 || b == 0;
}

void BalanceLedger::start(const ModelData& model, const State& state) {
  const bool remainder = momentum_.ground_is_remainder;
  energy_ = {};
  energy_.since = state.t;
  momentum_ = {};
  momentum_.ground_is_remainder = remainder;
  closure_q_ = state.closure_q;
  tyre_work_.reset();
  contact_work_.reset();
  finish(model, state);
  energy_.initial = energy_.stored.total();
  momentum_.initial = momentum_.now;
  momentum_.ground = {};
}

// Of all that is booked; what is stored follows from the state.
template <class Use>
void BalanceLedger::for_each_number(EnergyBalance& energy, MomentumBalance& momentum, const Use& use) {
  for (double EnergyBalance::*term :
       {&EnergyBalance::since, &EnergyBalance::initial, &EnergyBalance::dampers, &EnergyBalance::joint_friction,
        &EnergyBalance::contact_friction, &EnergyBalance::impacts, &EnergyBalance::motors, &EnergyBalance::applied,
        &EnergyBalance::commands, &EnergyBalance::stabilization})
    use(energy.*term);
  for (Momentum MomentumBalance::*term :
       {&MomentumBalance::initial, &MomentumBalance::gravity, &MomentumBalance::applied, &MomentumBalance::ground})
    for (int k = 0; k < 3; ++k) {
      use((momentum.*term).linear[k]);
      use((momentum.*term).angular[k]);
    }
}

void BalanceLedger::keep(State& state) const {
  EnergyBalance energy = energy_;
  MomentumBalance momentum = momentum_;
  state.balance.clear();
  for_each_number(energy, momentum, [&](const double& x) { state.balance.push_back(x); });
  state.balance.push_back(momentum_.ground_is_remainder ? 1 : 0);  // of parts of the tree that are gone, too
}

void BalanceLedger::resume(const ModelData& model, const State& state) {
  start(model, state);
  if (state.balance.empty()) return;
  const double* kept = state.balance.data();
  for_each_number(energy_, momentum_, [&](double& x) { x = *kept++; });
  momentum_.ground_is_remainder = momentum_.ground_is_remainder || *kept != 0;
  if (!momentum_.ground_is_remainder) return;
  momentum_.ground = {};
  momentum_.ground = momentum_.residual();
}

void BalanceLedger::take_over(const BalanceLedger& other, const ModelData& model, const State& state) {
  const bool remainder = momentum_.ground_is_remainder;
  energy_ = other.energy_;
  momentum_ = other.momentum_;
  momentum_.ground_is_remainder = remainder || other.momentum_.ground_is_remainder;
  closure_q_ = state.closure_q;
  model_changed(model, state);
}

void BalanceLedger::model_changed(const ModelData& model, const State& state) {
  const double before = energy_.stored.total();
  const Momentum momentum = momentum_.now;
  finish(model, state);
  energy_.commands += energy_.stored.total() - before;
  momentum_.applied.linear += momentum_.now.linear - momentum.linear;
  momentum_.applied.angular += momentum_.now.angular - momentum.angular;
}

BalanceLedger::Contents BalanceLedger::contents(const ModelData& model, const double* q, const double* u) {
  update_kinematics(model, q, u, there_);
  update_dependent_coordinates(model, q, there_, closure_q_.data());
  return {{kinetic_energy(model, there_, u), gravitational_energy(model, there_),
           elastic_energy(model, q, closure_q_.data(), there_)},
          total_momentum(model, there_)};
}

void BalanceLedger::restore(const Books& books) {
  energy_ = books.energy;
  momentum_ = books.momentum;
  before_ = books.before;
  tyre_work_ = books.tyre_work;
  contact_work_ = books.contact_work;
}

void BalanceLedger::finish(const ModelData& model, const State& state) {
  closure_q_ = state.closure_q;
  const Contents now = contents(model, state.q.data(), state.u.data());
  energy_.stored = now.energy;
  book_tyres(model, state);
  book_contacts(model);
  momentum_.now = momentum_of(now.momentum);
  q_ = state.q;
  u_ = state.u;
  t_ = state.t;
  if (!momentum_.ground_is_remainder) return;
  momentum_.ground = {};
  momentum_.ground = momentum_.residual();
}

// What tyres take from the mechanism is stored in them or lost.
void BalanceLedger::book_tyres(const ModelData& model, const State& state) {
  const double stored = tyre_energy(model, there_, state.memory.data());
  energy_.stored.elastic += stored;
  if (tyre_work_) energy_.contact_friction -= *tyre_work_ + stored - tyre_energy_;
  tyre_work_.reset();
  tyre_energy_ = stored;
}

// What the normals of contacts that are forces take and do not store is lost in them.
void BalanceLedger::book_contacts(const ModelData& model) {
  if (at_.regularised) at_.regularised->touch(model, there_);
  const double stored = contact_energy(model, at_);
  energy_.stored.elastic += stored;
  if (contact_work_) energy_.impacts -= *contact_work_ + stored - contact_energy_;
  contact_work_.reset();
  contact_energy_ = stored;
}

void BalanceLedger::before_stabilization(const ModelData& model, double h, const State& state,
                                         const std::vector<double>& u) {
  closure_q_ = state.closure_q;
  if (h > 0 && !model.closures.empty()) {
    update_kinematics(model, state.q.data(), u.data(), there_);
    lead_angles(model, there_, there_.V_WL.data(), h, closure_q_.data());
  }
  kernels().retract(model.links.data(), static_cast<int>(model.links.size()), state.q.data(), h, u.data(),
                    moved_q_.data());
  before_ = contents(model, moved_q_.data(), u.data());
  u_before_ = u;
  is_pushed_ = false;
}

void BalanceLedger::after_projection(const ModelData& model, const State& state) {
  const Contents now = contents(model, state.q.data(), state.u.data());
  if (rows_on_world_) add(now.momentum - before_.momentum, momentum_.ground);
  is_pushed_ = state.u != u_before_;
  const double moved =
      is_pushed_ ? contents(model, state.q.data(), u_before_.data()).energy.total() : now.energy.total();
  energy_.stabilization += moved - before_.energy.total();
}

// What a projection did to the velocities before the solve is an impulse beside those of the solve, and does its work
// as they do: M (u - u_before) times the mean. No other impulse of the step has a part in the way that it led.
void BalanceLedger::book_push(const ModelData& model, const State& state, const ConstraintSystem& constraints) {
  const auto kinetic = [&](double sign) {
    for (int j = 0; j < model.u_count; ++j) half_way_[j] = mean_u_[j] + sign * (state.u[j] - u_before_[j]);
    update_kinematics(model, state.q.data(), half_way_.data(), there_);
    return kinetic_energy(model, there_, half_way_.data());
  };
  half_way_.resize(model.u_count);
  const double work = 0.5 * (kinetic(1) - kinetic(-1));
  const double motors = constraints.carried_motor_work(state, mean_u_.data(), mean_);
  energy_.motors += motors;
  energy_.stabilization += work - motors;
  is_pushed_ = false;
}

// The impulses of a projection carry a part of the reactions (docs/theory/constraints.md): what they do through
// prescribed motions is the motors' work.
void BalanceLedger::after_stabilization(const ModelData& model, const State& state, const ConstraintSystem* projected) {
  const Contents now = contents(model, state.q.data(), state.u.data());
  double motors = 0;
  if (projected) {  // an impulse works over the mean of the velocities before and after it
    for (int j = 0; j < model.u_count; ++j) mean_u_[j] = 0.5 * (u_before_[j] + state.u[j]);
    kernels().link_velocities(model.links.data(), static_cast<int>(model.links.size()), there_.X_WL.data(),
                              there_.S_W.data(), mean_u_.data(), there_.V_WL.data());
    motors = projected->carried_motor_work(state, mean_u_.data(), there_);
  }
  energy_.motors += motors;
  energy_.stabilization += now.energy.total() - before_.energy.total() - motors;
  if (rows_on_world_) add(now.momentum - before_.momentum, momentum_.ground);
}

void BalanceLedger::solved(const ModelData& model, double h, const State& state, const std::vector<double>& u_after,
                           const Workspace& work, ConstraintSystem* constraints) {
  update_kinematics(model, state.q.data(), state.u.data(), at_.kinematics);
  mean_.X_WL = at_.kinematics.X_WL;
  mean_.S_W = at_.kinematics.S_W;
  const std::vector<double>& before = is_pushed_ ? u_before_ : state.u;
  for (int j = 0; j < model.u_count; ++j) mean_u_[j] = 0.5 * (before[j] + u_after[j]);
  kernels().link_velocities(model.links.data(), static_cast<int>(model.links.size()), mean_.X_WL.data(),
                            mean_.S_W.data(), mean_u_.data(), mean_.V_WL.data());
  book_forces(model, h, state, u_after.data(), work.actuator_control.data());
  clear_loads();
  if (constraints) {
    V_before_ = at_.kinematics.V_WL;
    if (is_pushed_)
      kernels().link_velocities(model.links.data(), static_cast<int>(model.links.size()), mean_.X_WL.data(),
                                mean_.S_W.data(), before.data(), V_before_.data());
    StepWork done;
    constraints->book(model, h, {before.data(), mean_u_.data(), V_before_.data(), mean_.V_WL.data()}, state, at_, done);
    if (is_pushed_) book_push(model, state, *constraints);
    energy_.dampers -= done.dampers;
    energy_.joint_friction -= done.joint_friction;
    energy_.contact_friction -= done.contact_friction;
    energy_.impacts -= done.impacts;
    energy_.motors += done.motors;
    energy_.stabilization += done.constraints;
    add(h * loads_on_links(model), momentum_.ground);
  }
  book_free_joints(model, h, state, work, u_after);
}

// Work and impulses of single-valued forces over h, at the poses of at_ against the mean velocities.
void BalanceLedger::book_forces(const ModelData& model, double h, const State& state, const double* u_after,
                                const double* actuator_control) {
  book_dampers(model, h, u_after);
  book_actuators(model, h, actuator_control);
  book_applied(model, h, state);
  add(h * weight(model, at_.kinematics), momentum_.gravity);
  clear_loads();
  load_tyres(model, state, at_);
  if (!model.tyres.empty()) tyre_work_ = tyre_work_.value_or(0) + h * power_on_links(model);
  book_contact_forces(model, h, state);
  load_elements(model, at_);
  std::copy_n(actuator_control, at_.actuator_control.size(), at_.actuator_control.begin());
  load_actuators(model, at_);
  add(h * loads_on_links(model), momentum_.ground);
}

// Contact and joint friction as forces, added to the loads.
void BalanceLedger::book_contact_forces(const ModelData& model, double h, const State& state) {
  if (!at_.regularised) return;
  at_.regularised->load(model, state, at_);
  for (int j = 0; j < model.u_count; ++j) energy_.joint_friction -= h * at_.tau[j] * mean_u_[j];
  double normal = 0, friction = 0;
  for (const TouchingPoint& t : at_.regularised->touching()) {
    const Vec3<double> v = point_velocity(mean_, t.link_b, t.point) - point_velocity(mean_, t.link_a, t.point);
    normal += t.normal.value * dot(t.direction, v);
    friction += dot(t.tangential, v) + dot(t.torque, mean_.V_WL[t.link_b].w - mean_.V_WL[t.link_a].w);
  }
  energy_.contact_friction -= h * friction;
  contact_work_ = contact_work_.value_or(0) + h * normal;
}

// Joint dampers act with the velocities at the end of a solve (linear-implicit), the others with those before.
void BalanceLedger::book_dampers(const ModelData& model, double h, const double* u_after) {
  double power = 0;
  for (int j = 0; j < model.u_count; ++j) power += model.damping[j] * u_after[j] * mean_u_[j];
  for (const SpringDamperData& spring : model.springs)
    power += spring.damping * spring_state(spring, at_.kinematics).rate * spring_state(spring, mean_).rate;
  for (const BushingData& bushing : model.bushings) {
    const BushingState before = bushing_state(bushing, at_.kinematics), mean = bushing_state(bushing, mean_);
    power += dot_product(bushing.damping, before.velocity, mean.velocity) +
             dot_product(bushing.angular_damping, before.rate, mean.rate);
  }
  energy_.dampers += h * power;
}

void BalanceLedger::book_actuators(const ModelData& model, double h, const double* control) {
  for (std::size_t i = 0; i < model.actuators.size(); ++i) {
    energy_.motors += h * control[i] * actuator_rate(model, model.actuators[i], mean_, mean_u_.data());
  }
}

void BalanceLedger::book_applied(const ModelData& model, double h, const State& state) {
  clear_loads();
  load_applied_forces(model, state, at_);
  double power = power_on_links(model);
  for (int j = 0; j < model.u_count; ++j) power += state.applied[j] * mean_u_[j];
  energy_.applied += h * power;
  add(h * loads_on_links(model), momentum_.applied);
}

// Generalized forces on joints that leave a body free come from the world; at_.tau has those of the rows.
void BalanceLedger::book_free_joints(const ModelData& model, double h, const State& state, const Workspace& work,
                                     const std::vector<double>& u_after) {
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    const Link& link = model.links[i];
    if (link.parent != 0 || link.kind != LinkKind::kFree) continue;
    Force<double> applied = Force<double>::zero(), other = Force<double>::zero();
    for (int j = link.u_index; j < link.u_index + 6; ++j) {
      const Motion<double> S =
          link.alone ? lone_column(link, at_.kinematics.X_WL[i], j - link.u_index) : at_.kinematics.S_W[j];
      const double given = h * state.applied[j];
      const double all = h * (work.tau[j] + at_.tau[j]) - work.diag[j] * (u_after[j] - state.u[j]);
      applied += Force<double>{given * S.w, given * S.v};
      other += Force<double>{(all - given) * S.w, (all - given) * S.v};
    }
    const Vec3<double>& p = at_.kinematics.X_WL[i].p;
    add({applied.n + cross(p, applied.f), applied.f}, momentum_.applied);
    add({other.n + cross(p, other.f), other.f}, momentum_.ground);
  }
}

void BalanceLedger::clear_loads() {
  std::fill(at_.external.begin(), at_.external.end(), Force<double>::zero());
  std::fill(at_.tau.begin(), at_.tau.end(), 0.0);
}

// About the world's origin, world axes; what bodies do to each other cancels.
Force<double> BalanceLedger::loads_on_links(const ModelData& model) const {
  Force<double> sum = Force<double>::zero();
  for (std::size_t i = 1; i < model.links.size(); ++i) sum += to_parent(at_.kinematics.X_WL[i], at_.external[i]);
  return sum;
}

double BalanceLedger::power_on_links(const ModelData& model) const {
  double power = 0;
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    const Mat3<double>& R = mean_.X_WL[i].R;
    power += dot(mean_.V_WL[i], Force<double>{R * at_.external[i].n, R * at_.external[i].f});
  }
  return power;
}

// The powers at a state, for a time `weight`; leaves the accelerations there in at_.du.
void BalanceLedger::book_power(const ModelData& model, double weight_h, State& state) {
  update_kinematics(model, state.q.data(), state.u.data(), at_.kinematics);
  mean_ = at_.kinematics;
  mean_u_ = state.u;
  evaluate_forces(model, state, 0, at_);
  at_.diag = model.armature;
  kernels().forward_dynamics(model.links.data(), static_cast<int>(model.links.size()), model.gravity, state.q.data(),
                             state.u.data(), at_.tau.data(), at_.diag.data(),
                             at_.has_external ? at_.external.data() : nullptr, at_.tree(), at_.du.data());
  book_forces(model, weight_h, state, state.u.data(), at_.actuator_control.data());
}

// The velocities between the ends follow Hermite's cubic, the positions half-way its integral.
void BalanceLedger::finish_smooth(const ModelData& model, const State& state) {
  const double h = state.t - t_;
  trial_ = state;
  book_power(model, h / 6, trial_);
  u_end_rate_ = at_.du;
  trial_.t = t_, trial_.q = q_, trial_.u = u_;
  book_power(model, h / 6, trial_);
  half_way_.resize(model.u_count);
  for (int j = 0; j < model.u_count; ++j) {
    const double a0 = at_.du[j], a1 = u_end_rate_[j];
    half_way_[j] = (13 * u_[j] + 3 * state.u[j]) / 32 + h * (11 * a0 - 5 * a1) / 192;
    trial_.u[j] = 0.5 * (u_[j] + state.u[j]) + h * (a0 - a1) / 8;
  }
  kernels().retract(model.links.data(), static_cast<int>(model.links.size()), q_.data(), h, half_way_.data(),
                    trial_.q.data());
  trial_.t = t_ + 0.5 * h;
  book_power(model, 4 * h / 6, trial_);
  finish(model, state);
}

void BalanceLedger::write(Workspace& work) const {
  std::vector<double>& terms = work.energy_terms;
  terms[kDampersTerm] = energy_.dampers;
  terms[kJointFrictionTerm] = energy_.joint_friction;
  terms[kContactFrictionTerm] = energy_.contact_friction;
  terms[kImpactsTerm] = energy_.impacts;
  terms[kDissipatedTerm] = energy_.dissipated();
  terms[kMotorsTerm] = energy_.motors;
  terms[kAppliedTerm] = energy_.applied;
  terms[kCommandsTerm] = energy_.commands;
  terms[kStabilizationTerm] = energy_.stabilization;
  terms[kEnergyResidualTerm] = energy_.residual();
  const Momentum impulses[kMomentumTermCount] = {momentum_.gravity, momentum_.applied, momentum_.ground,
                                                 momentum_.residual()};
  for (int i = 0; i < kMomentumTermCount; ++i)
    for (int k = 0; k < 3; ++k) {
      work.momentum_terms[6 * i + k] = impulses[i].linear[k];
      work.momentum_terms[6 * i + 3 + k] = impulses[i].angular[k];
    }
}

}  // namespace lipkin
