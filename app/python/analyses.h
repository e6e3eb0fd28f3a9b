#pragma once

#include <pybind11/pybind11.h>

namespace headscope::python {

namespace py = pybind11;

/// prompts(), which makes the table that headscope-cli prints.
void bindAnalyses(py::module_& module);

/// verify()
void bindVerification(pybind11::module_& module);

} // namespace headscope::python
