#pragma once

#include <pybind11/pybind11.h>

namespace headscope::python {

namespace py = pybind11;

/// Functions of a `_headscope.Model` that return a `_headscope.Table`, the very table that
/// headscope-cli prints.
void bindAnalyses(py::module_& module);

/// composition(), copying() and directions(), which make tables of the weights alone.
void bindCircuits(py::module_& module);

/// verify()
void bindVerification(pybind11::module_& module);

} // namespace headscope::python
