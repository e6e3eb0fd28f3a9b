#pragma once

#include <pybind11/pybind11.h>

namespace headscope::python {

namespace py = pybind11;

/// sweep(), patch(), patch_path(), edges(), edge_circuits() and token_dependence(), which make
/// tables.
void bindInterventions(py::module_& module);

} // namespace headscope::python
