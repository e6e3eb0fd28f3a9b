#pragma once

#include <pybind11/pybind11.h>

namespace headscope::python {

namespace py = pybind11;

/// sweep(), which makes a table.
void bindInterventions(py::module_& module);

} // namespace headscope::python
