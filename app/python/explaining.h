#pragma once

#include <pybind11/pybind11.h>

namespace headscope::python {

namespace py = pybind11;

/// why(), which makes tables.
void bindExplaining(py::module_& module);

} // namespace headscope::python
