#include "lipkin/dynamics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "forces/actuators.hpp"
#include "forces/channel_values.hpp"
#include "forces/elements.hpp"
#include "forces/evaluate_forces.hpp"
#include "forces/tyre.hpp"
#include "model/eigen_convert.hpp"
#include "model/parameters.hpp"
#include "model/settings.hpp"
#include "sim/left_out.hpp"
#include "tree/coordinates.hpp"
#include "tree/dynamics_derivatives.hpp"
#include "tree/impulse_response.hpp"
#include "tree/inertia_matrix.hpp"
#include "tree/inverse_dynamics.hpp"
#include "tree/kernels.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

struct Dynamics::Impl {
  Impl(Model m, LoopTreatment treatment)
      : loops(treatment),
        model(std::move(m)),
        data(model.data()),
        count(static_cast<int>(data.links.size())),
        state(initial_state(model)),
        work(data),
        frames(data.links.size()),
        V(data.links.size()),
        a(data.links.size()),
        f(data.links.size()),
        composite(data.links.size()),
        zero(data.u_count, 0.0) {
    refresh();
  }

  void refresh() {
    update_kinematics(data, state.q.data(), state.u.data(), work.kinematics);
    update_dependent_coordinates(data, state.q.data(), work.kinematics, state.closure_q.data());
    update_joint_frames<double>(data.links.data(), count, state.q.data(), state.u.data(), frames.data());
  }

  const double* checked(std::span<const double> values, const char* what) const {
    if (values.empty()) return zero.data();
    if (static_cast<int>(values.size()) != data.u_count)
      throw InvalidArgument(
          fmt::format("{} has {} values; the model has {} velocities", what, values.size(), data.u_count));
    return values.data();
  }

  Eigen::VectorXd inverse(const double* du) {
    Eigen::VectorXd tau(data.u_count);
    lipkin::inverse_dynamics<double>(data.links.data(), count, data.gravity, frames.data(), state.u.data(), du,
                                     data.armature.data(), {V.data(), a.data(), f.data()}, tau.data());
    return tau;
  }

  Eigen::VectorXd forward(const double* tau, const Force<double>* external) {
    kernels().forward_dynamics(data.links.data(), count, data.gravity, state.q.data(), state.u.data(), tau,
                               data.armature.data(), external, work.tree(), work.du.data());
    return Eigen::Map<Eigen::VectorXd>(work.du.data(), data.u_count);
  }

  Eigen::VectorXd plain_accelerations(const double* tau) {
    if (data.added_inertia.empty()) return with_tendon_armature(forward(tau, nullptr));
    std::fill(work.external.begin(), work.external.end(), Force<double>::zero());
    unload_added_inertia(data, work);
    return with_tendon_armature(forward(tau, work.external.data()));
  }

  // The armature a of a tendon adds a J Jᵀ to M and a J (dJ/dt · u) to the bias, J the gradient of its length.
  struct TendonInertia {
    Eigen::MatrixXd J;         // a column per tendon with armature
    Eigen::VectorXd armature;  // per column
    Eigen::VectorXd bias;      // per column: how the rate changes at constant u [m/s^2]
  };

