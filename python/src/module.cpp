// lipkin._core: the C++ side of the Python package, which gives it names, defaults and documentation.
#include "bindings.hpp"
#include "lipkin/version.hpp"

PYBIND11_MODULE(_core, module) {
  using namespace lipkin::python;
  module.doc() = "The C++ side of the package lipkin; use the package.";
  module.attr("version") = std::string(lipkin::version());
  module.attr("instruction_set") = std::string(lipkin::instruction_set());
  bind_errors();
  bind_model(module);
  bind_scene(module);
  bind_dynamics(module);
  bind_simulation(module);
  bind_batch(module);
}
