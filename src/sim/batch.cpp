// Copies are grouped in blocks of as many as a SIMD register holds; a block's values lie side by side
// (tree/kernels.hpp) and each thread works on its own blocks with its own scratch. The last block is filled up with
// idle copies. Models that lanes cannot take are stepped by a Simulation per thread, which the states of the copies go
// through in turn.
#include "lipkin/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "exec/thread_pool.hpp"
#include "forces/elements.hpp"
#include "forces/evaluate_forces.hpp"
#include "lipkin/simulation.hpp"
#include "lipkin/state.hpp"
#include "sim/left_out.hpp"
#include "tree/kernels.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

// Scratch of one thread.
struct BatchScratch {
  BatchScratch(const Model& model, const TreeKernels& kernel)
      : links(model.data().links.size() * kernel.link_work_bytes),
        multi(model.data().multi_count * kernel.multi_work_bytes),
        tau(static_cast<std::size_t>(model.u_count() * kernel.lanes)),
        external(model.data().links.size() * 6 * static_cast<std::size_t>(kernel.lanes)),
        state(initial_state(model)),
        work(model.data()) {}

  AlignedArray<unsigned char> links, multi;
  AlignedArray<double> tau, external;
  State state;  // one lane's, for forces that are not joint dampers
  Workspace work;
};

// What went wrong in a part of the copies; the lowest one is told.
struct BatchFailure {
  int copy = -1;
  std::string message;
  bool is_input = false;  // before anything was stepped

  void take(int which, std::string what, bool before) {
    if (copy < 0 || which < copy) *this = {which, std::move(what), before};
  }
};

namespace {

std::vector<std::string> reasons_against_lanes(const ModelData& model) {
  std::vector<std::string> all = parts_held_by_rows(model, true);
  const auto add = [&](std::size_t count, const char* one, const char* many) {
    if (count > 0) all.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
  };
  const auto is_active = [](const auto& item) { return item.activation.kind != ActivationKind::kNone; };
  const auto active = std::count_if(model.actuators.begin(), model.actuators.end(), is_active) +
                      std::count_if(model.motors.begin(), model.motors.end(), is_active);
  add(model.tyres.size(), "tyre", "tyres");
  add(model.controllers.size(), "controller", "controllers");
  add(static_cast<std::size_t>(active), "activation", "activations");
  add(model.lone_links.size(), "body that spins freely", "bodies that spin freely");
  if (all.empty() && model.memory_count > 0) all.emplace_back("parts with a memory");
  return all;
}

// Fixed steps of `euler` in the joints' own coordinates.
Scene as_batch(Scene scene) {
  Experiment& e = scene.experiment;
  if (!e.commands.empty())
    throw InvalidArgument(fmt::format(
        "the scene has {} timed commands, which a batch does not carry out; give its model alone, or a scene "
        "without them",
        e.commands.size()));
  const ModelData& data = scene.model.data();
  if (!data.massless_joints.empty()) {
    const JointData& joint = data.joints[data.massless_joints[0]];
    throw InvalidArgument(
        fmt::format("joint '{}' carries '{}', which has no inertia about it: the model cannot be stepped", joint.name,
                    data.bodies[joint.child].name));
  }
  e.stepper = StepperKind::kEuler;
  e.step = StepKind::kFixed;
  e.coordinates = CoordinateKind::kGeneralized;
  return scene;
}

void check_step(double dt) {
  if (!(std::isfinite(dt) && dt > 0)) throw InvalidArgument(fmt::format("dt is {} s; expected a number > 0", dt));
}

}  // namespace

