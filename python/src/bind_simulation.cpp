#include <fmt/format.h>
#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <variant>

#include "arrays.hpp"
#include "bindings.hpp"
#include "lipkin/error.hpp"
#include "runner.hpp"
#include "scene_options.hpp"
#include "whole_objects.hpp"

namespace lipkin::python {
namespace {

// What lies behind lipkin.Simulation and lipkin.Session. Arrays keep the runner, not this, so that nothing goes round
// in circles.
class PySimulation {
 public:
  PySimulation(const LoadedScene& scene, bool commanded)
      : runner_(std::make_shared<Runner>(scene, commanded)), arrays_{} {}

  Runner& runner() { return *runner_; }
  const Simulation& look() { return runner_->look(); }
  Simulation& edit() { return runner_->edit(); }

  // The same object for as long as it shows the right memory.
  py::array array(Shown what) {
    look();
    if (!runner_->is_commanded()) runner_->show_for_writing();
    const std::span<double> now = runner_->values(what);
    py::array& kept = arrays_[static_cast<std::size_t>(what)];
    if (!kept || kept.data() != now.data() || kept.size() != static_cast<py::ssize_t>(now.size())) {
      kept = py::array_t<double>(static_cast<py::ssize_t>(now.size()), now.data(), keeper(runner_));
      if (runner_->is_commanded()) forbid_writing(kept);
    }
    return kept;
  }

  void assign(Shown what, const py::object& given) {
    edit();
    const auto values = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(given);
    if (!values) throw InvalidArgument(fmt::format("{} are no numbers", std::string(py::repr(given))));
    const std::span<double> now = runner_->values(what);
    if (values.size() != static_cast<py::ssize_t>(now.size()))
      throw InvalidArgument(fmt::format("{} values are given; expected {}", values.size(), now.size()));
    runner_->show_for_writing();
    std::copy(values.data(), values.data() + values.size(), now.begin());
    look();
  }

  // Calls self._before_step() where there are controllers.
  Runner::BeforeStep before_step() {
    if (!controlled_) return {};
    return [this] { return py::cast<double>(py::cast(this).attr("_before_step")()); };
  }

  bool controlled_ = false;

