// Objects that Python can only have whole: made by their constructor, and not taken apart by pickle.
#pragma once

#include <fmt/format.h>

#include <string>

#include "bindings.hpp"
#include "lipkin/error.hpp"

namespace lipkin::python {

// pybind11 hands memory without an object in it to a method of something that __new__ made and no __init__ filled; this
// makes it an exception instead. `advice` says what to do in place of copying.
template <typename T>
void keep_whole(py::class_<T>& type, const std::string& advice) {
  py::detail::get_type_info(typeid(T), true)->operator_new = [](std::size_t) -> void* {
    throw InvalidArgument("the object was never initialised: it was made by __new__ without __init__");
  };
  const std::string name = py::str(type.attr("__name__"));
  const auto refuse = [name, advice](const py::object&, const py::args&) -> py::object {
    throw py::type_error(fmt::format("a {} can be neither copied nor pickled: {}", name, advice));
  };
  for (const char* way : {"__reduce_ex__", "__copy__", "__deepcopy__"})
    type.attr(way) = py::cpp_function(refuse, py::name(way), py::is_method(type));
}

}  // namespace lipkin::python
