// Copies are grouped in blocks of as many as a SIMD register holds; a block's values lie side by side
// (tree/kernels.hpp) and each thread works on its own blocks with its own scratch. The last block is filled up with
// idle copies.
#include "lipkin/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "assembly/constraints.hpp"
#include "exec/thread_pool.hpp"
#include "forces/elements.hpp"
#include "forces/evaluate_forces.hpp"
#include "lipkin/state.hpp"
#include "tree/kernels.hpp"
#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

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

}  // namespace

struct Batch::Impl {
  Impl(Model m, int copies, int threads)
      : model(std::move(m)),
        data(model.data()),
        kernel(kernels()),
        lanes(kernel.lanes),
        copy_count(copies),
        blocks((copies + lanes - 1) / lanes),
        q(size_of(data.q_count)),
        u(size_of(data.u_count)),
        tau(size_of(data.u_count)),
        du(size_of(data.u_count)),
        diag(data.armature),
        pool(std::max(
            1, std::min(threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency()), blocks))) {
    for (int i = 0; i < pool.thread_count(); ++i) scratch.emplace_back(model, kernel);
    for (int copy = 0; copy < blocks * lanes; ++copy) {
      for (int k = 0; k < data.q_count; ++k) q[place(copy, k, data.q_count)] = data.initial_q[k];
      for (int k = 0; k < data.u_count; ++k) {
        u[place(copy, k, data.u_count)] = data.initial_u[k];
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
  const double* gather_forces(BatchScratch& s, int b, double t, double dt) {
    const double* applied = block(tau, b, data.u_count);
    const double* rates = block(u, b, data.u_count);
    if (only_dampers) {
      for (int k = 0; k < data.u_count; ++k)
        for (int l = 0; l < lanes; ++l)
          s.tau[k * lanes + l] = applied[k * lanes + l] - data.damping[k] * rates[k * lanes + l];
      return nullptr;
    }
    for (int l = 0; l < lanes; ++l) gather_lane(s, b, l, t, dt);
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

  void gather_lane(BatchScratch& s, int b, int l, double t, double dt) {
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
    for (int j = 0; j < data.u_count; ++j) diag[j] = data.armature[j];
    pool.parallel_for(blocks, [this](int thread, int begin, int end) {
      BatchScratch& s = scratch[thread];
      for (int b = begin; b < end; ++b) accelerate(s, b, block(tau, b, data.u_count), gather_unloading(s, b));
    });
  }

  void step(double dt, int count) {
    for (int j = 0; j < data.u_count; ++j) diag[j] = data.armature[j] + dt * (data.damping[j] + dt * data.stiffness[j]);
    const auto advance = [this, dt, count](int thread, int begin, int end) {
      BatchScratch& s = scratch[thread];
      for (int b = begin; b < end; ++b) {
        for (int n = 0; n < count; ++n) {
          const double* external = gather_forces(s, b, time + n * dt, dt);
          accelerate(s, b, s.tau.data(), external);
          kernel.batch_advance(data.links.data(), static_cast<int>(data.links.size()), data.u_count, dt,
                               block(du, b, data.u_count), block(u, b, data.u_count), block(q, b, data.q_count));
        }
      }
    };
    pool.parallel_for(blocks, advance);
    time += count * dt;
  }

  Model model;
  const ModelData& data;
  const TreeKernels& kernel;
  int lanes;
  int copy_count;
  int blocks;
  double time = 0;
  AlignedArray<double> q, u, tau, du;
  std::vector<double> diag;
  bool only_dampers = true;
  ThreadPool pool;
  std::vector<BatchScratch> scratch;
};

Batch::Batch(Model model, int copy_count, int threads) {
  if (!Constraints(model.data()).empty())
    throw InvalidArgument("a batch takes trees alone; the model has loops, limits, friction, motors or contacts");
  if (model.data().memory_count > 0) throw InvalidArgument("a batch takes no tyres, controllers and activations");
  if (copy_count < 1) throw InvalidArgument(fmt::format("a batch of {} copies; expected at least 1", copy_count));
  impl_ = std::make_unique<Impl>(std::move(model), copy_count, threads);
}
Batch::~Batch() = default;
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;

const Model& Batch::model() const { return impl_->model; }
int Batch::copy_count() const { return impl_->copy_count; }
int Batch::lane_count() const { return impl_->lanes; }
int Batch::thread_count() const { return impl_->pool.thread_count(); }
double Batch::time() const { return impl_->time; }
void Batch::set_time(double t) { impl_->time = t; }

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

void Batch::step(double dt, int count) {
  if (!(dt > 0)) throw InvalidArgument(fmt::format("dt is {} s; expected a number > 0", dt));
  impl_->step(dt, count);
}

}  // namespace lipkin
