#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "bindings.hpp"
#include "lipkin/error.hpp"
#include "lipkin/model.hpp"
#include "lipkin/model_builder.hpp"
#include "whole_objects.hpp"

namespace lipkin::python {
namespace {

using NameOf = const std::string& (Model::*)(int) const;
using CountOf = int (Model::*)() const;
using IndexOf = int (Model::*)(std::string_view) const;

template <CountOf count, NameOf name>
std::vector<std::string> names(const Model& model) {
  std::vector<std::string> all;
  for (int i = 0; i < (model.*count)(); ++i) all.push_back((model.*name)(i));
  return all;
}

// By name or by number; both are checked.
template <IndexOf index, NameOf name>
int index_of(const Model& model, const std::variant<int, std::string>& part) {
  if (const auto* text = std::get_if<std::string>(&part)) return (model.*index)(*text);
  (model.*name)(std::get<int>(part));
  return std::get<int>(part);
}

py::slice slice_of(int first, int count) { return first < 0 ? py::slice(0, 0, 1) : py::slice(first, first + count, 1); }

py::list parameters(const Model& model) {
  py::list all;
  for (int i = 0; i < model.parameter_count(); ++i) {
    const ParameterSpec& parameter = model.parameter(i);
    all.append(py::make_tuple(parameter.name, parameter.value, parameter.unit, parameter.description));
  }
  return all;
}

void bind_names(py::class_<Model>& type) {
  type.def_property_readonly("name", &Model::name, "Name of the model.")
      .def_property_readonly("body_names", &names<&Model::body_count, &Model::body_name>,
                             "Bodies in the order of their indices.")
      .def_property_readonly("joint_names", &names<&Model::joint_count, &Model::joint_name>,
                             "Joints in the order of their indices.")
      .def_property_readonly("actuator_names", &names<&Model::actuator_count, &Model::actuator_name>,
                             "Actuators in the order of their indices.")
      .def_property_readonly("control_names", &names<&Model::control_count, &Model::control_name>,
                             "Controls of actuators and motors, in the order of Simulation.control.")
      .def_property_readonly("motor_names", &names<&Model::motor_count, &Model::motor_name>, "Motors.")
      .def_property_readonly("output_names", &names<&Model::output_count, &Model::output_name>,
                             "Watched outputs of the scene.")
      .def_property_readonly("output_units", &names<&Model::output_count, &Model::output_unit>, "Their units.")
      .def_property_readonly("material_names", &names<&Model::material_count, &Model::material_name>,
                             "Materials of contact.")
      .def_property_readonly("parameters", &parameters,
                             "(name, value, unit, description) of each parameter of the scene.")
      .def("body_index", &index_of<&Model::body, &Model::body_name>, py::arg("body"),
           "Index by name; an index is checked.")
      .def("joint_index", &index_of<&Model::joint, &Model::joint_name>, py::arg("joint"),
           "Index by name; an index is checked.")
      .def("actuator_index", &index_of<&Model::actuator, &Model::actuator_name>, py::arg("actuator"),
           "Index by name; an index is checked.")
      .def("control_index", &index_of<&Model::control, &Model::control_name>, py::arg("control"),
           "Index into Simulation.control by name; an index is checked.")
      .def(
          "control_of_actuator",
          [](const Model& m, const std::variant<int, std::string>& actuator) {
            return m.control_of_actuator(index_of<&Model::actuator, &Model::actuator_name>(m, actuator));
          },
          py::arg("actuator"), "Index into Simulation.control of an actuator's control.")
      .def("output_index", &index_of<&Model::output, &Model::output_name>, py::arg("output"),
           "Index by name; an index is checked.");
}

void bind_counts(py::class_<Model>& type) {
  type.def_property_readonly("q_count", &Model::q_count, "Number of coordinates.")
      .def_property_readonly("u_count", &Model::u_count, "Number of velocities.")
      .def_property_readonly("body_count", &Model::body_count, "Number of bodies, without the world.")
      .def_property_readonly("joint_count", &Model::joint_count, "Number of joints, those that close loops included.")
      .def_property_readonly("actuator_count", &Model::actuator_count, "Number of actuators.")
      .def_property_readonly("control_count", &Model::control_count, "Number of controls of actuators and motors.")
      .def_property_readonly("output_count", &Model::output_count, "Number of watched outputs.")
      .def_property_readonly("total_mass", &Model::total_mass, "[kg]")
      .def_property_readonly("gravity", &Model::gravity, "[m/s^2]");
}

}  // namespace

void bind_model(py::module_& module) {
  py::class_<Model> type(module, "Model", "A compiled mechanism: its parts by name and by index. It does not change.");
  keep_whole(type, "load its scene again");
  bind_names(type);
  bind_counts(type);
  type.def(
          "joint_type", [](const Model& m, int joint) { return std::string(name_of(m.joint_type(joint))); },
          py::arg("joint"), "Type by index: \"revolute\", ...")
      .def("joint_closes_loop", &Model::joint_closes_loop, py::arg("joint"),
           "Whether it closes a loop and has no coordinates.")
      .def(
          "joint_q", [](const Model& m, int joint) { return slice_of(m.joint_q(joint), q_count(m.joint_type(joint))); },
          py::arg("joint"), "Where its coordinates are in q, as a slice.")
      .def(
          "joint_u", [](const Model& m, int joint) { return slice_of(m.joint_u(joint), u_count(m.joint_type(joint))); },
          py::arg("joint"), "Where its velocities are in u, as a slice.")
      .def("joint_parent", &Model::joint_parent, py::arg("joint"), "Body that carries it; -1: the world.")
      .def("joint_child", &Model::joint_child, py::arg("joint"), "Body that hangs on it.")
      .def("body_mass", &Model::body_mass, py::arg("body"), "[kg]")
      .def("body_com", &Model::body_com, py::arg("body"), "Centre of mass in the body frame [m].")
      .def("body_inertia", &Model::body_inertia, py::arg("body"), "About the centre of mass, body axes [kg m^2].");
}

}  // namespace lipkin::python
