// NumPy arrays that show memory of C++ objects and keep it.
#pragma once

#include <pybind11/numpy.h>

#include <memory>
#include <span>
#include <vector>

namespace lipkin::python {

namespace py = pybind11;

// Keeps `owner` for as long as it lives.
template <class Owner>
py::capsule keeper(std::shared_ptr<Owner> owner) {
  return py::capsule(new std::shared_ptr<Owner>(std::move(owner)),
                     [](void* held) { delete static_cast<std::shared_ptr<Owner>*>(held); });
}

inline void forbid_writing(py::array& array) { array.attr("setflags")(py::arg("write") = false); }

// The values themselves, which the array owns from now on, as rows of `columns`.
inline py::array_t<double> rows_of(std::vector<double> values, std::size_t columns) {
  auto owner = std::make_shared<std::vector<double>>(std::move(values));
  const std::span<double> all = *owner;
  const std::size_t rows = columns == 0 ? 0 : all.size() / columns;
  return py::array_t<double>({rows, columns}, all.data(), keeper(std::move(owner)));
}

inline py::array_t<double> copy_of(std::span<const double> values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

}  // namespace lipkin::python
