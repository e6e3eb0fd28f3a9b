#pragma once

#include <pybind11/pybind11.h>

namespace headscope::python {

namespace py = pybind11;

/// composition(), copying() and directions(), which make tables of the weights alone.
void bindCircuits(py::module_& module);

} // namespace headscope::python
