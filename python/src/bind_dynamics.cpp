#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <variant>
#include <vector>

#include "bindings.hpp"
#include "lipkin/dynamics.hpp"
#include "lipkin/error.hpp"
#include "whole_objects.hpp"

namespace lipkin::python {
namespace {

using Values = std::vector<double>;
using Part = std::variant<int, std::string>;

int body_of(const Dynamics& dynamics, const Part& body) {
  if (const auto* name = std::get_if<std::string>(&body)) return dynamics.model().body(*name);
  dynamics.model().body_name(std::get<int>(body));  // range check
  return std::get<int>(body);
}

void bind_energy(py::module_& module) {
  py::class_<Energy> type(module, "Energy", "Energy of a mechanism, by kind [J].");
  keep_whole(type, "keep its numbers");
  type.def_readonly("kinetic", &Energy::kinetic, "[J]")
      .def_readonly("gravitational", &Energy::gravitational, "Zero at the world's origin [J].")
      .def_readonly("elastic", &Energy::elastic, "Of springs, bushings and soft contacts [J].")
      .def_property_readonly("total", &Energy::total, "The sum [J].")
      .def("__repr__", [](const Energy& e) {
        return py::str("Energy(kinetic={!r}, gravitational={!r}, elastic={!r}, total={!r})")
            .format(e.kinetic, e.gravitational, e.elastic, e.total());
      });
}

}  // namespace

void bind_dynamics(py::module_& module) {
  bind_energy(module);
  py::class_<Dynamics> type(module, "Dynamics",
                            "Questions about a model at one state: inertia (armature included), gravity and velocity "
                            "terms only, unless a function says otherwise.");
  keep_whole(type, "make another from its model");
  type.def(py::init([](Model model, bool open_loops) {
             return Dynamics(std::move(model), open_loops ? LoopTreatment::kOpen : LoopTreatment::kRefused);
           }),
           py::arg("model"), py::kw_only(), py::arg("open_loops") = false,
           "open_loops: asks about the tree alone, as if nothing closed its loops; they are refused otherwise.")
      .def_property_readonly("model", &Dynamics::model, "The model that is asked about.")
      .def(
          "set", [](Dynamics& d, const Values& q, const Values& u) { d.set(q, u); }, py::arg("q"), py::arg("u"),
          "The state that is asked about.")
      .def("mass_matrix", &Dynamics::mass_matrix, "M(q) [kg m^2], [kg m] or [kg].")
      .def("bias", &Dynamics::bias, "h with M du/dt + h = tau [N m] or [N].")
      .def(
          "inverse_dynamics", [](Dynamics& d, const Values& a) { return d.inverse_dynamics(a); },
          py::arg("acceleration"), "tau that gives the accelerations [N m] or [N].")
      .def(
          "accelerations", [](Dynamics& d, const Values& tau) { return d.accelerations(tau); },
          py::arg("tau") = Values{}, "du/dt [rad/s^2] or [m/s^2].")
      .def(
          "accelerations_full", [](Dynamics& d, const Values& tau) { return d.accelerations_full(tau); },
          py::arg("tau") = Values{},
          "du/dt with springs, dampers, actuators, forces and servos too [rad/s^2] or [m/s^2]; see left_out.")
      .def_property_readonly("left_out", &Dynamics::left_out,
                             "What accelerations_full() knows nothing of, one text a kind.")
      .def("energy", &Dynamics::energy, "Energy [J].")
      .def("center_of_mass", &Dynamics::center_of_mass, "Of everything, in the world [m].")
      .def(
          "body_jacobian", [](Dynamics& d, const Part& body) { return d.body_jacobian(body_of(d, body)); },
          py::arg("body"),
          "6 x u_count: angular, then linear velocity of the body frame's origin per unit u, world axes.")
      .def(
          "point_jacobian",
          [](Dynamics& d, const Part& body, const Eigen::Vector3d& point) {
            return d.point_jacobian(body_of(d, body), point);
          },
          py::arg("body"), py::arg("point"),
          "3 x u_count: velocity of a point, given in the body frame [m], per unit u, world axes.")
      .def(
          "variable", [](Dynamics& d, const std::string& name) { return d.variable(name); }, py::arg("name"),
          "A variable by name, as in outputs: \"joint.shoulder.q\", \"energy.total\".");
}

}  // namespace lipkin::python
