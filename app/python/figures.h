#pragma once

#include <pybind11/pybind11.h>

namespace headscope::python {

namespace py = pybind11;

/// `_headscope.Figure` and figure().
void bindFigures(py::module_& module);

} // namespace headscope::python