  TendonInertia tendon_inertia() {
    std::vector<const RowSpringData*> rotors;
    for (const RowSpringData& spring : data.row_springs)
      if (spring.dof.tendon >= 0 && spring.armature > 0) rotors.push_back(&spring);
    const auto n = static_cast<Eigen::Index>(rotors.size());
    TendonInertia t{Eigen::MatrixXd::Zero(data.u_count, n), Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
    for (Eigen::Index i = 0; i < n; ++i) {
      t.armature[i] = rotors[static_cast<std::size_t>(i)]->armature;
      const DofRef& dof = rotors[static_cast<std::size_t>(i)]->dof;
      for (int j = 0; j < data.u_count; ++j) t.J(j, i) = rate_of_unit(dof, j);
      if (rate_may_change(dof, data)) t.bias[i] = rate_change(dof);
    }
    return t;
  }

  double rate_of_unit(const DofRef& dof, int j) {
    std::vector<double> unit(zero);
    unit[j] = 1;
    KinematicsWork k(data);
    update_kinematics(data, state.q.data(), unit.data(), k);
    return coordinate_rate(dof, data, unit.data(), k);
  }

  double rate_change(const DofRef& dof) {
    double speed = 1;
    for (const double u : state.u) speed = std::max(speed, std::abs(u));
    KinematicsWork there(data);
    std::vector<double> q(state.q);
    return coordinate_rate_change(dof, data, state.q.data(), state.u.data(), 1e-5 / speed, q.data(), there);
  }

  // M du = f becomes (M + J A Jᵀ) du = f - J A b, by the factors of M (Woodbury).
  Eigen::VectorXd with_tendon_armature(const Eigen::VectorXd& du) {
    const TendonInertia t = tendon_inertia();
    if (t.armature.size() == 0) return du;
    const Eigen::MatrixXd X = solved(t.J);
    const Eigen::MatrixXd S = Eigen::MatrixXd(t.armature.cwiseInverse().asDiagonal()) + t.J.transpose() * X;
    return du - X * S.ldlt().solve(t.J.transpose() * du + t.bias);
  }

  // Springs and dampers of tendons, which a step takes as rows.
  void load_tendon_springs() {
    if (!work.has_external) std::fill(work.external.begin(), work.external.end(), Force<double>::zero());
    for (const RowSpringData& s : data.row_springs) {
      if (s.dof.tendon < 0) continue;
      update_kinematics(data, state.q.data(), state.u.data(), work.kinematics);
      work.has_external = true;
      const double length = coordinate_of(s.dof, data, state.q.data(), state.closure_q.data());
      const double rate = coordinate_rate(s.dof, data, state.u.data(), work.kinematics);
      load_tendon(data, s.dof.tendon, -s.stiffness * s.stretch(length) - s.damping * rate, work);
    }
  }

  RowMajor mass_matrix() {
    RowMajor M(data.u_count, data.u_count);
    inertia_matrix<double>(data.links.data(), count, frames.data(), data.armature.data(), composite.data(),
                           data.u_count, M.data());
    const TendonInertia t = tendon_inertia();
    if (t.armature.size() > 0) M += t.J * t.armature.asDiagonal() * t.J.transpose();
    return M;
  }

  Eigen::VectorXd bias() {
    const TendonInertia t = tendon_inertia();
    Eigen::VectorXd h = inverse(nullptr) + t.J * t.armature.cwiseProduct(t.bias);
    if (data.added_inertia.empty()) return h;
    std::fill(work.external.begin(), work.external.end(), Force<double>::zero());
    unload_added_inertia(data, work);
    for (int i = 1; i < count; ++i) add_link_force(h, i, -work.external[i]);
    return h;
  }

  // h += Jᵀ f for a force f on a link, in the link's frame.
  void add_link_force(Eigen::VectorXd& h, int link, const Force<double>& f_L) {
    const Transform<double>& X = work.kinematics.X_WL[link];
    const Force<double> f_W = {X.R * f_L.n, X.R * f_L.f};
    RowMajor J(6, data.u_count);
    link_jacobian(data, work.kinematics, link, X.p, J.data());
    Eigen::Matrix<double, 6, 1> wrench;
    for (int k = 0; k < 3; ++k) wrench[k] = f_W.n[k], wrench[3 + k] = f_W.f[k];
    h += J.transpose() * wrench;
  }

  // M⁻¹ B column by column with the factors of the last articulated-body pass: loses fewer digits than a factorisation
  // of M.
  Eigen::MatrixXd solved(Eigen::MatrixXd B) {
    Eigen::VectorXd r(data.u_count), x(data.u_count);
    for (Eigen::Index j = 0; j < B.cols(); ++j) {
      std::fill(f.begin(), f.end(), Force<double>::zero());
      lipkin::impulse_response<double>(data.links.data(), count, work.tree(), B.col(j).data(),
                                       {f.data(), V.data(), r.data()}, count - 1, data.u_count, x.data());
      B.col(j) = x;
    }
    return B;
  }

  const BodyData& body(int index) const {
    model.body_name(index);  // range check
    return data.bodies[index];
  }

  Transform<double> body_pose(int index) const { return work.kinematics.X_WL[body(index).link] * body(index).X_LB; }

  Eigen::MatrixXd jacobian(int index, const Vec3<double>& p_W) const {
    RowMajor J(6, data.u_count);
    link_jacobian(data, work.kinematics, body(index).link, p_W, J.data());
    return J;
  }

  // Takes the values that the edits of a state changed.
  void apply_edits(const std::vector<SettingEdit>& edits) {
    if (edits.empty() && !edited) return;
    ModelData values = model.data();
    const auto is_made = [&](const SettingEdit& edit) { return apply_in_place(values, edit); };
    if (!std::all_of(edits.begin(), edits.end(), is_made)) values = with_values(model, edits).data();
    data = std::move(values);
    edited = !edits.empty();
  }

  // The first loop of the model; empty: there is none.
  std::string loop() const {
    if (!data.closures.empty()) return fmt::format("loop '{}'", data.closures.front().name);
    for (const DistanceData& d : data.distances)
      if (d.lower == d.upper) return fmt::format("rod '{}'", d.name);
    return {};
  }

  void require_tree(const char* what) const {
    if (loops == LoopTreatment::kOpen || loop().empty()) return;
    throw InvalidArgument(
        fmt::format("{} of a model with closed loops ({}) would be those of its tree alone, as if nothing closed them; "
                    "run a simulation, or ask for open loops",
                    what, loop()));
  }

  // The force of a servo, within its range; what it does in a step follows from the end of that.
  void load_servo(const MotorData& motor, std::size_t index) {
    update_kinematics(data, state.q.data(), state.u.data(), work.kinematics);
    const double q = coordinate_of(motor.dof, data, state.q.data(), state.closure_q.data());
    const double rate = coordinate_rate(motor.dof, data, state.u.data(), work.kinematics);
    const SignalMotion target = acting_target(data, motor, state, 0, work);
    const bool holds_position = motor.kind == MotorKind::kPosition;
    const double aim = holds_position ? target.rate : target.value;
    const double spring = holds_position ? motor.stiffness * (target.value - q) : 0;
    const double effort = std::clamp(signal_value(data, state, work, motor.effort), 0.0, 1.0);
    const double high = motor.max_force * effort;
    const double low = std::isnan(motor.min_force) ? -high : motor.min_force * effort;
    const double force = std::clamp(spring + motor.damping * (aim - rate), low, high);
    work.motor_force[index] = force;
    if (motor.dof.tendon >= 0) {
      if (!work.has_external) std::fill(work.external.begin(), work.external.end(), Force<double>::zero());
      work.has_external = true;
      load_tendon(data, motor.dof.tendon, force, work);
    } else {
      work.tau[motor.dof.u_index] += force;
    }
  }

  void load_servos() {
    for (std::size_t i = 0; i < data.motors.size(); ++i)
      if (data.motors[i].servo && (data.motors[i].dof.tendon >= 0 || data.motors[i].dof.is_in_tree()))
        load_servo(data.motors[i], i);
  }

  LoopTreatment loops;
  Model model;
  ModelData data;  // the model's with the edits of the state
  bool edited = false;
  int count;
  State state;
  Workspace work;
  std::vector<JointFrame<double>> frames;
  std::vector<Motion<double>> V, a;
  std::vector<Force<double>> f;
  std::vector<Inertia6<double>> composite;
  std::vector<double> zero;
};

Dynamics::Dynamics(Model model, LoopTreatment loops) : impl_(std::make_unique<Impl>(std::move(model), loops)) {}
Dynamics::~Dynamics() = default;
Dynamics::Dynamics(Dynamics&&) noexcept = default;
Dynamics& Dynamics::operator=(Dynamics&&) noexcept = default;

const Model& Dynamics::model() const { return impl_->model; }

void Dynamics::set(const State& state) {
  Impl& d = *impl_;
  const bool bodies_fit = std::all_of(state.pushes.begin(), state.pushes.end(), [&](const ActivePush& push) {
    return push.body >= 0 && push.body < model().body_count();
  });
  if (state.control.size() != d.data.controls.size() || state.applied.size() != d.zero.size() ||
      state.closure_q.size() != d.state.closure_q.size() || !bodies_fit)
    throw InvalidArgument("the state belongs to another model");
  d.apply_edits(state.edits);
  if (static_cast<int>(state.q.size()) != d.data.q_count || static_cast<int>(state.u.size()) != d.data.u_count)
    set(state.q, state.u);  // says what is wrong
  d.state = state;          // with the turns of angles
  d.refresh();
}

void Dynamics::set(std::span<const double> q, std::span<const double> u) {
  Impl& d = *impl_;
  if (static_cast<int>(q.size()) != d.data.q_count || static_cast<int>(u.size()) != d.data.u_count)
    throw InvalidArgument(fmt::format("state of {} coordinates and {} velocities; the model has {} and {}", q.size(),
                                      u.size(), d.data.q_count, d.data.u_count));
  std::copy(q.begin(), q.end(), d.state.q.begin());
  std::copy(u.begin(), u.end(), d.state.u.begin());
  d.refresh();
}

Eigen::MatrixXd Dynamics::mass_matrix() {
  impl_->require_tree("inertias");
  return impl_->mass_matrix();
}

Eigen::VectorXd Dynamics::bias() {
  impl_->require_tree("forces");
  return impl_->bias();
}

Eigen::VectorXd Dynamics::inverse_dynamics(std::span<const double> a) {
  Impl& d = *impl_;
  d.require_tree("forces");
  const double* du = d.checked(a, "the accelerations");
  const Impl::TendonInertia t = d.tendon_inertia();
  const Eigen::Map<const Eigen::VectorXd> acceleration(du, d.data.u_count);
  return d.inverse(du) + (d.bias() - d.inverse(nullptr)) +
         t.J * t.armature.cwiseProduct(t.J.transpose() * acceleration);
}

Eigen::VectorXd Dynamics::accelerations(std::span<const double> tau) {
  impl_->require_tree("accelerations");
  return impl_->plain_accelerations(impl_->checked(tau, "tau"));
}

Eigen::VectorXd Dynamics::accelerations_full(std::span<const double> tau) {
  Impl& d = *impl_;
  d.require_tree("accelerations");
  const double* extra = d.checked(tau, "tau");
  evaluate_forces(d.data, d.state, 0, d.work);
  d.load_tendon_springs();
  d.load_servos();
  for (int j = 0; j < d.data.u_count; ++j) d.work.tau[j] += extra[j];
  return d.with_tendon_armature(d.forward(d.work.tau.data(), d.work.has_external ? d.work.external.data() : nullptr));
}

std::vector<std::string> Dynamics::left_out() const { return parts_held_by_rows(impl_->data, false); }

AccelerationDerivatives Dynamics::acceleration_derivatives(std::span<const double> tau) {
  Impl& d = *impl_;
  d.require_tree("derivatives of accelerations");
  if (d.tendon_inertia().armature.size() > 0)
    throw InvalidArgument("derivatives of accelerations are not known where a tendon has an armature");
  const Eigen::VectorXd du = accelerations(tau);
  const InverseDynamicsDerivatives inverse =
      inverse_dynamics_derivatives(d.data, d.state.q.data(), d.state.u.data(), du.data());
  const int n = d.data.u_count;
  return {d.solved(-Eigen::Map<const RowMajor>(inverse.by_q.data(), n, n)),
          d.solved(-Eigen::Map<const RowMajor>(inverse.by_u.data(), n, n)), d.solved(Eigen::MatrixXd::Identity(n, n))};
}

Energy Dynamics::energy() {
  Impl& d = *impl_;
  return {kinetic_energy(d.data, d.work.kinematics, d.state.u.data()), gravitational_energy(d.data, d.work.kinematics),
          elastic_energy(d.data, d.state.q.data(), d.state.closure_q.data(), d.work.kinematics) +
              tyre_energy(d.data, d.work.kinematics, d.state.memory.data())};
}

Momentum Dynamics::momentum() {
  const Force<double> total = total_momentum(impl_->data, impl_->work.kinematics);
  return {to_eigen(total.f), to_eigen(total.n)};
}

Eigen::Vector3d Dynamics::center_of_mass() {
  return to_eigen(lipkin::center_of_mass(impl_->data, impl_->work.kinematics));
}

BodyMotion Dynamics::body_motion(int body) {
  const Transform<double> X = impl_->body_pose(body);
  const int link = impl_->body(body).link;
  const KinematicsWork& k = impl_->work.kinematics;
  return {to_eigen(X), to_eigen(point_velocity(k, link, X.p)), to_eigen(k.V_WL[link].w)};
}

Eigen::MatrixXd Dynamics::body_jacobian(int body) { return impl_->jacobian(body, impl_->body_pose(body).p); }

Eigen::MatrixXd Dynamics::point_jacobian(int body, const Eigen::Vector3d& position) {
  return impl_->jacobian(body, impl_->body_pose(body) * from_eigen(position)).bottomRows(3);
}

Eigen::VectorXd Dynamics::impulse_response(int body, const Eigen::Vector3d& position, const Eigen::Vector3d& impulse,
                                           const Eigen::Vector3d& angular_impulse) {
  Impl& d = *impl_;
  d.require_tree("responses to impulses");
  d.forward(d.zero.data(), nullptr);  // the factors
  const int link = d.body(body).link;
  Eigen::VectorXd du = Eigen::VectorXd::Zero(d.data.u_count);
  if (link == 0) return du;
  const Transform<double>& X = d.work.kinematics.X_WL[link];
  const Vec3<double> p = d.body_pose(body) * from_eigen(position), force = from_eigen(impulse);
  const Vec3<double> moment = from_eigen(angular_impulse) + cross(p - X.p, force);
  std::fill(d.f.begin(), d.f.end(), Force<double>::zero());
  d.f[link] = -Force<double>{transpose_times(X.R, moment), transpose_times(X.R, force)};
  std::vector<double> r(d.data.u_count);
  lipkin::impulse_response<double>(d.data.links.data(), d.count, d.work.tree(), nullptr,
                                   {d.f.data(), d.V.data(), r.data()}, link, d.data.u_count, du.data());
  return du;
}

double Dynamics::variable(std::string_view name) {
  Impl& d = *impl_;
  const Channel channel = find_channel(d.data, name);
  if (need_of(channel) == ChannelNeed::kReactions)
    throw InvalidArgument(fmt::format("'{}' is known in a simulation only: it depends on the steps before", name));
  if (need_of(channel) == ChannelNeed::kDynamics) accelerations_full();
  return channel_value(d.data, d.state, d.work, channel);
}

}  // namespace lipkin