struct Batch::Impl {
  Impl(Scene given, int copies, int threads)
      : scene(as_batch(std::move(given))),
        model(scene.model),
        data(model.data()),
        kernel(kernels()),
        lanes(kernel.lanes),
        copy_count(copies),
        blocks((copies + lanes - 1) / lanes),
        q(size_of(data.q_count)),
        u(size_of(data.u_count)),
        tau(size_of(data.u_count)),
        du(size_of(data.u_count)),
        q_before(size_of(data.q_count)),
        u_before(size_of(data.u_count)),
        diag(data.armature),
        dt(scene.experiment.dt),
        reasons(reasons_against_lanes(data)),
        pool(std::max(
            1, std::min(threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency()), blocks))) {
    check_step(dt);
    for (int i = 0; i < pool.thread_count(); ++i) scratch.emplace_back(model, kernel);
    failures.resize(static_cast<std::size_t>(pool.thread_count()));
    std::vector<double> first_q = data.initial_q, first_u = data.initial_u;
    if (!reasons.empty()) {
      for (int i = 0; i < pool.thread_count(); ++i) simulations.push_back(std::make_unique<Simulation>(scene));
      states.assign(static_cast<std::size_t>(copies), simulations[0]->state());
      states_before = states;
      first_q = states[0].q, first_u = states[0].u;  // loops are closed there
    }
    for (int copy = 0; copy < blocks * lanes; ++copy) {
      for (int k = 0; k < data.q_count; ++k) q[place(copy, k, data.q_count)] = first_q[k];
      for (int k = 0; k < data.u_count; ++k) {
        u[place(copy, k, data.u_count)] = first_u[k];
        tau[place(copy, k, data.u_count)] = du[place(copy, k, data.u_count)] = 0;
      }
    }
    only_dampers = data.springs.empty() && data.bushings.empty() && data.body_forces.empty() &&
                   data.actuators.empty() && data.tyres.empty() && data.added_inertia.empty() &&
                   !data.has_joint_springs;
  }

  std::size_t size_of(int per_copy) const { return static_cast<std::size_t>(per_copy) * lanes * blocks; }

  std::size_t place(int copy, int index, int per_copy) const {
    return (static_cast<std::size_t>(copy / lanes) * per_copy + index) * lanes + copy % lanes;
  }

  std::span<double> all(AlignedArray<double>& values, int per_copy) const { return {values.data(), size_of(per_copy)}; }

  double* block(AlignedArray<double>& values, int b, int per_copy) const {
    return values.data() + static_cast<std::size_t>(b) * per_copy * lanes;
  }

  int checked(int copy, int index, int per_copy) const {
    if (copy < 0 || copy >= copy_count)
      throw InvalidArgument(fmt::format("copy {} is out of range; the batch has {}", copy, copy_count));
    if (index < 0 || index >= per_copy)
      throw InvalidArgument(fmt::format("index {} is out of range; there are {}", index, per_copy));
    return copy;
  }

  void set(AlignedArray<double>& to, int copy, std::span<const double> values, int per_copy, const char* what) {
    if (static_cast<int>(values.size()) != per_copy)
      throw InvalidArgument(fmt::format("{} has {} values; the model has {}", what, values.size(), per_copy));
    for (int k = 0; k < per_copy; ++k) to[place(checked(copy, k, per_copy), k, per_copy)] = values[k];
  }

  void accelerate(BatchScratch& s, int b, const double* forces, const double* external) {
    kernel.batch_forward_dynamics(data.links.data(), static_cast<int>(data.links.size()), data.gravity,
                                  block(q, b, data.q_count), block(u, b, data.u_count), forces, diag.data(), external,
                                  s.links.data(), s.multi.data(), block(du, b, data.u_count));
  }

  // Joint dampers alone stay in the lanes; any other force is evaluated copy by copy.
  const double* gather_forces(BatchScratch& s, int b, double t) {
    const double* applied = block(tau, b, data.u_count);
    const double* rates = block(u, b, data.u_count);
    if (only_dampers) {
      for (int k = 0; k < data.u_count; ++k)
        for (int l = 0; l < lanes; ++l)
          s.tau[k * lanes + l] = applied[k * lanes + l] - data.damping[k] * rates[k * lanes + l];
      return nullptr;
    }
    for (int l = 0; l < lanes; ++l) gather_lane(s, b, l, t);
    return s.work.has_external ? s.external.data() : nullptr;
  }

  void take_lane(BatchScratch& s, int b, int l, double t) {
    s.state.t = t;
    for (int k = 0; k < data.q_count; ++k) s.state.q[k] = block(q, b, data.q_count)[k * lanes + l];
    for (int k = 0; k < data.u_count; ++k) {
      s.state.u[k] = block(u, b, data.u_count)[k * lanes + l];
      s.state.applied[k] = block(tau, b, data.u_count)[k * lanes + l];
    }
  }

  void put_external(BatchScratch& s, int l) const {
    for (std::size_t i = 0; i < data.links.size(); ++i) {
      const Force<double>& f = s.work.external[i];
      for (int k = 0; k < 3; ++k) {
        s.external[(6 * i + k) * lanes + l] = f.n[k];
        s.external[(6 * i + 3 + k) * lanes + l] = f.f[k];
      }
    }
  }

  void gather_lane(BatchScratch& s, int b, int l, double t) {
    take_lane(s, b, l, t);
    evaluate_forces(data, s.state, dt, s.work);
    for (int k = 0; k < data.u_count; ++k) s.tau[k * lanes + l] = s.work.tau[k];
    if (s.work.has_external) put_external(s, l);
  }

  // Added inertia does not weigh.
  const double* gather_unloading(BatchScratch& s, int b) {
    if (data.added_inertia.empty()) return nullptr;
    for (int l = 0; l < lanes; ++l) {
      take_lane(s, b, l, time);
      update_kinematics(data, s.state.q.data(), s.state.u.data(), s.work.kinematics);
      std::fill(s.work.external.begin(), s.work.external.end(), Force<double>::zero());
      unload_added_inertia(data, s.work);
      put_external(s, l);
    }
    return s.external.data();
  }

  void forward_dynamics() {
    if (!data.closures.empty())
      throw InvalidArgument(
          fmt::format("accelerations of a model with closed loops (loop '{}') would be those of its "
                      "tree alone, as if nothing closed them; step it instead",
                      data.closures.front().name));
    for (const RowSpringData& spring : data.row_springs)
      if (spring.armature > 0)
        throw InvalidArgument(
            "accelerations of copies are not known where a tendon has an armature; step them instead");
    for (int j = 0; j < data.u_count; ++j) diag[j] = data.armature[j];
    work([this](int thread, int begin, int end) {
      BatchScratch& s = scratch[thread];
      for (int b = begin; b < end; ++b) {
        if (!inputs_are_finite(thread, b)) continue;
        accelerate(s, b, block(tau, b, data.u_count), gather_unloading(s, b));
        if (const int lane = lane_that_is_not_finite(du, b, data.u_count); lane >= 0)
          failures[thread].take(b * lanes + lane, fmt::format("at t = {:.9g} s {}", time, du_mistake(b, lane)), false);
      }
    });
    throw_failure();
  }

  // ---- what is not finite ----

  // A lane with a copy whose values in the block are not all finite; -1: none.
  int lane_that_is_not_finite(AlignedArray<double>& values, int b, int per_copy) const {
    const double* first = block(values, b, per_copy);
    double check = 0;  // one NaN or infinity spoils 0 * x
    for (int i = 0; i < per_copy * lanes; ++i) check += 0 * first[i];
    if (check == 0) return -1;
    for (int l = 0; l < lanes && b * lanes + l < copy_count; ++l)
      for (int k = 0; k < per_copy; ++k)
        if (!std::isfinite(first[k * lanes + l])) return l;
    return -1;  // an idle one
  }

  bool inputs_are_finite(int thread, int b) {
    struct Input {
      AlignedArray<double>& values;
      int per_copy;
      const char* name;
    };
    for (const Input& input :
         {Input{q, data.q_count, "q"}, Input{u, data.u_count, "u"}, Input{tau, data.u_count, "tau"}}) {
      const int lane = lane_that_is_not_finite(input.values, b, input.per_copy);
      if (lane < 0) continue;
      int k = 0;
      while (std::isfinite(block(input.values, b, input.per_copy)[k * lanes + lane])) ++k;
      failures[thread].take(b * lanes + lane, fmt::format("{}[{}] is not a finite number", input.name, k), true);
      return false;
    }
    return true;
  }

  std::string du_mistake(int b, int lane) const {
    const double* values = du.data() + static_cast<std::size_t>(b) * data.u_count * lanes;
    for (const JointData& joint : data.joints)
      for (int k = 0; joint.link >= 0 && k < u_count(joint.type); ++k)
        if (!std::isfinite(values[(joint.u_index + k) * lanes + lane]))
          return fmt::format("the acceleration of joint '{}' (body '{}') stops being finite", joint.name,
                             data.bodies[joint.child].name);
    return "the state stops being finite";
  }

  void throw_failure() {
    BatchFailure worst;
    for (BatchFailure& each : failures) {
      if (each.copy >= 0) worst.take(each.copy, std::move(each.message), each.is_input);
      each = {};
    }
    if (worst.copy < 0) return;
    const std::string text = fmt::format("copy {}: {}", worst.copy, worst.message);
    if (worst.is_input) throw InvalidArgument(text);
    throw SimulationError(text);
  }

  bool has_failed() const {
    return std::any_of(failures.begin(), failures.end(), [](const BatchFailure& each) { return each.copy >= 0; });
  }

  // ---- steps ----

  template <class Part>
  void work(const Part& part) {
    pool.parallel_for(blocks, part);
  }

  void keep(int b) {
    const auto copy = [&](AlignedArray<double>& from, AlignedArray<double>& to, int per_copy) {
      std::copy_n(block(from, b, per_copy), per_copy * lanes, block(to, b, per_copy));
    };
    copy(q, q_before, data.q_count);
    copy(u, u_before, data.u_count);
  }

  void step(int count) {
    if (simulations.empty())
      step_in_lanes(count);
    else
      step_by_copy(count);
    if (has_failed()) {
      std::copy_n(q_before.data(), size_of(data.q_count), q.data());
      std::copy_n(u_before.data(), size_of(data.u_count), u.data());
      std::swap(states, states_before);
    } else {
      time = after(count);
    }
    throw_failure();
  }

  // Multiples of the step where they lie on them, as those of a Simulation.
  double after(int count) const {
    constexpr double kSlack = 1e-6;  // of a step
    const double end = time + count * dt, multiple = std::round(end / dt) * dt;
    return std::abs(end - multiple) <= kSlack * dt ? multiple : end;
  }

  void step_in_lanes(int count) {
    for (int j = 0; j < data.u_count; ++j) diag[j] = data.armature[j] + dt * (data.damping[j] + dt * data.stiffness[j]);
    work([this, count](int thread, int begin, int end) {
      for (int b = begin; b < end; ++b) {
        keep(b);
        if (!inputs_are_finite(thread, b)) continue;
        for (int n = 0; n < count; ++n) step_block(thread, b, time + n * dt);
        const int lane =
            std::max(lane_that_is_not_finite(u, b, data.u_count), lane_that_is_not_finite(q, b, data.q_count));
        if (lane >= 0) find_failure(thread, b, lane, count);
      }
    });
  }

  void step_block(int thread, int b, double t) {
    BatchScratch& s = scratch[thread];
    const double* external = gather_forces(s, b, t);
    accelerate(s, b, s.tau.data(), external);
    kernel.batch_advance(data.links.data(), static_cast<int>(data.links.size()), data.u_count, dt,
                         block(du, b, data.u_count), block(u, b, data.u_count), block(q, b, data.q_count));
  }

  // The same steps again, with a look after each.
  void find_failure(int thread, int b, int lane, int count) {
    std::copy_n(block(q_before, b, data.q_count), data.q_count * lanes, block(q, b, data.q_count));
    std::copy_n(block(u_before, b, data.u_count), data.u_count * lanes, block(u, b, data.u_count));
    int n = 0, found = -1;
    for (; n < count && found < 0; ++n) {
      step_block(thread, b, time + n * dt);
      found = std::max(lane_that_is_not_finite(u, b, data.u_count), lane_that_is_not_finite(q, b, data.q_count));
    }
    if (found < 0) found = lane;
    failures[thread].take(
        b * lanes + found,
        fmt::format("at t = {:.9g} s {}; try a smaller step, or look for forces that grow without bound",
                    time + (n - 1) * dt, du_mistake(b, found)),
        false);
  }

  void step_by_copy(int count) {
    work([this, count](int thread, int begin, int end) {
      for (int b = begin; b < end; ++b) {
        keep(b);
        const int first = b * lanes, last = std::min(first + lanes, copy_count);
        std::copy(states.begin() + first, states.begin() + last, states_before.begin() + first);
        if (!inputs_are_finite(thread, b)) continue;
        for (int copy = first; copy < last; ++copy) {
          try {
            step_copy(*simulations[thread], copy, count);
          } catch (const Error& error) {
            failures[thread].take(copy, error.what(), false);
          }
        }
      }
    });
  }

  void step_copy(Simulation& simulation, int copy, int count) {
    State& state = states[copy];
    put_in(state, copy);
    simulation.exchange(state);
    try {
      simulation.state_written();
      for (int n = 0; n < count; ++n) {
        if (n + 1 == count) take_rates(simulation.state(), copy, -1 / dt);
        simulation.step();
      }
    } catch (...) {
      simulation.exchange(state);
      throw;
    }
    simulation.exchange(state);
    take_rates(state, copy, 1 / dt);
    for (int k = 0; k < data.q_count; ++k) q[place(copy, k, data.q_count)] = state.q[k];
    for (int k = 0; k < data.u_count; ++k) u[place(copy, k, data.u_count)] = state.u[k];
  }

  void put_in(State& state, int copy) {
    for (int k = 0; k < data.q_count; ++k) state.q[k] = q[place(copy, k, data.q_count)];
    for (int k = 0; k < data.u_count; ++k) {
      state.u[k] = u[place(copy, k, data.u_count)];
      state.applied[k] = tau[place(copy, k, data.u_count)];
    }
  }

  // The acceleration of a step is what the velocity gained per time: less what it was before, plus what it is.
  void take_rates(const State& state, int copy, double factor) {
    for (int k = 0; k < data.u_count; ++k) {
      double& rate = du[place(copy, k, data.u_count)];
      rate = (factor < 0 ? 0 : rate) + factor * state.u[k];
    }
  }

  Scene scene;
  Model model;
  const ModelData& data;
  const TreeKernels& kernel;
  int lanes;
  int copy_count;
  int blocks;
  double time = 0;
  AlignedArray<double> q, u, tau, du;
  AlignedArray<double> q_before, u_before;  // where the last call of step() began
  std::vector<double> diag;
  double dt;
  std::vector<std::string> reasons;  // against lanes
  bool only_dampers = true;
  ThreadPool pool;
  std::vector<BatchScratch> scratch;
  std::vector<BatchFailure> failures;                    // per thread
  std::vector<std::unique_ptr<Simulation>> simulations;  // per thread, where copies advance one by one
  std::vector<State> states, states_before;              // per copy, likewise
};

