#include <pybind11/stl.h>

#include <memory>
#include <thread>

#include "arrays.hpp"
#include "bindings.hpp"
#include "lipkin/batch.hpp"
#include "lipkin/error.hpp"
#include "runner.hpp"
#include "scene_options.hpp"
#include "whole_objects.hpp"

namespace lipkin::python {
namespace {

// Behind lipkin.Batch. Arrays keep the batch; one thread at a time may step it.
class PyBatch {
 public:
  PyBatch(const LoadedScene& loaded, int copies, int threads)
      : batch_(std::make_shared<Batch>(loaded.scene, copies, threads)) {}
  PyBatch(const Model& model, int copies, int threads) : batch_(std::make_shared<Batch>(model, copies, threads)) {}

  Batch& batch() {
    if (stepping_) throw InvalidArgument("another thread steps this batch; wait for it, or give each thread its own");
    return *batch_;
  }

  template <class Work>
  void without_lock(const Work& work) {
    Batch& all = batch();
    stepping_ = true;
    try {
      const py::gil_scoped_release others_run;
      work(all);
    } catch (...) {
      stepping_ = false;
      throw;
    }
    stepping_ = false;
  }

  // (blocks, lanes, values of a copy), as they lie in memory.
  py::array lanes(std::span<double> values, int per_copy) {
    const py::ssize_t lane_count = batch_->lane_count(), n = per_copy, size = sizeof(double);
    const py::ssize_t blocks = (batch_->copy_count() + lane_count - 1) / lane_count;
    return py::array(py::dtype::of<double>(), {blocks, lane_count, n}, {n * lane_count * size, size, lane_count * size},
                     values.data(), keeper(batch_));
  }

 private:
  std::shared_ptr<Batch> batch_;
  bool stepping_ = false;
};

py::array acceleration_lanes(PyBatch& b) {
  const std::span<const double> values = b.batch().acceleration_lanes();
  py::array shown = b.lanes({const_cast<double*>(values.data()), values.size()}, b.batch().model().u_count());
  forbid_writing(shown);
  return shown;
}

}  // namespace

void bind_batch(py::module_& module) {
  py::class_<PyBatch> type(module, "Batch");
  keep_whole(type, "make another and copy q, u and tau");
  type.def(py::init<const LoadedScene&, int, int>(), py::arg("scene"), py::arg("copies"), py::arg("threads"))
      .def(py::init<const Model&, int, int>(), py::arg("model"), py::arg("copies"), py::arg("threads"))
      .def_property_readonly(
          "model", [](PyBatch& b) { return b.batch().model(); }, "The model of every copy.")
      .def_property_readonly(
          "copy_count", [](PyBatch& b) { return b.batch().copy_count(); }, "Number of copies.")
      .def_property_readonly(
          "lane_count", [](PyBatch& b) { return b.batch().lane_count(); }, "Copies per SIMD register on this machine.")
      .def_property_readonly(
          "thread_count", [](PyBatch& b) { return b.batch().thread_count(); }, "Threads that work.")
      .def_property_readonly(
          "kept_out_of_lanes", [](PyBatch& b) { return b.batch().kept_out_of_lanes(); },
          "Why copies advance one by one, a text a kind; empty: they advance in lanes.")
      .def_property(
          "dt", [](PyBatch& b) { return b.batch().dt(); }, [](PyBatch& b, double dt) { b.batch().set_dt(dt); },
          "Size of a step [s].")
      .def_property(
          "t", [](PyBatch& b) { return b.batch().time(); }, [](PyBatch& b, double t) { b.batch().set_time(t); },
          "Time of every copy [s].")
      .def_property_readonly(
          "q_lanes", [](PyBatch& b) { return b.lanes(b.batch().q_lanes(), b.batch().model().q_count()); },
          "Coordinates [rad] or [m] where they lie: (blocks, lanes, q_count).")
      .def_property_readonly(
          "u_lanes", [](PyBatch& b) { return b.lanes(b.batch().u_lanes(), b.batch().model().u_count()); },
          "Velocities [rad/s] or [m/s] where they lie: (blocks, lanes, u_count).")
      .def_property_readonly(
          "tau_lanes", [](PyBatch& b) { return b.lanes(b.batch().tau_lanes(), b.batch().model().u_count()); },
          "Forces added to those of the model [N m] or [N] where they lie: (blocks, lanes, u_count).")
      .def_property_readonly("acceleration_lanes", &acceleration_lanes,
                             "Accelerations [rad/s^2] or [m/s^2] where they lie; read only.")
      .def(
          "forward_dynamics", [](PyBatch& b) { b.without_lock([](Batch& all) { all.forward_dynamics(); }); },
          "Accelerations of every copy from inertia, gravity, velocities and tau.")
      .def(
          "_step", [](PyBatch& b, int count) { b.without_lock([&](Batch& all) { all.step(count); }); },
          py::arg("count"));
}

}  // namespace lipkin::python