 private:
  std::shared_ptr<Runner> runner_;
  std::array<py::array, 4> arrays_;
};

using Class = py::class_<PySimulation>;

template <Shown what>
void bind_array(Class& type, const char* name, const char* doc) {
  type.def_property(
      name, [](PySimulation& s) { return s.array(what); },
      [](PySimulation& s, const py::object& values) { s.assign(what, values); }, doc);
}

py::object to_python(const Statistics& s) {
  using namespace py::literals;
  return py::dict(
      "steps"_a = s.steps, "rejected_steps"_a = s.rejected_steps, "evaluations"_a = s.evaluations,
      "shortest_step"_a = s.shortest_step, "longest_step"_a = s.longest_step, "assembly_gap"_a = s.assembly_gap,
      "assembly_worst"_a = s.assembly_worst, "assembly_moved"_a = s.assembly_moved, "iterations"_a = s.iterations,
      "max_iterations"_a = s.max_iterations, "unconverged_steps"_a = s.unconverged_steps, "residual"_a = s.residual,
      "position_violation"_a = s.position_violation, "velocity_violation"_a = s.velocity_violation,
      "contacts"_a = s.contacts, "energy_initial"_a = s.energy_initial, "energy_final"_a = s.energy_final,
      "energy_invented"_a = s.energy_invented);
}

Eigen::Vector4d wxyz(const Eigen::Quaterniond& q) { return {q.w(), q.x(), q.y(), q.z()}; }

py::tuple body_motion(PySimulation& s, int body) {
  const BodyMotion motion = s.look().body_motion(body);
  return py::make_tuple(motion.pose.position, wxyz(motion.pose.orientation), motion.velocity, motion.angular_velocity);
}

// One row per body: position, quaternion w x y z.
Eigen::Matrix<double, Eigen::Dynamic, 7, Eigen::RowMajor> body_poses(PySimulation& s) {
  std::vector<BodyMotion> motions;
  s.look().body_motions(motions);
  Eigen::Matrix<double, Eigen::Dynamic, 7, Eigen::RowMajor> poses(motions.size(), 7);
  for (std::size_t i = 0; i < motions.size(); ++i)
    poses.row(static_cast<Eigen::Index>(i)) << motions[i].pose.position.transpose(),
        wxyz(motions[i].pose.orientation).transpose();
  return poses;
}

void push(PySimulation& s, const std::string& body, const Eigen::Vector3d& force, const Eigen::Vector3d& torque,
          const Eigen::Vector3d& point, double duration, bool along_body, std::optional<double> at) {
  Simulation& simulation = s.edit();
  const ForceFrame frame = along_body ? ForceFrame::kBody : ForceFrame::kWorld;
  simulation.apply({at.value_or(simulation.state().t), CommandPush{body, point, force, torque, frame, duration}, {}});
}

void set(PySimulation& s, const std::string& path, double value, std::optional<double> at) {
  if (at) {
    s.edit().apply({*at, CommandSet{path, value}, {}});
  } else {
    s.edit().set(path, value);
    s.runner().note_written();
  }
}

py::dict energy_balance(PySimulation& s) {
  using namespace py::literals;
  const EnergyBalance& b = s.look().energy_balance();
  return py::dict("since"_a = b.since, "initial"_a = b.initial, "stored"_a = b.stored.total(), "dampers"_a = b.dampers,
                  "joint_friction"_a = b.joint_friction, "contact_friction"_a = b.contact_friction,
                  "impacts"_a = b.impacts, "motors"_a = b.motors, "applied"_a = b.applied, "commands"_a = b.commands,
                  "stabilization"_a = b.stabilization, "residual"_a = b.residual());
}

void bind_looking(Class& type) {
  type.def_property_readonly(
          "model", [](PySimulation& s) { return s.look().model(); }, "The model, in its joints' coordinates.")
      .def_property_readonly(
          "running_model", [](PySimulation& s) { return s.look().running_model(); },
          "The model in the coordinates that run, those of q and u.")
      .def_property_readonly(
          "t", [](PySimulation& s) { return s.look().state().t; }, "Time [s].")
      .def_property_readonly(
          "step_count", [](PySimulation& s) { return s.look().state().step_count; }, "Steps since the start.")
      .def_property_readonly(
          "state_hash", [](PySimulation& s) { return hash_text(s.look().hash()); },
          "16 hexadecimal digits over every bit that decides the future, as `lipkin run` prints them.")
      .def_property_readonly(
          "outputs", [](PySimulation& s) { return copy_of(s.look().outputs()); },
          "The scene's outputs now, in the order of model.output_names; units in model.output_units.")
      .def_property_readonly(
          "energy", [](PySimulation& s) { return s.look().energy(); }, "Energy now [J].")
      .def_property_readonly(
          "statistics", [](PySimulation& s) { return to_python(s.look().statistics()); },
          "How the run went: steps, iterations, violations [m] or [rad], energies [J].")
      .def_property_readonly(
          "options", [](PySimulation& s) { return options_of(s.look().experiment()); },
          "The choices of the experiment: stepper, dt [s], solver, ...")
      .def("_chooses_steps", [](PySimulation& s) { return chooses_steps(s.look().experiment()); })
      .def_property_readonly("body_poses", &body_poses, "One row per body: position [m], unit quaternion w x y z.")
      .def("_body_motion", &body_motion)
      .def("_watched", [](PySimulation& s) { return copy_of(s.runner().watched()); })
      .def("_set_watches",
           [](PySimulation& s, const std::vector<std::string>& texts) { s.runner().set_watches(texts); })
      .def(
          "watch_balance", [](PySimulation& s) { s.edit().watch_balance(); },
          "From now on, keeps account of where energy comes from and goes to.")
      .def_property_readonly("energy_balance", &energy_balance,
                             "Where energy came from and went to since watch_balance() [J].");
  bind_array<Shown::kQ>(type, "q", "Coordinates [rad] or [m], quaternions w x y z: a view of the state itself.");
  bind_array<Shown::kU>(type, "u", "Velocities [rad/s] or [m/s]: a view of the state itself.");
  bind_array<Shown::kApplied>(type, "tau",
                              "Generalized forces added to those of the model until changed [N m] or [N]: a view.");
  bind_array<Shown::kControl>(type, "control",
                              "Controls of actuators and motors, in the order of model.control_names; NaN where one "
                              "follows its own signal: a view.");
}

void bind_stepping(Class& type) {
  type.def(
          "step", [](PySimulation& s, std::int64_t count) { s.runner().step(count, s.before_step()); },
          py::arg("count") = 1, "Takes steps: of dt [s] each, or as long as an adaptive stepper's tolerances allow.")
      .def("_run", [](PySimulation& s, double duration, double every,
                      bool record) { s.runner().run(duration, every, record, s.before_step()); })
      .def("_take_rows", [](PySimulation& s, std::size_t columns) { return rows_of(s.runner().take_rows(), columns); })
      .def("_set_controlled", [](PySimulation& s, bool controlled) { s.controlled_ = controlled; })
      .def("reset", [](PySimulation& s) { s.runner().reset(); })
      .def(
          "save", [](PySimulation& s) { return s.look().checkpoint(); }, "The state now, for restore().")
      .def(
          "restore", [](PySimulation& s, const Checkpoint& saved) { s.runner().restore(saved); }, py::arg("state"),
          "Goes on from a saved state, bit for bit, with the options and pending commands of then.");
}

void bind_changes(Class& type) {
  type.def("_use_threads", [](PySimulation& s, int count) { s.runner().edit_alone().use_threads(count); })
      .def("_set_options",
           [](PySimulation& s, const py::dict& options) {
             Simulation& simulation = s.runner().edit_alone();
             Experiment next = simulation.experiment();
             apply_options(options, next);
             const CoordinateKind before = simulation.experiment().coordinates;
             simulation.set_experiment(next);
             if (next.coordinates != before) s.runner().note_written();
           })
      .def("_push", &push)
      .def("_set", &set);
}

void bind_session(Class& type) {
  type.def("_command",
           [](PySimulation& s, const std::string& line) {
             const CommandAnswer answer = s.runner().command(line);
             return py::make_tuple(answer.result, answer.step, answer.t, answer.energy_jump);
           })
      .def("_channel_values", [](PySimulation& s) { return copy_of(s.runner().session().channel_values()); })
      .def("_channels",
           [](PySimulation& s) {
             py::list all;
             for (const WatchedChannel& channel : s.runner().session().channels())
               all.append(py::make_tuple(channel.name, channel.expression, channel.unit));
             return all;
           })
      .def("_model_json", [](PySimulation& s) { return s.runner().session().model_json(); })
      .def("_timeline_json", [](PySimulation& s) { return s.runner().session().timeline_json(); })
      .def("_scene_text", [](PySimulation& s) { return s.runner().session().scene_text(); })
      .def("_begin_recording", [](PySimulation& s, const std::string& path) { s.runner().begin_recording(path); })
      .def("_end_recording", [](PySimulation& s) { s.runner().end_recording(); });
}

void bind_saved_state(py::module_& module) {
  py::class_<Checkpoint> type(module, "SavedState",
                              "Everything that decides the future of a simulation, at one instant.");
  keep_whole(type, "it belongs to the process that saved it; record the session to keep it");
  type.def_property_readonly(
          "t", [](const Checkpoint& c) { return c.state.t; }, "Time [s].")
      .def_property_readonly(
          "q", [](const Checkpoint& c) { return copy_of(c.state.q); }, "Coordinates [rad] or [m]: a copy.")
      .def_property_readonly(
          "u", [](const Checkpoint& c) { return copy_of(c.state.u); }, "Velocities [rad/s] or [m/s]: a copy.")
      .def_property_readonly(
          "step_count", [](const Checkpoint& c) { return c.state.step_count; }, "Steps since the start.")
      .def_property_readonly(
          "state_hash", [](const Checkpoint& c) { return hash_text(state_hash(c.state)); }, "16 hexadecimal digits.");
}

}  // namespace

void bind_simulation(py::module_& module) {
  bind_saved_state(module);
  Class type(module, "Simulation");
  keep_whole(type, "make another from its scene, and restore(other.save())");
  type.def(py::init<const LoadedScene&, bool>(), py::arg("scene"), py::arg("commanded"));
  bind_looking(type);
  bind_stepping(type);
  bind_changes(type);
  bind_session(type);
}

}  // namespace lipkin::python
