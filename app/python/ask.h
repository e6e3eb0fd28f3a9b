#pragma once

#include <pybind11/pybind11.h>

namespace headscope::python {

namespace py = pybind11;

/// `_headscope.ask(model, key, words, progress)`: any analysis that core declares, with its
/// parameters by their keys.
void bindAsking(py::module_& module);

} // namespace headscope::python