Batch::Batch(Model model, int copy_count, int threads)
    : Batch(Scene{model.name(), {}, std::move(model), {}, {}}, copy_count, threads) {}

Batch::Batch(Scene scene, int copy_count, int threads) {
  if (copy_count < 1) throw InvalidArgument(fmt::format("a batch of {} copies; expected at least 1", copy_count));
  impl_ = std::make_unique<Impl>(std::move(scene), copy_count, threads);
}
Batch::~Batch() = default;
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;

const Model& Batch::model() const { return impl_->model; }
int Batch::copy_count() const { return impl_->copy_count; }
int Batch::lane_count() const { return impl_->lanes; }
int Batch::thread_count() const { return impl_->pool.thread_count(); }
const std::vector<std::string>& Batch::kept_out_of_lanes() const { return impl_->reasons; }
double Batch::dt() const { return impl_->dt; }

void Batch::set_dt(double dt) {
  check_step(dt);
  impl_->dt = dt;
  for (const std::unique_ptr<Simulation>& simulation : impl_->simulations) simulation->set_dt(dt);
}

double Batch::time() const { return impl_->time; }

void Batch::set_time(double t) {
  if (!std::isfinite(t)) throw InvalidArgument(fmt::format("the time is {} s; expected a finite number", t));
  impl_->time = t;
  for (State& state : impl_->states) state.t = t;
}

