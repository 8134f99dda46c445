// What each file of the module adds to it.
#pragma once

#include <pybind11/pybind11.h>

namespace lipkin::python {

namespace py = pybind11;

void bind_errors();
void bind_model(py::module_& module);
void bind_scene(py::module_& module);
void bind_dynamics(py::module_& module);
void bind_simulation(py::module_& module);
void bind_batch(py::module_& module);

}  // namespace lipkin::python
