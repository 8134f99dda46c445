// Lipkin's exceptions as those of lipkin.errors, with the line that the command line prints.
#include "bindings.hpp"
#include "lipkin/error.hpp"

namespace lipkin::python {
namespace {

py::object error_class(const char* name) { return py::module_::import("lipkin.errors").attr(name); }

void raise(const char* name, const char* message) {
  const py::object type = error_class(name);
  PyErr_SetObject(type.ptr(), type(message).ptr());
}

py::object to_python(const Diagnostic& diagnostic) {
  return error_class("Diagnostic")(diagnostic.where.file, diagnostic.where.line, diagnostic.where.column,
                                   diagnostic.severity == Severity::kError ? "error" : "warning", diagnostic.message,
                                   diagnostic.hint);
}

void raise(const InputError& error) {
  py::list diagnostics;
  for (const Diagnostic& diagnostic : error.diagnostics()) diagnostics.append(to_python(diagnostic));
  const py::object type = error_class("InputError");
  PyErr_SetObject(type.ptr(), type(error.what(), diagnostics).ptr());
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    raise(error);
  } catch (const InvalidArgument& error) {
    raise("InvalidArgument", error.what());
  } catch (const SimulationError& error) {
    raise("SimulationError", error.what());
  } catch (const InternalError& error) {
    raise("InternalError", error.what());
  } catch (const Error& error) {
    raise("Error", error.what());
  }
}

}  // namespace

void bind_errors() { py::register_exception_translator(&translate); }

}  // namespace lipkin::python