double Batch::q(int copy, int index) const {
  const int n = impl_->data.q_count;
  return impl_->q[impl_->place(impl_->checked(copy, index, n), index, n)];
}

double Batch::u(int copy, int index) const {
  const int n = impl_->data.u_count;
  return impl_->u[impl_->place(impl_->checked(copy, index, n), index, n)];
}

double Batch::acceleration(int copy, int index) const {
  const int n = impl_->data.u_count;
  return impl_->du[impl_->place(impl_->checked(copy, index, n), index, n)];
}

void Batch::set_q(int copy, std::span<const double> q) { impl_->set(impl_->q, copy, q, impl_->data.q_count, "q"); }
void Batch::set_u(int copy, std::span<const double> u) { impl_->set(impl_->u, copy, u, impl_->data.u_count, "u"); }
void Batch::set_tau(int copy, std::span<const double> tau) {
  impl_->set(impl_->tau, copy, tau, impl_->data.u_count, "tau");
}

std::span<double> Batch::q_lanes() { return impl_->all(impl_->q, impl_->data.q_count); }
std::span<double> Batch::u_lanes() { return impl_->all(impl_->u, impl_->data.u_count); }
std::span<double> Batch::tau_lanes() { return impl_->all(impl_->tau, impl_->data.u_count); }
std::span<const double> Batch::acceleration_lanes() const { return impl_->all(impl_->du, impl_->data.u_count); }

void Batch::forward_dynamics() { impl_->forward_dynamics(); }

void Batch::step(int count) {
  if (count < 0) throw InvalidArgument(fmt::format("{} steps: expected a number not below 0", count));
  if (count > 0) impl_->step(count);
}

}  // namespace lipkin
