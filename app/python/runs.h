#pragma once

#include <pybind11/pybind11.h>

namespace headscope::python {

namespace py = pybind11;

/// `_headscope.Run` and run().
void bindRuns(py::module_& module);

} // namespace headscope::python
