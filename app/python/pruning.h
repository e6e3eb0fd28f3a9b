#pragma once

#include <pybind11/pybind11.h>

namespace headscope::python {

namespace py = pybind11;

/// prune() and group_queries(), which make tables, and save_pruned(), which writes a model.
void bindPruning(py::module_& module);

} // namespace headscope::python
